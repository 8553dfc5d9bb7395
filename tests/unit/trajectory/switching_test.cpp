#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <saltus/trajectory.hpp>

#include "support/allocation_counter.hpp"
#include "unit/trajectory/bounce_log.hpp"
#include "unit/trajectory/steps.hpp"

namespace saltus {
namespace {

/// g_w = x_0 - w, of which one may be inactive and one undefined.
class ShiftedFunctions : public SwitchingFunctions {
 public:
  /// Called "x > 0", "x > 1", …, unless the first one has a name.
  explicit ShiftedFunctions(std::uint32_t n, const char* first = nullptr) : infos_(n) {
    for (std::uint32_t w = 0; w < n; ++w) infos_[w].name = "x > " + std::to_string(w);
    if (first != nullptr) infos_[0].name = first;
  }
  std::uint32_t count() const override { return static_cast<std::uint32_t>(infos_.size()); }
  const SwitchInfo& info(std::uint32_t which) const override { return infos_[which]; }
  bool is_active(std::uint32_t which) const override { return which != inactive; }
  Evaluation evaluate(double, std::span<const double> x, std::span<const double>,
                      std::span<double> g) override {
    ++n_passes;
    for (std::uint32_t w = 0; w < count(); ++w) {
      if (w == undefined) return Evaluation::out_of_domain(w);
      g[w] = is_active(w) ? x[0] - w : 0.0;
    }
    return Evaluation::ok();
  }
  Evaluation evaluate_one(std::uint32_t which, double, std::span<const double> x,
                          std::span<const double>, double& g) override {
    ++n_single;
    if (which == undefined) return Evaluation::out_of_domain(which);
    g = x[0] - which;
    return Evaluation::ok();
  }
  Evaluation rates(double, std::span<const double>, std::span<const double>, std::span<double>,
                   std::span<double>) override {
    return Evaluation::failed(0);
  }
  const CscPattern& gradient_pattern() const override { return pattern_; }
  Evaluation gradients(double, std::span<const double>, std::span<const double>,
                       std::span<double>) override {
    return Evaluation::failed(0);
  }
  double next_time(double, double t_end) override { return t_end; }
  bool is_timed(std::uint32_t) const override { return false; }
  bool is_due(std::uint32_t, double) override { return false; }

  static constexpr std::uint32_t none = 1000;
  std::uint32_t inactive = none;
  std::uint32_t undefined = none;
  int n_passes = 0;
  int n_single = 0;

