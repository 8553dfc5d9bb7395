#include <gtest/gtest.h>

#include <cmath>

#include "unit/integrate/ida_problems.hpp"

namespace saltus::test::ida {
namespace {

/// Slope of log(error) against log(tolerance), least squares over whole decades.
double tolerance_slope(const InitialValueProblem& problem, int from, int to) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int decade = from; decade <= to; ++decade) {
    const double tol = std::pow(10.0, -decade);
    IdaRun run(problem, tolerance(tol, tol));
    const double x = -decade, y = std::log10(run.largest_error());
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// One run is off by a factor of up to 10 either way; over five decades that moves the slope by 0.2.
constexpr double slope_scatter = 0.25;

TEST(IdaAccuracy, ErrorFollowsToleranceOnAnOde) {
  // Without damping local errors add up. With h^6 ~ tol per step at order 5 and 1/h steps the sum is
  // ~ tol^(5/6).
  EXPECT_NEAR(tolerance_slope(oscillator(), 4, 9), 5.0 / 6.0, slope_scatter);
}

TEST(IdaAccuracy, ErrorFollowsToleranceOnADae) {
  EXPECT_NEAR(tolerance_slope(index_one(), 4, 9), 1.0, slope_scatter);
}

TEST(IdaAccuracy, SlopeSeesAnEngineThatIgnoresItsTolerance) {
  // Order 1 at a fixed largest step: the error stays where it is.
  double error[2];
  for (int i = 0; i < 2; ++i) {
    EngineOptions options = tolerance(i == 0 ? 1e-1 : 1e-2, 1.0);
    options.max_order = 1;
    options.max_step = 1e-2;
    IdaRun run(oscillator(), options);
    ASSERT_TRUE(run.finish());
    error[i] = run.error();
  }
  EXPECT_GT(std::abs(std::log10(error[0] / error[1]) - 1.0), slope_scatter);
}

// Global errors of stiff problems are multiples of the tolerance: for BDF a few tens.
constexpr double global_factor = 50.0;

TEST(IdaAccuracy, Robertson) {
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    // y2 stays below 4e-5: its absolute tolerance has to be small.
    EngineOptions options = tolerance(rtol, 1.0);
    options.atol = {rtol, 1e-5 * rtol, rtol};
    IdaRun run(robertson(), options);
    ASSERT_TRUE(run.finish()) << run.failure().message;
    for (const std::size_t i : {0u, 1u}) {
      const double expected = run.problem().x_end[i];
      EXPECT_NEAR(run->x()[i], expected, global_factor * rtol * expected) << rtol;
    }
  }
}

TEST(IdaAccuracy, VanDerPolWithAStiffnessOfAMillion) {
  for (const double tol : {1e-4, 1e-6, 1e-8}) {
    IdaRun run(van_der_pol(), tolerance(tol, tol));
    ASSERT_TRUE(run.finish()) << run.failure().message;
    EXPECT_LT(run.error(), global_factor * tol);
  }
}

TEST(IdaAccuracy, TransistorAmplifierWithASingularMatrixOfDerivatives) {
  for (const double tol : {1e-4, 1e-6, 1e-8}) {
    IdaRun run(transistor_amplifier(), tolerance(tol, tol));
    ASSERT_TRUE(run.finish()) << run.failure().message;
    EXPECT_LT(run.error(), 2 * global_factor * tol);
  }
}

TEST(IdaAccuracy, BackwardInTime) {
  for (auto problem : {oscillator(), index_one()}) {
    std::swap(problem.t0, problem.t_end);
    std::swap(problem.x0, problem.x_end);
    problem.xdot0 = {problem.x0[1], problem.t0 == 10.0 ? -std::sin(10.0) : 0.0};
    if (problem.x_end[0] == 1.0) problem.xdot0[1] = -problem.x0[0];  // the oscillator
    IdaRun run(problem, tolerance(1e-7, 1e-7));
    ASSERT_TRUE(run.finish()) << run.failure().message;
    EXPECT_EQ(run->t(), 0.0);
    // Backward the DAE's error grows like exp(10/(3 cos^2 + 1)) at most, mean exp(5).
    EXPECT_LT(run.error(), global_factor * 150 * 1e-7);
  }
}

TEST(IdaAccuracy, SlopesAtTheBoundSatisfyTheEquations) {
  // Read from its polynomial x' would be off by the tolerance over the step.
  IdaRun run(index_one(), tolerance(1e-5, 1e-5));
  for (const double bound : {1.0, 2.0, 3.0, 4.0}) {
    ASSERT_TRUE(run.to(bound));
    // x' = z up to what Newton's iteration leaves, cj times a fraction of the tolerance of x
    const double h = std::abs(run->work().last_step);
    const double newton = 0.03 * (1e-5 + 1e-5) * 5 / h;
    const double off = std::abs(run->xdot()[0] - run->x()[1]);
    EXPECT_LT(off, newton) << bound;
    const StepPolynomial step = run->last_step();
    EXPECT_GT(std::abs(step.slope(0, bound) - run->x()[1]), off) << "twin: the polynomial's slope";
  }
}

}  // namespace
}  // namespace saltus::test::ida
