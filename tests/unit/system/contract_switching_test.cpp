// Each promise of a system that switches has a system here that breaks it and nothing else; the contract
// must find it in its own words.
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <saltus/core/text.hpp>
#include <saltus/system.hpp>

#include "problems/disode_p2_functions.hpp"

namespace saltus {
namespace {

using SwitchIn = std::span<const double>;
using SwitchOut = std::span<double>;

enum class Fault {
  none,
  value_is_nan,
  value_drifts,
  value_of_inactive,
  workspaces_differ,
  single_differs,
  gradient_wrong,
  gradient_shape,
  rate_wrong,
  rate_forgets_time,
  rate_with_other_value,
  names_equal,
  lock_count,
  lock_ignored,
  decided_wrong,
  decided_inactive,
  branches_drift,
  active_drifts,
  residual_drifts,
  hull_narrow,
  series_wrong,
  series_inconsistent,
};

/// a' = b or -b, as a² > 1 or not, b' = -a; a second relation b + 2 t > 3 matters where the first holds.
class FaultyWorkspace final : public Workspace,
                              public SwitchingFunctions,
                              public Locks,
                              public StepEnclosure {
 public:
  FaultyWorkspace(Fault fault, int number) : fault_(fault), number_(number) {
    offer<SwitchingFunctions>(*this);
    offer<Locks>(*this);
    offer<StepEnclosure>(*this);
    if (has(Fault::lock_count)) locks_.pop_back();
  }

  Evaluation residual(double, SwitchIn x, SwitchIn xdot, SwitchOut f) override {
    f[0] = xdot[0] - (locks_[0] != 0 ? x[1] : -x[1]);
    f[1] = xdot[1] + x[0];
    if (has(Fault::residual_drifts) && n_set_ > 1) f[1] += 1.0;
    return Evaluation::ok();
  }
  Evaluation jacobian(double, SwitchIn, SwitchIn, SwitchOut dx, SwitchOut dxdot) override {
    const double sign = locks_[0] != 0 ? -1.0 : 1.0;
    std::copy_n(std::array{0.0, 1.0, sign, 0.0}.begin(), 4, dx.begin());
    std::copy_n(std::array{1.0, 0.0, 0.0, 1.0}.begin(), 4, dxdot.begin());
    return Evaluation::ok();
  }

  std::uint32_t count() const override { return 2; }
  const SwitchInfo& info(std::uint32_t which) const override {
    return infos_[has(Fault::names_equal) ? 0 : which];
  }
  bool is_active(std::uint32_t which) const override {
    if (has(Fault::active_drifts) && n_set_ > 1) return true;
    return which == 0 || locks_[0] != 0;
  }
  Evaluation evaluate(double t, SwitchIn x, SwitchIn, SwitchOut g) override {
    g[0] = first(x[0]);
    g[1] = is_active(1) ? x[1] + 2.0 * t - 3.0 : 0.0;
    if (has(Fault::value_is_nan)) g[0] = std::numeric_limits<double>::quiet_NaN();
    if (has(Fault::value_drifts)) g[0] += 1e-12 * ++n_evaluations_;
    if (has(Fault::value_of_inactive) && !is_active(1)) g[1] = 7.0;
    if (has(Fault::workspaces_differ)) g[0] += number_;
    return Evaluation::ok();
  }
  Evaluation evaluate_one(std::uint32_t which, double t, SwitchIn x, SwitchIn xdot,
                          double& g) override {
    std::array<double, 2> all{};
    static_cast<void>(evaluate(t, x, xdot, all));
    g = all[which] + (has(Fault::single_differs) ? 1e-15 : 0.0);
    return Evaluation::ok();
  }
  Evaluation rates(double t, SwitchIn x, SwitchIn xdot, SwitchOut g, SwitchOut gdot) override {
    static_cast<void>(evaluate(t, x, xdot, g));
    gdot[0] = 2.0 * x[0] * xdot[0] * (has(Fault::rate_wrong) ? 1.001 : 1.0);
    gdot[1] = is_active(1) ? xdot[1] + (has(Fault::rate_forgets_time) ? 0.0 : 2.0) : 0.0;
    if (has(Fault::rate_with_other_value)) g[0] += 1e-9;
    return Evaluation::ok();
  }
  const CscPattern& gradient_pattern() const override {
    static const CscPattern pattern{
        .n_rows = 2, .n_cols = 2, .column_start = {0, 1, 2}, .row = {0, 1}};
    static const CscPattern shape{
        .n_rows = 1, .n_cols = 2, .column_start = {0, 1, 2}, .row = {0, 0}};
    return has(Fault::gradient_shape) ? shape : pattern;
  }
  Evaluation gradients(double, SwitchIn x, SwitchIn, SwitchOut dg_dx) override {
    dg_dx[0] = has(Fault::gradient_wrong) ? x[0] : 2.0 * x[0];
    dg_dx[1] = is_active(1) ? 1.0 : 0.0;
    return Evaluation::ok();
  }
  double next_time(double, double t_end) override { return t_end; }
  bool is_timed(std::uint32_t) const override { return false; }
  bool is_due(std::uint32_t, double) override { return false; }

  std::span<const std::uint8_t> locks() const override { return locks_; }
  void set_lock(std::uint32_t which, bool truth) override {
    ++n_set_;
    if (!has(Fault::lock_ignored)) locks_[which] = truth ? 1 : 0;
  }
  Evaluation decide(double t, SwitchIn x, SwitchIn) override {
    n_set_ = 0;
    locks_[0] = (first(x[0]) > 0.0) != has(Fault::decided_wrong) ? 1 : 0;
    if (locks_.size() > 1) {
      const bool matters = locks_[0] != 0 || has(Fault::decided_inactive);
      const bool truth = has(Fault::decided_inactive) ? locks_[0] == 0 : x[1] + 2.0 * t > 3.0;
      locks_[1] = matters && truth ? 1 : 0;
    }
    return Evaluation::ok();
  }
  std::uint32_t n_equation_branches() const override { return 1; }
  std::uint32_t n_branches() const override { return 1; }
  void branches(std::span<std::uint8_t> truth) const override {
    truth[0] = locks_[0];
    if (has(Fault::branches_drift) && n_set_ > 1) truth[0] ^= 1;
  }

  void hulls(const StepPolynomial& step, Interval s, std::span<Interval> g) override {
    Terms a(step, 0, s), b(step, 1, s);
    g[0] = sqr(a.value) - Interval(1.0);
    if (has(Fault::hull_narrow)) g[0] = Interval(g[0].mid(), g[0].hi());
    if (is_active(1)) g[1] = b.value + Interval(2.0) * a.t - Interval(3.0);
  }
  bool series(std::uint32_t which, const StepPolynomial& step, Interval s, int order,
              std::span<Interval> c) override {
    std::fill(c.begin(), c.end(), Interval(0.0));
    Terms a(step, which, s);
    const std::array p{a.value, a.slope, a.curve};
    for (int k = 0; k <= std::min(order, 4); ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (which == 0) {
        for (std::size_t j = 0; j <= i; ++j) {
          if (j < 3 && i - j < 3) c[i] += p[j] * p[i - j];
        }
      } else if (k < 3) {
        c[i] = p[i];
      }
    }
    if (which == 0) {
      c[0] -= Interval(1.0);
      if (has(Fault::series_wrong)) c[1] = c[1] * Interval(1.5);
      if (has(Fault::series_inconsistent) && !s.is_point()) c[2] = c[2] + Interval(50.0);
    } else {
      const Interval h = Interval(step.t_right) - Interval(step.t_left);
      c[0] = c[0] + Interval(2.0) * a.t - Interval(3.0);
      c[1] = c[1] + Interval(2.0) * h;
    }
    return true;
  }

 private:
  /// An unknown along a parabola, and time.
  struct Terms {
    Terms(const StepPolynomial& step, std::uint32_t i, Interval s)
        : value(Interval(step.coefficient(0, i)) +
                s * (Interval(step.coefficient(1, i)) + s * Interval(step.coefficient(2, i)))),
          slope(Interval(step.coefficient(1, i)) +
                Interval(2.0) * s * Interval(step.coefficient(2, i))),
          curve(step.coefficient(2, i)),
          t(Interval(step.t_left) + s * (Interval(step.t_right) - Interval(step.t_left))) {}
    Interval value, slope, curve, t;
  };

  bool has(Fault fault) const { return fault_ == fault; }
  static double first(double a) { return a * a - 1.0; }

  Fault fault_;
  int number_;
  std::vector<std::uint8_t> locks_{1, 0};
  std::array<SwitchInfo, 2> infos_{SwitchInfo{.name = "far"}, SwitchInfo{.name = "late"}};
  int n_set_ = 0;  // since locks were decided
  int n_evaluations_ = 0;
};

class FaultySystem final : public System {
 public:
  explicit FaultySystem(Fault fault) : fault_(fault) {}
  std::uint32_t size() const override { return 2; }
  const CscPattern& pattern() const override { return pattern_; }
  std::span<const std::uint8_t> carries_derivative() const override { return flags_; }
  std::string unknown_name(std::uint32_t i) const override { return i == 0 ? "a" : "b"; }
  std::string equation_name(std::uint32_t i) const override { return i == 0 ? "first" : "second"; }
  double nominal(std::uint32_t) const override { return 1.0; }
  StartValues start_values() const override {
    return {.x = {1.05, 0.5}, .xdot = {0.5, -1.0}, .x_given = {1, 1}};
  }
  const VariableMap& variable_map() const override { return map_; }
  std::unique_ptr<Workspace> workspace() const override {
    return std::make_unique<FaultyWorkspace>(fault_, n_workspaces_++);
  }

