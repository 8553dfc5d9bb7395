// Models that switch, from the text to the events of a run.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/model.hpp>
#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr double run_tolerance = 1e-8;
// Errors of several stretches add up and are divided by the slope at which a surface is met.
constexpr double time_tolerance = 300 * run_tolerance;

struct Happening {
  double t;
  std::string name;
};

std::vector<Happening> happenings(const Solution& s) {
  EXPECT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  std::vector<Happening> all;
  for (const Event& e : s.events()) all.push_back({e.t, e.name});
  return all;
}

RunOptions precise(double t_end, EngineKind engine) {
  RunOptions options;
  options.t_end = t_end;
  options.engine = engine;
  options.rtol = options.atol = run_tolerance;
  return options;
}

std::vector<Happening> pendulum_events(double brake, EngineKind engine, ReductionKind reduction) {
  Model m("pendulum");
  Expr x = m.state("x", 0.6), y = m.state("y", -0.8);
  Expr vx = m.state("vx", 0.0), vy = m.state("vy", 0.0);
  Expr force = m.algebraic("force", {.guess = 8.0}), n = m.discrete("n", 0.0);
  const Expr drag = where(x > 0.0, Expr(brake), Expr(0.0));
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(vx) == -force * x - drag * vx);
  m.equation(der(vy) == -force * y - 9.81 - drag * vy);
  m.equation("rod", x * x + y * y == 1.0);
  m.output("strong", where(force > 10.0, Expr(1.0), Expr(0.0)));
  m.when("turn", x < -0.3, {reinit(vx, -pre(vx)), reinit(vy, -pre(vy)), {n, pre(n) + 1.0}});
  RunOptions options = precise(3.0, engine);
  options.reduction = reduction;
  return happenings(simulate(m, options));
}

TEST(SwitchingRuns, APendulumHasTheSameEventsInEveryForm) {
  const auto reference = pendulum_events(0.5, EngineKind::radau, ReductionKind::structure);
  ASSERT_EQ(reference.size(), 12u);
  const auto largest_difference = [&](const std::vector<Happening>& other) {
    double largest = 0.0;
    EXPECT_EQ(other.size(), reference.size());
    for (std::size_t i = 0; i < std::min(other.size(), reference.size()); ++i) {
      EXPECT_EQ(other[i].name, reference[i].name);
      largest = std::max(largest, std::abs(other[i].t - reference[i].t));
    }
    return largest;
  };
  using R = ReductionKind;
  EXPECT_LT(largest_difference(pendulum_events(0.5, EngineKind::ida, R::structure)),
            10 * time_tolerance);
  EXPECT_LT(largest_difference(pendulum_events(0.5, EngineKind::radau, R::ranks)), time_tolerance);
  EXPECT_LT(largest_difference(pendulum_events(0.5, EngineKind::dop853, R::automatic)),
            time_tolerance);
  // The twin: another brake, other times.
  EXPECT_GT(largest_difference(pendulum_events(0.501, EngineKind::radau, R::structure)),
            10 * time_tolerance);
}

TEST(SwitchingRuns, AGuardOfADerivativeIsMetWhereTheEquationSays) {
  // v^3 + v = -x with v = x': from v = -1 on, t = 3/2 (1 - v^2) - ln(-v).
  const auto time_of = [](double v) { return 1.5 * (1.0 - v * v) - std::log(-v); };
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("m");
    Expr x = m.state("x", 2.0, {.derivative_guess = -1.0}), y = m.state("y", 0.0);
    m.equation(der(x) * der(x) * der(x) + der(x) == -x);
    m.equation(der(y) == where(der(x) > -0.5, Expr(1.0), Expr(-1.0)));
    const auto events = happenings(simulate(m, precise(3.0, engine)));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_NEAR(events[0].t, time_of(-0.5), time_tolerance);
    EXPECT_GT(std::abs(events[0].t - time_of(-0.50001)), time_tolerance);
  }
}

TEST(SwitchingRuns, ChangesFollowEachOtherWithoutTimePassing) {
  Model m("m");
  Expr x = m.state("x", 2.0), y = m.state("y", 0.0), d = m.discrete("d", 1.0);
  m.equation(der(x) == -x * d);
  m.equation(der(y) == 0.0 * x);
  m.when("faster", x < 1.0, {{d, 2.0}});
  m.when("follow", change(d), {reinit(y, 5.0)});
  const Solution s = simulate(m, precise(2.0, EngineKind::dop853));
  const auto events = happenings(s);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].name, "faster");
  EXPECT_EQ(events[2].name, "follow");
  EXPECT_EQ(events[2].t, events[0].t);
  EXPECT_NEAR(events[0].t, std::log(2.0), time_tolerance);
  EXPECT_EQ(s.at("y", 2.0), 5.0);
  EXPECT_EQ(s.at("d", 2.0), 2.0);
  EXPECT_EQ(s.at("d", 0.1), 1.0);
}

}  // namespace
}  // namespace saltus