 private:
  std::vector<SwitchInfo> infos_;
  CscPattern pattern_;
};

class SwitchingWorkspace : public Workspace {
 public:
  explicit SwitchingWorkspace(SwitchingFunctions& functions, bool offers = true) {
    if (offers) offer(functions);
  }
  Evaluation residual(double, std::span<const double>, std::span<const double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }
  Evaluation jacobian(double, std::span<const double>, std::span<const double>, std::span<double>,
                      std::span<double>) override {
    return Evaluation::ok();
  }
};

std::vector<VariableInfo> two_variables() { return {{"x", "m", "", false}, {"y", "", "", false}}; }

template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SwitchingColumns, StandBehindTheVariablesInTheOrderOfTheModel) {
  ShiftedFunctions functions(4);
  const std::vector<std::string> names{"x > 3", "x > 1"};
  const SwitchingColumns columns(two_variables(), &functions, names);
  ASSERT_EQ(columns.variables().size(), 4U);
  EXPECT_EQ(columns.n_model(), 2U);
  EXPECT_EQ(columns.variables()[1].name, "y");
  EXPECT_EQ(columns.variables()[2].name, "x > 1");
  EXPECT_EQ(columns.variables()[3].name, "x > 3");
  const std::vector<std::string> all{"all", "x > 2"};
  EXPECT_EQ(SwitchingColumns(two_variables(), &functions, all).n(), 4U);
  EXPECT_EQ(SwitchingColumns(two_variables(), &functions, {}).n(), 0U);
  EXPECT_EQ(SwitchingColumns(two_variables(), nullptr, {{std::string("all")}}).n(), 0U);
}

TEST(SwitchingColumns, NamesThatAreNoRelationsAreRefused) {
  ShiftedFunctions functions(4);
  const auto refused = [&](const std::string& name, const SwitchingFunctions* f,
                           std::vector<VariableInfo> variables = two_variables()) {
    const std::vector<std::string> names{name};
    return refusal_of([&] { SwitchingColumns(variables, f, names); });
  };
  EXPECT_NE(refused("x > 33", &functions).find("did you mean 'x > 3'?"), std::string::npos);
  EXPECT_NE(refused("x > 33", &functions).find("output.switching"), std::string::npos);
  EXPECT_NE(refused("x > 3", nullptr).find("the model has none"), std::string::npos);
  EXPECT_NE(refused("x > 3", &functions, {{"x > 3", "", "", false}}).find("cannot have both"),
            std::string::npos);
  EXPECT_EQ(refused("x > 3", &functions), "");
}

TEST(SwitchingColumns, AreEvaluatedOneByOneOrInOnePass) {
  ShiftedFunctions functions(4);
  SwitchingWorkspace workspace(functions);
  const IdentityMap model(two_variables());
  const std::vector<double> x{10, 20};
  const auto values_of = [&](std::vector<std::string> names) {
    SwitchingColumns columns(two_variables(), &functions, names);
    const MapWithSwitching map(model, columns, workspace);
    std::vector<double> out(map.variables().size(), -1.0);
    EXPECT_TRUE(map.values(workspace, 0, x, x, out));
    EXPECT_EQ(map.unknown(1), 1U);
    EXPECT_FALSE(map.unknown(2));
    return out;
  };
  EXPECT_EQ(values_of({"x > 1", "x > 3"}), (std::vector<double>{10, 20, 9, 7}));
  EXPECT_EQ(functions.n_single, 2);
  EXPECT_EQ(functions.n_passes, 0);
  EXPECT_EQ(values_of({"all"}), (std::vector<double>{10, 20, 10, 9, 8, 7}));
  EXPECT_EQ(functions.n_single, 2);
  EXPECT_EQ(functions.n_passes, 1);
  functions.inactive = 1;  // left alone
  EXPECT_EQ(values_of({"x > 1", "x > 3"}), (std::vector<double>{10, 20, -1, 7}));
  EXPECT_EQ(values_of({"all"}), (std::vector<double>{10, 20, 10, -1, 8, 7}));
}

TEST(SwitchingColumns, AreAbsentWhereInactiveAndNamedWhereUndefined) {
  ShiftedFunctions functions(4);
  functions.inactive = 0;
  functions.undefined = 2;
  SwitchingWorkspace workspace(functions);
  const IdentityMap model(two_variables());
  const std::vector<double> x{10, 20};
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"all"}, std::vector<std::string>{"x > 0", "x > 2"}}) {
    SwitchingColumns columns(two_variables(), &functions, names);
    const MapWithSwitching map(model, columns, workspace);
    EXPECT_TRUE(map.present(0));
    EXPECT_FALSE(map.present(2));
    EXPECT_TRUE(map.present(3));
    std::vector<double> out(map.variables().size());
    const Evaluation evaluated = map.values(workspace, 0, x, x, out);
    EXPECT_EQ(evaluated.status(), Evaluation::Status::out_of_domain);
    EXPECT_EQ(map.variables()[evaluated.row()].name, "x > 2");
  }
}

TEST(SwitchingColumns, AreAbsentInAWorkspaceWithoutThem) {
  ShiftedFunctions functions(4);
  SwitchingWorkspace workspace(functions, false);
  const IdentityMap model(two_variables());
  SwitchingColumns columns(two_variables(), &functions, {{std::string("all")}});
  const MapWithSwitching map(model, columns, workspace);
  EXPECT_FALSE(map.present(2));
  EXPECT_TRUE(map.present(1));
  const std::vector<double> x{10, 20};
  std::vector<double> out(6, -1.0);
  EXPECT_TRUE(map.values(workspace, 0, x, x, out));
  EXPECT_EQ(out, (std::vector<double>{10, 20, -1, -1, -1, -1}));
}

TEST(SwitchingColumns, BelongToNamesInEveryMode) {
  ShiftedFunctions first(2), second(4);  // "x > 0" and "x > 1"; also "x > 2" and "x > 3"
  SwitchingWorkspace in_first(first), in_second(second);
  const IdentityMap model(two_variables());
  const std::vector<std::string> names{"x > 3", "x > 1", "y > 0"};
  SwitchingColumns columns(two_variables(), &first, names, true);
  ASSERT_EQ(columns.n(), 3U);
  EXPECT_EQ(columns.variables()[2].name, "x > 1");  // what is known first
  EXPECT_EQ(columns.variables()[3].name, "x > 3");
  const std::vector<double> x{10, 20};
  const MapWithSwitching a(model, columns, in_first), b(model, columns, in_second);
  const auto values_of = [&](const MapWithSwitching& map, Workspace& workspace) {
    std::vector<double> out(5, -1.0);
    EXPECT_TRUE(map.values(workspace, 0, x, x, out));
    return out;
  };
  EXPECT_EQ(values_of(a, in_first), (std::vector<double>{10, 20, 9, -1, -1}));
  EXPECT_EQ(values_of(b, in_second), (std::vector<double>{10, 20, 9, 7, -1}));
  EXPECT_TRUE(a.present(2) && b.present(2) && b.present(3));
  EXPECT_FALSE(a.present(3) || a.present(4) || b.present(4));
  // "all" is what the first mode has.
  EXPECT_EQ(SwitchingColumns(two_variables(), &first, {{std::string("all")}}, true).n(), 2U);
  // A mode without relations at the start refuses nothing either, one alone does.
  EXPECT_EQ(SwitchingColumns(two_variables(), nullptr, names, true).n(), 3U);
  EXPECT_THROW(SwitchingColumns(two_variables(), &first, names), OptionError);
  EXPECT_THROW(SwitchingColumns(two_variables(), &first, {{std::string("y")}}, true), OptionError);
}