 private:
  Fault fault_;
  CscPattern pattern_{.n_rows = 2, .n_cols = 2, .column_start = {0, 2, 4}, .row = {0, 1, 0, 1}};
  std::vector<std::uint8_t> flags_{1, 1};
  IdentityMap map_{std::vector<VariableInfo>{{"a", "", ""}, {"b", "", ""}}};
  mutable int n_workspaces_ = 0;
};

struct FaultCase {
  Fault fault;
  std::string says;
};

class SwitchingContract : public testing::TestWithParam<FaultCase> {};

TEST_P(SwitchingContract, FindsTheFault) {
  // Ten points: the first relation holds at some of them and not at others.
  const auto findings = check_system(FaultySystem(GetParam().fault), {.n_points = 10});
  const bool said = std::any_of(findings.begin(), findings.end(), [&](const std::string& finding) {
    return finding.find(GetParam().says) != std::string::npos;
  });
  EXPECT_TRUE(said) << "'" << GetParam().says << "' is not said, but:\n" << join(findings, "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Faults, SwitchingContract,
    testing::Values(
        FaultCase{Fault::value_is_nan, "switch 'far' is nan though the evaluation reports ok"},
        FaultCase{Fault::value_drifts, "switch 'far' is not repeatable: the same point gives"},
        FaultCase{Fault::value_of_inactive, "switch 'late' does not matter here, but is 7"},
        FaultCase{Fault::workspaces_differ, "switch 'far' depends on the workspace"},
        FaultCase{Fault::single_differs, "by itself"},
        FaultCase{Fault::gradient_wrong, "switch 'far' has the derivative"},
        FaultCase{Fault::gradient_shape, "the pattern of gradients is not valid"},
        FaultCase{Fault::rate_wrong, "switch 'far' changes at the rate"},
        FaultCase{Fault::rate_forgets_time, "switch 'late' changes at the rate"},
        FaultCase{Fault::rate_with_other_value, "beside its rate"},
        FaultCase{Fault::names_equal, "two switches have the name 'far'"},
        FaultCase{Fault::lock_count, "there are 1 locks for 2 relations"},
        FaultCase{Fault::lock_ignored,
                  "the lock of switch 'far' does not keep the value it was set to"},
        FaultCase{Fault::decided_wrong, "switch 'far' is decided to be"},
        FaultCase{Fault::decided_inactive,
                  "switch 'late' is decided to be true though it does not"},
        FaultCase{Fault::branches_drift,
                  "the branches have changed after the lock of switch 'far'"},
        FaultCase{Fault::active_drifts, "different switches matter after the lock of switch 'far'"},
        FaultCase{Fault::residual_drifts, "the residual has changed after the lock of"},
        FaultCase{Fault::hull_narrow, "switch 'far' should lie in"},
        FaultCase{Fault::series_wrong, "switch 'far' lies in"},
        FaultCase{Fault::series_inconsistent, "switch 'far' has Taylor coefficient 2 in"}));

TEST(SwitchingContractOfGoodSystems, NothingIsFound) {
  EXPECT_EQ(check_system(FaultySystem(Fault::none), {.n_points = 10}), std::vector<std::string>{});
  using problems::BeyondSurface;
  EXPECT_EQ(
      check_system(*make_system(problems::disode_p2_locked_functions(BeyondSurface::gives_nan))),
      std::vector<std::string>{});
  EXPECT_EQ(check_system(*make_system(problems::disode_p2_functions())),
            std::vector<std::string>{});
}

}  // namespace
}  // namespace saltus
