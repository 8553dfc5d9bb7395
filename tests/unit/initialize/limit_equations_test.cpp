// Equations between the limits of an instant: what a transition states in place of what would stay.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/system/function_system.hpp>

#include "unit/initialize/started_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

/// Linear equations a x = b by name of unknowns; or a function of x whose derivatives are differences.
class WrittenEquations : public LimitEquations {
 public:
  using Terms = std::vector<std::pair<std::string, double>>;
  explicit WrittenEquations(const Started& s) : s_(s) {}

  void add(std::string name, const Terms& terms, double right) {
    Row row{std::move(name), std::vector<double>(s_.system->size(), 0.0), right, 0.0, 0};
    for (const auto& [unknown, factor] : terms) row.a[s_.index_of(unknown)] += factor;
    rows_.push_back(std::move(row));
  }
  /// ... + factor x_k^2.
  void add_square(const std::string& unknown, double factor) {
    rows_.back().squared = s_.index_of(unknown);
    rows_.back().factor = factor;
  }

  std::uint32_t count() const override { return static_cast<std::uint32_t>(rows_.size()); }
  std::string name(std::uint32_t equation) const override { return rows_[equation].name; }
  Evaluation residual(std::span<const double> x, std::span<double> r) override {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      r[i] = row.factor * x[row.squared] * x[row.squared] - row.right;
      for (std::size_t j = 0; j < x.size(); ++j) r[i] += row.a[j] * x[j];
    }
    return Evaluation::ok();
  }
  Evaluation jacobian(std::span<const double> x, std::span<double> dr) override {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) dr[i * x.size() + j] = rows_[i].a[j];
      dr[i * x.size() + rows_[i].squared] += 2 * rows_[i].factor * x[rows_[i].squared];
    }
    return Evaluation::ok();
  }

 private:
  struct Row {
    std::string name;
    std::vector<double> a;
    double right;
    double factor;
    std::uint32_t squared;
  };
  const Started& s_;
  std::vector<Row> rows_;
};

bool mentions(const Result<Restart>& r, const std::string& part) {
  return !r && r.failure().message.find(part) != std::string::npos;
}

Result<Restart> restart_by(Started& s, WrittenEquations& equations,
                           const std::vector<std::string>& held = {}) {
  RestartOptions o;
  o.policy = RestartPolicy::map;
  o.equations = &equations;
  if (!held.empty()) o.fixed = s.flags(held);
  return s.restart_with(o);
}

/// Two inertias that a clutch has just joined, and a third body that has nothing to do with it.
Started clutch(double j1, double j2) {
  Model m("clutch");
  Expr w1 = m.state("w1", 10.0), w2 = m.state("w2", -2.0), tau = m.algebraic("tau");
  Expr z = m.state("z", 0.5);
  m.equation("first", j1 * der(w1) == 3.0 - tau);
  m.equation("second", j2 * der(w2) == -1.0 + tau);
  m.equation("joined", w1 == w2);
  m.equation("aside", der(z) == -z);
  return Started(m);
}

// A handful of roundings in numbers of this size.
double rounding(double scale) { return 32 * eps * scale; }

// (I.5).
TEST(LimitEquations, I5_AClutchKeepsItsAngularMomentum) {
  for (const double unit : {1.0, 1e6, 1e-6}) {
    const double j1 = 2.0 * unit, j2 = 3.0 * unit;
    Started s = clutch(j1, j2);
    const auto momentum_with = [&](double factor) {
      WrittenEquations e(s);
      e.add("momentum", {{"w1", j1 * factor}, {"w2", j2}}, j1 * 10.0 + j2 * -2.0);
      const auto r = restart_by(s, e, {"z"});
      EXPECT_TRUE(r.has_value()) << r.failure().message;
      if (r) {
        EXPECT_TRUE(r->impulses.empty());
        EXPECT_EQ(r->used, RestartPolicy::map);
        EXPECT_EQ(s.value(*r, "z"), 0.5);
        EXPECT_NEAR(s.value(*r, "w1"), s.value(*r, "w2"), rounding(10));
        // (j1 + j2) w' = 2
        EXPECT_NEAR(s.slope(*r, "w1") * (j1 + j2), 2.0, rounding(10));
      }
      return r ? s.value(*r, "w1") : std::nan("");
    };
    const double w = (j1 * 10.0 + j2 * -2.0) / (j1 + j2);
    EXPECT_NEAR(momentum_with(1.0), w, rounding(10)) << unit;
    // The twin: a wrong coefficient is seen.
    EXPECT_GT(std::abs(momentum_with(1.001) - w), 1e-4) << unit;
  }
}