TEST(SwitchingColumns, AnotherModeAtTheSameAddressIsNotMistaken) {
  std::optional<ShiftedFunctions> functions(std::in_place, 4);
  const IdentityMap model(two_variables());
  const std::vector<std::string> names{"x > 3", "late"};
  SwitchingColumns columns(two_variables(), &*functions, names, true);
  const auto presence = [&] {
    SwitchingWorkspace workspace(*functions);
    const MapWithSwitching map(model, columns, workspace);
    return std::pair(map.present(2), map.present(3));
  };
  EXPECT_EQ(presence(), std::pair(true, false));
  functions.emplace(3);
  EXPECT_EQ(presence(), std::pair(false, false));
  functions.emplace(3, "late");  // as many as before, one of them another
  EXPECT_EQ(presence(), std::pair(false, true));
  functions.emplace(4, "late");
  EXPECT_EQ(presence(), std::pair(true, true));
}

TEST(SwitchingColumns, EvaluatingAllocatesNothing) {
  if (!test::counts_allocations()) GTEST_SKIP() << "allocations are not counted here";
  ShiftedFunctions functions(4);
  SwitchingWorkspace workspace(functions);
  const IdentityMap model(two_variables());
  SwitchingColumns columns(two_variables(), &functions, {{std::string("all")}});
  const std::vector<double> x{10, 20};
  std::vector<double> out(6);
  { const MapWithSwitching first(model, columns, workspace); }  // names are looked up once
  const auto before = test::allocations();
  for (int k = 0; k < 100; ++k) {
    const MapWithSwitching map(model, columns, workspace);
    ASSERT_TRUE(map.values(workspace, 0, x, x, out));
  }
  EXPECT_EQ(test::allocations(), before);
}

// ---- the view ------------------------------------------------------------------------------------------

/// g = (t - 1)(t - 3) of "g > 0": it crosses at 1, which interrupts, and at 3, which only flips its lock.
/// Rows every half second, or the two steps.
Solution parabola(bool rows, bool steps, bool backward = false) {
  Solution solution;
  const double sign = backward ? -1 : 1;
  TrajectoryRecorder recorder({{"g > 0", "", "", false}});
  const auto g = [](double u) { return (u - 1) * (u - 3); };
  const auto stretch = [&](double from, double to) {
    recorder.begin_segment("", sign * from);
    const double h = to - from;  // of s: g(from) + h (2 from - 4) s + h^2 s^2
    const std::vector<double> c{g(from), h * (2 * from - 4), h * h};
    if (steps) recorder.add_step(test::polynomial(sign * from, sign * to, c));
    for (double u = from; rows && u <= to; u += 0.5)
      recorder.add_row(sign * u, std::vector<double>{g(u)});
  };
  stretch(0, 1);
  stretch(1, 4);
  solution.trajectory = recorder.take();
  solution.event_log.add({.t = sign}, {test::made_event("g > 0", EventKind::state, sign, -1)},
                         true);
  solution.event_log.add({.t = sign}, {test::made_event("other", EventKind::state, sign, 1)}, true);
  solution.event_log.add({.t = sign * 3}, {test::made_event("g > 0", EventKind::lock, sign * 3, 1)},
                         true);
  solution.report.switches = {{.name = "g > 0"}, {.name = "h > 0"}};
  return solution;
}

TEST(Switching, EveryRowHasItsValueAndTheTimeLeft) {
  for (const bool backward : {false, true}) {
    const double sign = backward ? -1 : 1;
    const SwitchingView view = parabola(true, false, backward).switching("g > 0");
    EXPECT_EQ(view.name, "g > 0");
    const std::vector<double> t{0, 0.5, 1, 1, 1.5, 2, 2.5, 3, 3.5, 4};
    ASSERT_EQ(view.times.size(), t.size());
    for (std::size_t k = 0; k < t.size(); ++k) {
      EXPECT_EQ(view.times[k], sign * t[k]);
      EXPECT_EQ(view.g[k], (t[k] - 1) * (t[k] - 3));
      // The third row ends at the crossing, the fourth begins there.
      const double next = k <= 2 ? 1 : 3;
      if (t[k] > 3) {
        EXPECT_FALSE(view.next_event[k] || view.margin[k]);
      } else {
        EXPECT_EQ(view.next_event[k], sign * next) << k;
        EXPECT_EQ(view.margin[k], next - t[k]) << k;
      }
    }
  }
}

