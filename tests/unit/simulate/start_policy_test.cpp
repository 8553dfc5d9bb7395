// Start values that are not consistent, by policy.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

/// x' = u, … with x^2 + y^2 = 1; starts at (x, -0.6) at rest.
Solution run_pendulum_from(double x_start, StartPolicy policy) {
  Model m("pendulum");
  Expr x = m.state("x", x_start), y = m.state("y", -0.6), u = m.state("u", 0.0),
       v = m.state("v", 0.0), lambda = m.algebraic("lambda");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -lambda * x);
  m.equation(der(v) == -lambda * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  RunOptions o{.t_end = 0.1};
  o.start = policy;
  return simulate(m, o);
}

bool reports_start_of(const Solution& s, const std::string& name) {
  for (const DecisionRecord& d : s.report.choices) {
    if (d.name == "start value of " + name) return true;
  }
  return false;
}

TEST(StartPolicies, CheckRefusesWhatKeepMoves) {
  const Solution kept = run_pendulum_from(0.9, StartPolicy::keep);
  ASSERT_TRUE(kept.ok()) << kept.report.message;
  EXPECT_TRUE(reports_start_of(kept, "x"));
  const Solution refused = run_pendulum_from(0.9, StartPolicy::check);
  EXPECT_EQ(refused.report.outcome, Outcome::not_started);
  EXPECT_NE(refused.report.message.find("equation 'rod' is left at"), std::string::npos)
      << refused.report.message;
  EXPECT_NE(refused.report.message.find("'x' is 0.9"), std::string::npos);
}

TEST(StartPolicies, CheckLetsConsistentValuesPass) {
  const Solution s = run_pendulum_from(0.8, StartPolicy::check);
  EXPECT_TRUE(s.ok()) << s.report.message;
  EXPECT_FALSE(reports_start_of(s, "x"));
}

/// Two capacitors of 1 F and 3 F, of index 2: the first value of v1.
double common_voltage(StartPolicy policy) {
  Model m("capacitors");
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 2.0), i = m.algebraic("i");
  m.equation(der(v1) == i);
  m.equation(3.0 * der(v2) == -i);
  m.equation("parallel", v1 == v2);
  RunOptions o{.t_end = 0.1};
  o.start = policy;
  const Solution s = simulate(m, o);
  EXPECT_TRUE(s.ok()) << s.report.message;
  EXPECT_TRUE(reports_start_of(s, "v1"));
  return s.ok() ? s.final("v1") : 0.0;
}

TEST(StartPolicies, LeastSquaresIsTheNearestPointAndKeepIsNot) {
  // Nothing moves after the start: rounding and the tolerance of the run remain.
  EXPECT_NEAR(common_voltage(StartPolicy::least_squares), 6.0, 1e-6);
  EXPECT_GT(std::abs(common_voltage(StartPolicy::keep) - 6.0), 0.5);
}

/// Pairs of capacitors as above, too many for an analysis of ranks: reduced by structure alone.
Solution run_many_capacitors(StartPolicy policy, EngineKind engine) {
  Model m("many capacitors");
  for (int k = 0; k < 15; ++k) {
    const std::string number = std::to_string(k);
    Expr v1 = m.state("v1_" + number, 10.0), v2 = m.state("v2_" + number, 2.0);
    Expr i = m.algebraic("i_" + number);
    m.equation(der(v1) == i);
    m.equation(3.0 * der(v2) == -i);
    m.equation(v1 == v2);
  }
  RunOptions o{.t_end = 0.1};
  o.start = policy;
  o.engine = engine;
  return simulate(m, o);
}

TEST(StartPolicies, LeastSquaresAreUsedByReductionsThatKnowStructureOnly) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    const Solution nearest = run_many_capacitors(StartPolicy::least_squares, engine);
    ASSERT_TRUE(nearest.ok()) << nearest.report.message;
    for (const char* name : {"v1_0", "v2_0", "v1_14", "v2_14"})
      EXPECT_NEAR(nearest.at(name, 0.0), 6.0, 1e-6) << name;
    // What is reported is used: one account of each start value.
    int n_told = 0;
    for (const DecisionRecord& d : nearest.report.choices)
      n_told += d.name == "start value of v1_0";
    EXPECT_EQ(n_told, 1);
    const Solution kept = run_many_capacitors(StartPolicy::keep, engine);
    ASSERT_TRUE(kept.ok()) << kept.report.message;
    EXPECT_GT(std::abs(kept.at("v1_0", 0.0) - 6.0), 0.5);
  }
}

TEST(StartPolicies, LeastSquaresMoveVelocitiesOfSecondDerivativesToo) {
  // x'' = f, y'' = -f with x' = y': both velocities become their mean. Written with derivatives of derivatives, whose
  // unknowns another system has in another order; many copies, for the same reason as above.
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("coupled velocities");
    for (int k = 0; k < 10; ++k) {
      const std::string number = std::to_string(k);
      Expr y = m.state("y" + number, 0.0, {.derivative_start = 3.0});
      Expr x = m.state("x" + number, 0.0, {.derivative_start = 1.0});
      Expr force = m.algebraic("force" + number);
      Expr vx = der(x), vy = der(y);
      m.equation(der(vx) == force);
      m.equation(der(vy) == -force);
      m.equation(vx == vy);
    }
    RunOptions o{.t_end = 1.0};
    o.start = StartPolicy::least_squares;
    o.engine = engine;
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("x0"), 2.0, 1e-4);
    EXPECT_NEAR(s.final("y9"), 2.0, 1e-4);
  }
}

bool warns_of(const Solution& s, const std::string& words) {
  for (const std::string& warning : s.report.warnings)
    if (warning.find(words) != std::string::npos) return true;
  return false;
}

/// Capacitors of 1 and 3 F that are joined at the start, the first at 10 V.
Solution joined_capacitors(const Attributes& second) {
  Model m("capacitors");
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", second), i = m.algebraic("i");
  m.equation(der(v1) == -i);
  m.equation(3.0 * der(v2) == i);
  m.equation(v1 == v2);
  RunOptions options{.t_end = 0.1};
  options.start = StartPolicy::impulse;
  return simulate(m, options);
}

TEST(StartPolicies, ImpulsesOfTheStartAreReported) {
  const Solution s = joined_capacitors({.start = 2.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("v1", 0.0), 4.0, 1e-9);
  EXPECT_TRUE(warns_of(s, "impulses (i 6)")) << to_text(s.report);
  EXPECT_TRUE(warns_of(s, "'v1' from 10 to 4"));
}

TEST(StartPolicies, GuessesGiveWayBeforeImpulsesAreNeeded) {
  const Solution s = joined_capacitors({.guess = 2.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("v2", 0.0), 10.0, 1e-9);
  EXPECT_FALSE(warns_of(s, "impulses"));
}

}  // namespace
}  // namespace saltus