TEST(LimitEquations, TwoCapacitorsKeepTheirCharge) {
  Model m("capacitors");
  write_parallel_capacitors(m, 1e-6, 3e-6);
  Started s(m);
  WrittenEquations e(s);
  e.add("charge", {{"v1", 1e-6}, {"v2", 3e-6}}, 1e-6 * 10.0 + 3e-6 * 2.0);
  const auto r = restart_by(s, e);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(s.value(*r, "v1"), 4.0, rounding(10));
  EXPECT_NEAR(s.value(*r, "v2"), 4.0, rounding(10));
  EXPECT_NEAR(s.value(*r, "i"), 0.0, rounding(10));
  // The twin: nothing stated about the charge, so it is not kept.
  const auto control = s.restart_by(RestartPolicy::least_squares);
  ASSERT_TRUE(control.has_value());
  EXPECT_GT(std::abs(s.value(*control, "v1") - 4.0), 0.1);
}

/// Two free bodies on a line: a plain differential equation.
Started bodies() {
  Model m("bodies");
  Expr x1 = m.state("x1", 0.0), x2 = m.state("x2", 0.0), v1 = m.state("v1", 3.0),
       v2 = m.state("v2", -1.0);
  m.equation(der(x1) == v1);
  m.equation(der(x2) == v2);
  m.equation(2.0 * der(v1) == -x1);
  m.equation(5.0 * der(v2) == -x2);
  return Started(m);
}

TEST(LimitEquations, RestitutionBetweenTwoBodies) {
  Started s = bodies();
  const auto v1_with = [&](double restitution) {
    WrittenEquations e(s);
    e.add("restitution", {{"v1", 1.0}, {"v2", -1.0}}, -restitution * 4.0);
    e.add("momentum", {{"v1", 2.0}, {"v2", 5.0}}, 2.0 * 3.0 - 5.0);
    const auto r = restart_by(s, e, {"x1", "x2"});
    EXPECT_TRUE(r.has_value()) << r.failure().message;
    if (r) {
      EXPECT_NEAR(2 * s.value(*r, "v1") + 5 * s.value(*r, "v2"), 1.0, rounding(10));
    }
    return r ? s.value(*r, "v1") : std::nan("");
  };
  // v1 = (momentum - 5 e 4) / 7.
  EXPECT_NEAR(v1_with(0.5), (1.0 - 10.0) / 7, rounding(10));
  EXPECT_GT(std::abs(v1_with(0.6) - (1.0 - 10.0) / 7), 0.1);
}

TEST(LimitEquations, NonlinearOnesAreIterated) {
  Started s = bodies();
  WrittenEquations e(s);
  e.add("momentum", {{"v1", 2.0}, {"v2", 5.0}}, 1.0);
  e.add("energy", {{"v2", 0.0}}, 4.0);
  e.add_square("v1", 1.0);
  const auto r = restart_by(s, e, {"x1", "x2"});
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(s.value(*r, "v1"), 2.0, rounding(10));  // from 3 the nearer root
  EXPECT_NEAR(s.value(*r, "v2"), -0.6, rounding(10));
}

