// Points at which a model ceases to be what it was at the start.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/lower.hpp>
#include <saltus/simulate.hpp>

#include "support/allocation_counter.hpp"

namespace saltus {
namespace {

using HybridRun = Run;  // inside a test, Run is GoogleTest's

constexpr EngineKind watched_engines[] = {EngineKind::ida, EngineKind::radau};

RunOptions watched(EngineKind engine, double tolerance, double t_end) {
  return {.t_end = t_end, .rtol = tolerance, .atol = tolerance, .engine = engine};
}

void expect_found(const Solution& s, double t, double within, const char* name_of_equation) {
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  EXPECT_NEAR(s.report.t_reached, t, within);
  EXPECT_EQ(s.trajectory.t_end(), s.report.t_reached);
  EXPECT_NE(s.report.message.find("singular"), std::string::npos) << s.report.message;
  EXPECT_NE(s.report.message.find(name_of_equation), std::string::npos) << s.report.message;
  EXPECT_NE(s.report.message.find("characteristic values"), std::string::npos) << s.report.message;
}

/// (t - c)^power x' = power' ... with the solution x = t - c, which is smooth through t = c.
Solution through_zero(EngineKind engine, int power, double tolerance) {
  constexpr double c = 0.3;
  Model m("line");
  Expr x = m.state("x", -1.0 - c);
  Expr s = m.time() - c;
  m.equation("ratio", pow(s, power) * der(x) == pow(s, power - 1) * x);
  RunOptions o = watched(engine, tolerance, 1.0);
  o.t_begin = -1.0;
  return simulate(m, o);
}

TEST(SingularPoints, ACoefficientThatPassesThroughZeroIsLocated) {
  for (const EngineKind engine :
       {EngineKind::ida, EngineKind::radau, EngineKind::dopri5, EngineKind::dop853}) {
    for (const double tolerance : {1e-4, 1e-8}) {
      for (const int power : {1, 2}) {
        const Solution s = through_zero(engine, power, tolerance);
        // The last row is where x / (t - 0.3), both known to rounding, is still known to the tolerance: eps / 1e-8, times
        // a margin of 5 for the stages of a step.
        expect_found(s, 0.3, 1e-7, "'ratio'");
        // The coefficient does not depend on x: bisection and minimum are limited by rounding alone.
        EXPECT_NE(s.report.message.find("at t = 0.3"), std::string::npos) << s.report.message;
      }
    }
  }
}

TEST(SingularPoints, ACoefficientThatOnlyBecomesSmallIsNone) {
  for (const EngineKind engine : watched_engines) {
    for (const double least : {1e-2, 1e-3, 1e-8, 1e-10}) {
      Model m("line");
      Expr x = m.state("x", 1.0), t = m.time() - 0.5;
      m.equation("slow", (t * t + least) * der(x) == -(t * t + least) * x);
      const Solution s = simulate(m, watched(engine, 1e-6, 1.0));
      EXPECT_TRUE(s.ok()) << s.report.message;
    }
  }
}

/// 2 x x' = -1, x = sqrt(1 - t): nothing beyond t = 1.
TEST(SingularPoints, AnImpassePointIsExplained) {
  for (const EngineKind engine : watched_engines) {
    Model m("fold");
    Expr x = m.state("x", 1.0), y = m.state("y", 0.0);
    m.equation("fold", 2.0 * x * der(x) == -1.0);
    m.equation("beside", der(y) == x);
    // The engines' own error near the fold is what is left.
    expect_found(simulate(m, watched(engine, 1e-8, 2.0)), 1.0, 1e-5, "'fold'");
  }
}

/// A slider pulls a crank and its rod straight: x = 2 + t / 2 reaches r + l = 3 at t = 2.
TEST(SingularPoints, ASliderDrivenIntoItsDeadPoint) {
  for (const EngineKind engine : watched_engines) {
    Model m("driven slider-crank");
    Expr phi = m.algebraic("phi", {.guess = 1.0}), psi = m.algebraic("psi", {.guess = 0.5});
    m.equation("reach", cos(phi) + 2.0 * cos(psi) == 2.0 + 0.5 * m.time());
    m.equation("height", sin(phi) == 2.0 * sin(psi));
    for (const double tolerance : {1e-4, 1e-8}) {
      expect_found(simulate(m, watched(engine, tolerance, 4.0)), 2.0, 1e-6, "'reach'");
    }
  }
}

/// Crank and rod of equal length: at 90 degrees the slider is at the crank's centre and the rod may turn
/// with the crank. Energy gives the time, an integral over the angle.
TEST(SingularPoints, ASliderCrankOfEqualLengthsAtItsDeadPoint) {
  constexpr double j1 = 1.0, j2 = 0.5, mass = 0.7, angle = 0.3;
  const auto inertia = [](double a) { return j1 + j2 + 4 * mass * std::sin(a) * std::sin(a); };
  const double quarter = std::acos(0.0);
  constexpr int n = 2000;
  double truth = 0.0;
  for (int i = 0; i <= n; ++i) {  // Simpson
    const double a = angle + (quarter - angle) * i / n;
    const int weight = i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2;
    truth += weight * (quarter - angle) / (3 * n) * std::sqrt(inertia(a) / inertia(angle));
  }
  for (const EngineKind engine : watched_engines) {
    Model m("slider-crank");
    Expr phi = m.state("phi", angle), psi = m.state("psi", angle),
         x = m.state("x", 2 * std::cos(angle));
    Expr w = m.state("w", 1.0), s = m.state("s", 1.0), v = m.state("v", -2 * std::sin(angle));
    Expr f = m.algebraic("f"), g = m.algebraic("g");
    m.equation(der(phi) == w);
    m.equation(der(psi) == s);
    m.equation(der(x) == v);
    m.equation("crank", j1 * der(w) == f * sin(phi) - g * cos(phi));
    m.equation("rod", j2 * der(s) == f * sin(psi) + g * cos(psi));
    m.equation("slider", mass * der(v) == f);
    m.equation("reach", cos(phi) + cos(psi) == x);
    m.equation("height", sin(phi) == sin(psi));
    // Forces are worse and worse determined on the way there; Radau stops a little earlier.
    const double within = engine == EngineKind::ida ? 1e-4 : 1e-2;
    expect_found(simulate(m, watched(engine, 1e-6, 3.0)), truth, within, "'height'");
  }
}

/// Allocations per step of a run without output, from the 30th step on.
double allocations_per_step(const Model& m, EngineKind engine) {
  RunOptions o = watched(engine, 1e-7, 100.0);
  o.output.points = OutputPoints::times;
  o.output.times = {100.0};
  o.output.dense = false;
  HybridRun run("watched", compile_model(m.build()), o);
  constexpr int n_first = 30, n_counted = 100;
  for (int k = 0; k < n_first; ++k) EXPECT_TRUE(run.advance()) << run.report().message;
  const long before = test::allocations();
  for (int k = 0; k < n_counted; ++k) EXPECT_TRUE(run.advance());
  return static_cast<double>(test::allocations() - before) / n_counted;
}

TEST(SingularPoints, WatchingNeedsNoMemory) {
  if (!test::counts_allocations()) GTEST_SKIP() << "under a sanitizer";
  for (const EngineKind engine : watched_engines) {
    Model selected("index 1");
    {
      Expr x = selected.state("x", 1.0), z = selected.algebraic("z", {.guess = 1.0});
      selected.equation(der(x) == -z * sin(selected.time()));
      selected.equation(z * z * z + z == x + 1.0);
    }
    EXPECT_EQ(allocations_per_step(selected, engine), 0.0) << name(engine);
    Model projected("capacitor between two nodes");
    {
      Expr a = projected.state("a", 1.0), b = projected.state("b", 0.0);
      projected.equation(der(a) - der(b) == sin(projected.time()) - a);
      projected.equation(a + 2.0 * b == cos(projected.time()));
    }
    EXPECT_EQ(allocations_per_step(projected, engine), 0.0) << name(engine);
    Model reduced("pendulum");
    {
      Expr x = reduced.state("x", 1.0, {.derivative_start = 0.0});
      Expr y = reduced.state("y", 0.0, {.derivative_start = 0.0});
      Expr f = reduced.algebraic("f");
      reduced.equation(der(der(x)) == -f * x);
      reduced.equation(der(der(y)) == -f * y - 9.81);
      reduced.equation("rod", x * x + y * y == 1.0);
    }
    // The choice of states is looked at after every step.
    EXPECT_LT(allocations_per_step(reduced, engine), 40.0) << name(engine);
  }
}

}  // namespace
}  // namespace saltus
