// Runs that begin exactly on a threshold. The rule: a condition is false at the start if it says so of the values there;
// if it is true just after, it becomes true at the start, and what waits for it happens there.
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

#include "problems/surface_starts.hpp"

namespace saltus {
namespace {

RunOptions threshold_options(EngineKind engine = EngineKind::automatic) {
  RunOptions o;
  o.t_end = 1.0;
  o.engine = engine;
  return o;
}

TEST(StartsOnThresholds, AConditionThatBecomesTrueThereFires) {
  for (const bool dae : {false, true}) {
    Model m("start");
    const Expr x = m.state("x", 1.0), n = m.discrete("n", 0.0), k = m.discrete("k", 0.0);
    m.equation(der(x) == -1.0);
    if (dae) m.equation(m.algebraic("y") == x + n);
    m.when("below", x < 1.0, {{n, pre(n) + 1.0}});
    m.when("not above", x <= 1.0, {{k, pre(k) + 1.0}});
    const Solution s = simulate(m, threshold_options());
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.final("n"), 1.0) << to_text(s.event_log);
    EXPECT_EQ(s.final("k"), 0.0);  // it holds from the start
    for (const Event& e : s.events()) EXPECT_EQ(e.t, 0.0) << e.name;
    int n_told = 0;
    for (const DecisionRecord& c : s.report.choices)
      n_told += c.reason.find("holds from the start") != std::string::npos;
    EXPECT_EQ(n_told, 1);
  }
}

TEST(StartsOnThresholds, ABallThatIsThrownDownBouncesAtOnce) {
  Model m("ball");
  const Expr h = m.state("h", 0.0), v = m.state("v", -1.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.when("bounce", h < 0.0, {{v, -pre(v)}});
  RunOptions o = threshold_options();
  o.t_end = 0.1;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("h"), 0.1 - 9.81 * 0.005, 1e-6);
}

TEST(StartsOnThresholds, ATerminationEndsTheRunThere) {
  Model m("end");
  const Expr x = m.state("x", 1.0);
  m.equation(der(x) == -1.0);
  m.terminate_when("low", x < 1.0);
  const Solution s = simulate(m, threshold_options());
  EXPECT_EQ(s.report.outcome, Outcome::terminal_event) << s.report.message;
  EXPECT_EQ(s.report.t_reached, 0.0);
}

/// z follows x: x > 0 chooses which way z goes, and z > 0 which way y does.
TEST(StartsOnThresholds, OneMotionDecidesTheNext) {
  Model m("chain");
  const Expr t = m.time(), x = m.state("x", 0.0), z = m.state("z", 0.0), y = m.state("y", 0.0);
  m.equation(der(x) == 2.0 * t);
  m.equation(der(z) == where(x > 0, 2.0 * t, -2.0 * t));
  m.equation(der(y) == where(z > 0, Expr(2.0), Expr(1.0)));
  const Solution s = simulate(m, threshold_options());
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_TRUE(s.events().empty());
  EXPECT_NEAR(s.final("y"), 2.0, 1e-9);  // linear: rounding alone
}

/// A hysteresis waits until the function is that far beyond its surface, also at the start.
TEST(StartsOnThresholds, AHysteresisWaits) {
  Model m("hysteresis");
  const Expr x = m.state("x", 0.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == 2.0 * m.time());
  m.when("it", x > 0, {{n, pre(n) + 1.0}});
  RunOptions o = threshold_options();
  o.events.hysteresis = {{"x > 0", 0.25}};
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.event_times("it").size(), 1U);
  EXPECT_NEAR(s.event_times("it")[0], 0.5, 1e-5);  // t^2 = 0.25, to ten tolerances of x
}

/// The start that a sensitivity compares with is decided by the motion as well.
TEST(StartsOnThresholds, SensitivitiesSeeTheSameStart) {
  Model m("sensitive");
  const Expr x = m.state("x", 0.0), n = m.discrete("n", 0.0), v = m.state("v", 1.0);
  m.equation(der(x) == 2.0 * m.time());
  m.equation(der(v) == -v);
  m.when("it", x > 0, {{n, pre(n) + 1.0}});
  RunOptions o = threshold_options();
  o.sensitivities = {"v"};
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
}

/// Clauses, terminations, transitions, assertions and branches, on what leaves its level along t, t^2 or t^3, or stays
/// there.
TEST(StartsOnThresholds, WhatIsTrueJustAfterIsDecidedByTheMotion) {
  std::mt19937_64 random(20261118);
  for (int k = 0; k < 600; ++k) {
    const problems::SurfaceStart start = problems::random_surface_start(random);
    const auto acted = problems::run_surface_start(start);
    const std::string who = std::to_string(k) + ": reaction " +
                            std::to_string(static_cast<int>(start.reaction)) + ", " +
                            to_text(start.speed) + " t^" + std::to_string(start.power);
    ASSERT_TRUE(acted) << who << ", " << acted.failure().message;
    EXPECT_EQ(*acted, start.acts()) << who;
  }
}

}  // namespace
}  // namespace saltus