TEST(Switching, TheNearestMissIsNoCrossing) {
  // |g| falls from the begin of the run, stops falling at crossings only, and rises at its end.
  for (const bool steps : {false, true})
    EXPECT_FALSE(parabola(true, steps).switching("g > 0").nearest_miss);
  // Twin: had the crossings not been logged, they would be misses.
  Solution silent = parabola(true, true);
  silent.event_log = {};
  EXPECT_EQ(silent.switching("g > 0").nearest_miss->g, 0);
}

TEST(Switching, ADipBetweenRowsIsSeenInSteps) {
  TrajectoryRecorder recorder({{"g > 0", "", "", false}});
  recorder.begin_segment("", 0);
  // 1 - 3.84 s (1 - s): 0.04 at s = 1/2.
  recorder.add_step(test::polynomial(0, 2, {1, -3.84, 3.84}));
  recorder.add_row(0, std::vector<double>{1});
  recorder.add_row(2, std::vector<double>{1});
  Solution solution;
  solution.trajectory = recorder.take();
  solution.report.switches = {{.name = "g > 0"}};
  const auto miss = solution.switching("g > 0").nearest_miss;
  ASSERT_TRUE(miss);
  EXPECT_EQ(miss->t, 1);
  EXPECT_NEAR(miss->g, 0.04, 4 * std::numeric_limits<double>::epsilon());  // sums of size 1
}

TEST(Switching, AnEventOfAnotherRelationIsNoMiss) {
  TrajectoryRecorder recorder({{"g > 0", "", "", false}});
  recorder.begin_segment("", 0);
  recorder.add_row(0, std::vector<double>{3});
  recorder.add_row(1, std::vector<double>{2});  // still falling where the other one interrupts
  recorder.begin_segment("", 1);
  recorder.add_row(1, std::vector<double>{2});
  recorder.add_row(2, std::vector<double>{1.5});
  recorder.add_row(3, std::vector<double>{4});
  Solution solution;
  solution.trajectory = recorder.take();
  solution.report.switches = {{.name = "g > 0"}};
  EXPECT_EQ(solution.switching("g > 0").nearest_miss->g, 1.5);
}

TEST(Switching, RowsWithoutTheRelationAreLeftOut) {
  TrajectoryRecorder recorder({{"g > 0", "", "", false}});
  recorder.begin_segment("", 0, {0});
  recorder.add_row(0, std::vector<double>{0});
  recorder.begin_segment("", 1, {1});
  recorder.add_row(1, std::vector<double>{5});
  recorder.add_row(2, std::vector<double>{4});
  Solution solution;
  solution.trajectory = recorder.take();
  solution.report.switches = {{.name = "g > 0"}};
  const SwitchingView view = solution.switching("g > 0");
  EXPECT_EQ(view.times, (std::vector<double>{1, 2}));
  EXPECT_EQ(view.g, (std::vector<double>{5, 4}));
  EXPECT_EQ(view.nearest_miss->g, 4);  // not the 0 that stands for nothing
}

TEST(Switching, WhatWasNotRecordedIsRefusedWithAWayOut) {
  const Solution solution = parabola(true, true);
  const auto refused = [](const Solution& s, std::string_view name) {
    return refusal_of([&] { static_cast<void>(s.switching(name)); });
  };
  EXPECT_EQ(
      refused(solution, "h > 0"),
      "the switching function of 'h > 0' was not recorded: set the option output.switching to "
      "its name or to \"all\"");
  EXPECT_NE(refused(solution, "g >0").find("did you mean 'g > 0'?"), std::string::npos);
  Solution smooth = solution;
  smooth.report.switches.clear();  // a column of that name is a variable then
  EXPECT_NE(refused(smooth, "g > 0").find("the model does not switch"), std::string::npos);
  TrajectoryRecorder recorder({{"late", "", std::string(switching_description), false, true}});
  recorder.begin_segment("first", 0, {0});
  recorder.add_row(0, std::vector<double>{0});
  Solution elsewhere;  // asked for, but no mode of the run has it
  elsewhere.trajectory = recorder.take();
  EXPECT_TRUE(elsewhere.switching("late").times.empty());
  EXPECT_FALSE(elsewhere.switching("late").nearest_miss);
  Solution counted = solution;
  counted.event_log.add({}, {test::made_event("g > 0", EventKind::state, 3.5, 1)}, false);
  EXPECT_NE(refused(counted, "g > 0").find("events.keep"), std::string::npos);
  EXPECT_EQ(refused(solution, "g > 0"), "");
}

}  // namespace
}  // namespace saltus
