// The true error follows the tolerance.

#include <gtest/gtest.h>

#include <vector>

#include "unit/integrate/radau_problems.hpp"

namespace saltus::radau_test {
namespace {

struct Measured {
  double error = 0.0;
  WorkCounts work;
};

Measured measure(const RadauProblem& p, double rtol, double atol) {
  RadauRun run(p, {.rtol = rtol, .atol = {atol}});
  const Result<void> done = run.to(p.t1);
  EXPECT_TRUE(done) << done.failure().message;
  return {mixed_error(run->x().first(p.x1.size()), p.x1), run->work()};
}

// error <= 10 tol at every tolerance, and error ~ tol^p over their whole range: p = 5/6 in theory (the
// inner tolerance is tol^(2/3), the method one order better than its estimate), at least 2/3.
void expect_error_follows(const RadauProblem& p, const std::vector<double>& tolerances) {
  std::vector<double> errors;
  for (const double tol : tolerances) {
    errors.push_back(measure(p, tol, tol).error);
    EXPECT_LE(errors.back(), 10.0 * tol) << "tolerance " << tol;
  }
  EXPECT_GE(observed_power(tolerances, errors), 2.0 / 3.0);
}

const std::vector<double> four_to_ten = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

TEST(RadauAccuracy, SmoothOde) { expect_error_follows(rational_ode(), four_to_ten); }

TEST(RadauAccuracy, ImplicitOde) { expect_error_follows(implicit_ode(), four_to_ten); }

TEST(RadauAccuracy, Index1Dae) { expect_error_follows(index1_dae(), four_to_ten); }

TEST(RadauAccuracy, VanDerPol) { expect_error_follows(van_der_pol(), four_to_ten); }

TEST(RadauAccuracy, TransistorAmplifier) {
  expect_error_follows(transistor_amplifier(), {1e-4, 1e-5, 1e-6, 1e-7, 1e-8});
}

TEST(SlowRadauAccuracy, TransistorAmplifierAtTheTightEnd) {
  EXPECT_LE(measure(transistor_amplifier(), 1e-10, 1e-10).error, 1e-8);
}

TEST(RadauAccuracy, Robertson) {
  for (const double tol : four_to_ten) {
    const RadauProblem p = robertson();
    RadauRun run(p, {.rtol = tol, .atol = {std::max(1e-6 * tol, 1e-14)}});
    run.to(p.t1).value();
    // The reference has 14 digits.
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_LE(std::abs(run->x()[i] - p.x1[i]), 10 * (tol + 1e-13) * p.x1[i]) << "rtol " << tol;
    }
    EXPECT_NEAR(run->x()[0] + run->x()[1] + run->x()[2], 1.0, 10 * tol);
  }
}

TEST(RadauAccuracy, ALooserToleranceIsCheaper) {
  const RadauProblem p = van_der_pol();
  EXPECT_LT(2 * measure(p, 1e-4, 1e-4).work.n_steps, measure(p, 1e-7, 1e-7).work.n_steps);
}

// x' = lambda (x - cos t) - sin t from x = cos t is smooth whatever lambda: an error estimate that is
// not filtered would follow lambda.
TEST(RadauAccuracy, StiffnessCostsNothingOnASmoothSolution) {
  std::uint64_t steps[2] = {};
  for (const double lambda : {-1.0, -1e8}) {
    RadauProblem p;
    p.system =
        make_system({.unknowns = unknowns({"x"}), .derivative = [lambda](double t, In x, Out xdot) {
                       xdot[0] = lambda * (x[0] - std::cos(t)) - std::sin(t);
                     }});
    p.t1 = 10.0;
    p.x0 = {1.0};
    p.xdot0 = {0.0};
    p.x1 = {std::cos(10.0)};
    const Measured m = measure(p, 1e-6, 1e-6);
    EXPECT_LE(m.error, 1e-5);
    steps[lambda < -1.0 ? 1 : 0] = m.work.n_steps;
  }
  EXPECT_LE(steps[1], 2 * steps[0]);
}

// x' of the start in the kernel of E is only a guess for Newton: the error estimate does not see it.
TEST(RadauAccuracy, UndeterminedDerivativesOfTheStartDoNotMatter) {
  RadauProblem p = transistor_amplifier();
  const EngineOptions options{.rtol = 1e-6, .atol = {1e-6}, .initial_step = 1e-6};
  p.t1 = 0.01;
  RadauRun plain(p, options);
  plain.to(p.t1).value();
  p.xdot0[0] += 1e4;
  p.xdot0[1] += 1e4;
  RadauRun shifted(p, options);
  shifted.to(p.t1).value();
  EXPECT_NEAR(static_cast<double>(plain->work().n_steps),
              static_cast<double>(shifted->work().n_steps), 5.0);
  EXPECT_LE(largest_difference(plain->x(), shifted->x()), 10 * options.rtol);
}

}  // namespace
}  // namespace saltus::radau_test
