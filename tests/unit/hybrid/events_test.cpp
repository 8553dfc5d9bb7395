// The controller on hand-written systems that switch.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/hybrid.hpp>
#include <saltus/system.hpp>

namespace saltus {
namespace {

using HybridRun = Run;

Solution run_of(SystemFunctions functions, RunOptions options) {
  auto source = std::make_shared<SingleConfiguration>(make_system(std::move(functions)), "test");
  HybridRun run("test", source, std::move(options));
  while (run.advance()) {
  }
  return run.finish();
}

SystemFunctions ball_of(double restitution) {
  SystemFunctions f;
  f.unknowns = {{"y", 10.0}, {"v", 0.0}};
  f.derivative = [](double, auto x, auto xdot) {
    xdot[0] = x[1];
    xdot[1] = -9.81;
  };
  f.switches = {{"y > 0", false}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0]; };
  f.actions = {
      {.name = "bounce",
       .trigger = "y > 0",
       .when = FunctionAction::When::falling,
       .set = [restitution](double, auto x, auto after) { after[1] = -restitution * x[1]; },
       .targets = {"v"}}};
  return f;
}

double impact(int n, double e) {
  const double first = std::sqrt(2 * 10.0 / 9.81);
  return first * (1 + e - 2 * std::pow(e, n)) / (1 - e);
}

class ControllerEngines : public testing::TestWithParam<EngineKind> {};
INSTANTIATE_TEST_SUITE_P(All, ControllerEngines,
                         testing::Values(EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                         EngineKind::ida),
                         [](const auto& engine) { return std::string(name(engine.param)); });

TEST_P(ControllerEngines, ABallBouncesAtItsTimes) {
  const Solution solution =
      run_of(ball_of(0.8), {.t_end = 10.0, .rtol = 1e-8, .atol = 1e-8, .engine = GetParam()});
  ASSERT_TRUE(solution.ok()) << solution.report.message;
  std::vector<double> times;
  for (const Event& e : solution.events()) {
    if (e.kind == EventKind::state) times.push_back(e.t);
  }
  ASSERT_EQ(times.size(), 7u);
  const double allowed = GetParam() == EngineKind::ida ? 5000 * 1e-8 : 300 * 1e-8;
  for (int n = 1; n <= 7; ++n)
    EXPECT_NEAR(times[static_cast<std::size_t>(n - 1)], impact(n, 0.8), allowed);
}

TEST_P(ControllerEngines, AccumulatingEventsEndTheRunAtTheirLimit) {
  const Solution solution =
      run_of(ball_of(0.8), {.t_end = 20.0, .rtol = 1e-10, .atol = 1e-10, .engine = GetParam()});
  EXPECT_EQ(solution.report.outcome, Outcome::accumulation);
  EXPECT_NE(solution.report.message.find("accumulate"), std::string::npos)
      << solution.report.message;
}

TEST_P(ControllerEngines, ARelationThatIsLockedSwitchesItsBranch) {
  // x' = 1 below x = 1, x' = -2 x above... passed once, at t = 1.
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) { xdot[0] = locks[0] ? 0.5 : 1.0; };
  f.switches = {{"x > 1"}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0] - 1.0; };
  const Solution solution = run_of(f, {.t_end = 3.0, .engine = GetParam()});
  ASSERT_TRUE(solution.ok()) << solution.report.message;
  ASSERT_EQ(solution.events().size(), 1u);
  EXPECT_NEAR(solution.events()[0].t, 1.0, 1e-6);
  EXPECT_NEAR(solution.final("x"), 2.0, 1e-5);
}

TEST_P(ControllerEngines, WithoutLocksNoPointBeyondTheSurfaceIsEvaluated) {
  double highest_while_below = 0.0;
  bool crossed = false;
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}};
  f.derivative = [&](double, auto x, auto xdot) {
    if (x[0] > 1) crossed = true;
    if (!crossed) highest_while_below = std::max(highest_while_below, x[0]);
    xdot[0] = x[0] > 1 ? 0.5 : 1.0 + 0.1 * x[0];
  };
  f.switches = {{"x > 1"}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0] - 1.0; };
  const Solution solution = run_of(f, {.t_end = 3.0, .engine = GetParam()});
  ASSERT_TRUE(solution.ok()) << solution.report.message;
  ASSERT_EQ(solution.events().size(), 1u) << to_text(solution.event_log);
  EXPECT_NEAR(solution.events()[0].t, 10 * std::log(1.1), 1e-5);
  EXPECT_LE(highest_while_below, 1.0);
}

TEST(ControllerEvents, BothSidesOfASurfaceThatLeadBackAreFollowedOnIt) {
  SystemFunctions f;
  f.unknowns = {{"x", 1.0}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) {
    xdot[0] = locks[0] ? -1.0 : 1.0;
  };
  f.switches = {{"x > 0"}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0]; };
  const Solution solution = run_of(f, {.t_end = 3.0, .engine = EngineKind::dopri5});
  ASSERT_TRUE(solution.ok()) << solution.report.message;
  ASSERT_EQ(solution.events().size(), 1u);
  EXPECT_EQ(solution.events()[0].kind, EventKind::enter_sliding);
  EXPECT_NEAR(solution.events()[0].t, 1.0, 1e-8);
  EXPECT_EQ(solution.trajectory.segments().back().sliding, std::vector<std::string>{"x > 0"});

  // With a hysteresis it is a model that chatters on purpose.
  const Solution wide = run_of(
      f, {.t_end = 3.0, .engine = EngineKind::dopri5, .events = {.hysteresis = {{"x > 0", 0.1}}}});
  ASSERT_TRUE(wide.ok()) << wide.report.message;
  EXPECT_EQ(wide.events().size(), 10u);  // at t = 1.1, then every 0.2
}

}  // namespace
}  // namespace saltus
