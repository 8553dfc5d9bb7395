// Equations that follow from others, and what happens when they cease to; unknowns nothing determines.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind both_engines[] = {EngineKind::ida, EngineKind::radau};
constexpr double drift_rate = 1e-6;

/// A pendulum with its rod twice, the second one longer by drift_rate t^power / 2 (squared lengths).
Solution run_with_drift(EngineKind engine, double tolerance, int power, double t_end,
                        RedundantEquations redundant = RedundantEquations::refuse) {
  Model m("pendulum");
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr force = m.algebraic("lambda_1") + m.algebraic("lambda_2");
  m.equation("x", der(x) == u);
  m.equation("y", der(y) == v);
  m.equation("u", der(u) == -force * x);
  m.equation("v", der(v) == -force * y - 9.81);
  Expr drift = power == 0 ? Expr(0.0) : drift_rate * pow(m.time(), power);
  m.equation("rod", x * x + y * y == 1.0);
  m.equation("rod again", 2.0 * x * x + 2.0 * y * y == 2.0 + drift);
  return simulate(m, {.t_end = t_end,
                      .rtol = tolerance,
                      .atol = tolerance,
                      .engine = engine,
                      .redundant = redundant});
}

bool names_both(const std::string& message) {
  return message.find("'rod'") != std::string::npos &&
         message.find("'rod again'") != std::string::npos &&
         message.find("contradict each other from t = ") != std::string::npos;
}

TEST(Redundancy, ADriftingDuplicateIsCaughtByName) {
  for (const EngineKind engine : both_engines) {
    // Its velocity is off by a hundred tolerances from the beginning.
    const Solution tight = run_with_drift(engine, 1e-8, 1, 5.0);
    EXPECT_FALSE(tight.ok());
    EXPECT_TRUE(names_both(tight.report.message)) << tight.report.message;
    // At 1e-4 nothing is wrong before t = 100.
    const Solution loose = run_with_drift(engine, 1e-4, 1, 5.0);
    EXPECT_TRUE(loose.ok()) << loose.report.message;
    // Twin: without drift there is nothing to catch.
    const Solution exact = run_with_drift(engine, 1e-8, 0, 5.0);
    EXPECT_TRUE(exact.ok()) << exact.report.message;
  }
}

TEST(Redundancy, ADuplicateThatLeavesLaterEndsTheRunThere) {
  for (const EngineKind engine : both_engines) {
    double reached[2];
    for (const int k : {0, 1}) {
      const Solution s = run_with_drift(engine, k == 0 ? 1e-8 : 1e-5, 6, 10.0);
      EXPECT_EQ(s.report.outcome, Outcome::failed);
      EXPECT_TRUE(names_both(s.report.message)) << s.report.message;
      reached[k] = s.report.t_reached;
      EXPECT_EQ(s.trajectory.t_end(), reached[k]);
    }
    // The second derivative counts, 15 drift_rate t^4 in Taylor coefficients: times of equal sizes in
    // units of the tolerance differ by a factor 1000^(1/4); by 1000^(1/6) if it were the drift itself.
    EXPECT_GT(reached[0], 0.0);
    EXPECT_GT(reached[1] / reached[0], std::pow(1000, 1.0 / 6) / 1.2);
    EXPECT_LT(reached[1] / reached[0], std::pow(1000, 1.0 / 4) * 1.2);
  }
}

TEST(Redundancy, LeastSquaresGoOnAndTheReportSaysHowMuchIsLeft) {
  constexpr double t_end = 3.0;
  for (const EngineKind engine : both_engines) {
    const Solution s = run_with_drift(engine, 1e-7, 6, t_end, RedundantEquations::least_squares);
    ASSERT_TRUE(s.ok()) << s.report.message;
    const double x = s.final("x"), y = s.final("y");
    // Between the two rods, of length one and of length 1 + drift / 2.
    const double longer = drift_rate * std::pow(t_end, 6) / 2;
    EXPECT_GT(x * x + y * y - 1, 0.3 * longer);
    EXPECT_LT(x * x + y * y - 1, 0.7 * longer);
    std::string recorded;
    for (const DecisionRecord& d : s.report.choices) {
      if (d.name == "redundant equations") recorded = d.given + d.reason;
    }
    EXPECT_NE(recorded.find("'rod again'"), std::string::npos);
    EXPECT_NE(recorded.find("times the tolerance"), std::string::npos);
  }
}

TEST(Redundancy, UndeterminedUnknownsChangeLittleOrStaySmall) {
  const auto multipliers = [](UndeterminedUnknowns undetermined, EngineKind engine) {
    Model m("pendulum");
    Expr x = m.state("x", 1.0, {.derivative_start = 0.0});
    Expr y = m.state("y", 0.0, {.derivative_start = 0.0});
    Expr one = m.algebraic("one", {.guess = 5.0}), two = m.algebraic("two", {.guess = -5.0});
    m.equation(der(der(x)) == -(one + two) * x);
    m.equation(der(der(y)) == -(one + two) * y - 9.81);
    m.equation("rod", x * x + y * y == 1.0);
    m.allow_unequal_counts();
    RunOptions o{.t_end = 1.0, .rtol = 1e-7, .atol = 1e-7, .engine = engine};
    o.undetermined = undetermined;
    const Solution s = simulate(m, o);
    EXPECT_TRUE(s.ok()) << s.report.message;
    // lambda = 3 g (-y) for a start at rest at y = 0.
    EXPECT_NEAR(s.final("one") + s.final("two"), -3 * 9.81 * s.final("y"), 1e-4);
    return s.final("one") - s.final("two");
  };
  for (const EngineKind engine : both_engines) {
    EXPECT_NEAR(multipliers(UndeterminedUnknowns::minimum_norm, engine), 0.0, 1e-6);
    EXPECT_NEAR(multipliers(UndeterminedUnknowns::minimum_change, engine), 10.0, 1e-3);
  }
}

}  // namespace
}  // namespace saltus