TEST(LimitEquations, AMissingEquationIsRefusedByName) {
  Started s = bodies();
  WrittenEquations e(s);
  e.add("momentum", {{"v1", 2.0}, {"v2", 5.0}}, 1.0);
  const auto r = restart_by(s, e, {"x1", "x2"});
  EXPECT_TRUE(mentions(r, "the transition leaves 'v1', 'v2' undetermined: 1 equation is missing"))
      << (r ? "found" : r.failure().message);
  const auto more = restart_by(s, e, {"x1"});
  EXPECT_TRUE(mentions(more, "2 equations are missing")) << (more ? "" : more.failure().message);
  EXPECT_TRUE(mentions(more, "'x2'"));
  // Holding one of them is as good.
  EXPECT_TRUE(restart_by(s, e, {"x1", "x2", "v1"}).has_value());
  // Values that would do do not make up for the equation.
  WrittenEquations met(s);
  met.add("momentum", {{"v1", 2.0}, {"v2", 5.0}}, 2.0 * 3.0 - 5.0);
  EXPECT_TRUE(mentions(restart_by(s, met, {"x1", "x2"}), "undetermined"));
}

TEST(LimitEquations, ContradictionsAreRefusedByName) {
  Started s = clutch(2.0, 3.0);
  const auto with_difference = [&](double difference) {
    WrittenEquations e(s);
    e.add("momentum", {{"w1", 2.0}, {"w2", 3.0}}, 14.0);
    e.add("difference", {{"w1", 1.0}, {"w2", -1.0}}, difference);
    return restart_by(s, e, {"z"});
  };
  const auto refused = with_difference(1.0);
  EXPECT_TRUE(mentions(refused, "contradict")) << (refused ? "" : refused.failure().message);
  EXPECT_TRUE(mentions(refused, "'difference'"));
  EXPECT_FALSE(mentions(refused, "'momentum'")) << refused.failure().message;
  // One that says what is known anyway does no harm.
  EXPECT_TRUE(with_difference(0.0).has_value());

  WrittenEquations e(s);
  e.add("momentum", {{"w1", 2.0}, {"w2", 3.0}}, 14.0);
  const auto held = restart_by(s, e, {"z", "w1"});
  EXPECT_TRUE(mentions(held, "'momentum'") && mentions(held, "'w1'"))
      << (held ? "" : held.failure().message);
}

// Held values of a mode that was left agree with its equations up to the errors of the integration.
TEST(LimitEquations, HeldValuesMayMoveByWhatTheirHistoryAllows) {
  Model m("pendulum and body");
  write_pendulum(m);
  Expr w = m.state("w", 3.0);
  m.equation("free", der(w) == -w);
  Started s(m);
  s.set({{"x", 0.8 + 1e-7}, {"y", -0.6}, {"u", 0.3}, {"v", 0.4}});
  WrittenEquations e(s);
  e.add("bounce", {{"w", 1.0}}, -1.5);
  RestartOptions o;
  o.equations = &e;
  o.fixed = s.flags({"x", "y", "u", "v"});
  o.history.assign(s.system->size(), std::numeric_limits<double>::infinity());
  for (const char* name : {"x", "y", "u", "v", "w"}) o.history[s.index_of(name)] = 1e-6;
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(s.value(*r, "w"), -1.5, rounding(10));
  EXPECT_NEAR(s.value(*r, "x"), 0.8, 1e-6);
  EXPECT_NEAR(std::hypot(s.value(*r, "x"), s.value(*r, "y")), 1.0, 1e-12);
  EXPECT_TRUE(r->impulses.empty());
  o.history.assign(s.system->size(), 1e-8);
  EXPECT_FALSE(s.restart_with(o).has_value());
}

TEST(LimitEquations, OptionsThatDoNotFitAreRefused) {
  Started s = clutch(2.0, 3.0);
  WrittenEquations e(s);
  RestartOptions o;
  o.equations = &e;
  o.policy = RestartPolicy::impulse;
  EXPECT_THROW((void)s.restart_with(o), OptionError);
  o = {};
  o.history = {1.0};
  EXPECT_THROW((void)s.restart_with(o), OptionError);
}

}  // namespace
}  // namespace saltus
