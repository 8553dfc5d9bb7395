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

}  // namespace
}  // namespace saltus
