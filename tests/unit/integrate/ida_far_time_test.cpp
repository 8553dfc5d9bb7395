// Runs that begin far from t = 0, such as at the number of seconds since 1970.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "unit/integrate/ida_problems.hpp"

namespace saltus::test::ida {
namespace {

constexpr double far = 1.7e9;
constexpr double ulp_of_far = 0x1p-22;

/// A cosine of the given frequency from t0 on for a time of t_end - t0.
InitialValueProblem cosine(double frequency, double t0, double duration) {
  const double omega = 2 * std::numbers::pi * frequency;
  auto system = make_system(
      {.unknowns = {{"x", 1.0}, {"v", 0.0}}, .derivative = [omega](double, Input x, Output xdot) {
         xdot[0] = omega * x[1];
         xdot[1] = -omega * x[0];
       }});
  const double phase = omega * duration;
  return {
      system, t0, t0 + duration, {1.0, 0.0}, {0.0, -omega}, {std::cos(phase), -std::sin(phase)}};
}

TEST(IdaFarTime, RunsAreTheSameWhereverTheyBegin) {
  IdaRun near(cosine(1.0, 0.0, 50.0), tolerance(1e-9, 1e-9));
  IdaRun away(cosine(1.0, far, 50.0), tolerance(1e-9, 1e-9));
  double summed = far;
  while (away->t() != far + 50.0) {
    ASSERT_TRUE(away->step(far + 50.0));
    summed += away->work().last_step;
  }
  ASSERT_TRUE(near.finish());
  // The equations do not know the time, and both durations are exact: every bit is the same.
  EXPECT_EQ(near->x()[0], away->x()[0]);
  EXPECT_EQ(near->x()[1], away->x()[1]);
  EXPECT_EQ(near->work().n_newton_iterations, away->work().n_newton_iterations);
  EXPECT_GT(near->work().n_steps, away->work().n_steps) << "the first ones are shorter than an ulp";
  // Without damping the local errors of all steps, rtol |x| + atol each, add up at worst.
  const double sum_of_errors = 2e-9 * static_cast<double>(near->work().n_steps);
  EXPECT_LT(away.error(), sum_of_errors);
  // Twin: the steps added up in absolute time, as IDA would, end elsewhere.
  EXPECT_GT(2 * std::numbers::pi * std::abs(summed - (far + 50.0)), sum_of_errors);
}

TEST(IdaFarTime, TimeAdvancesAndBoundsAreHitExactly) {
  for (const double sign : {1.0, -1.0}) {
    // x' = cos(t - far): this one knows the time.
    auto system =
        make_system({.unknowns = {{"x", 0.0}}, .derivative = [](double t, Input, Output xdot) {
                       xdot[0] = std::cos(t - far);
                     }});
    IdaRun run({system, far, far + sign * 10.0, {0.0}, {1.0}}, tolerance(1e-5, 1e-5));
    for (const double duration : {1e-3, 1.0, 1.0 + 2 * ulp_of_far, 7.3, 10.0}) {
      const double bound = far + sign * duration;
      while (run->t() != bound) {
        const double before = run->t(), x_before = run->x()[0];
        ASSERT_TRUE(run->step(bound));
        ASSERT_GT(sign * (run->t() - before), 0.0);
        ASSERT_LE(sign * (run->t() - bound), 0.0);
        const StepPolynomial step = run->last_step();
        EXPECT_EQ(step.t_left, before);
        EXPECT_EQ(step.t_right, run->t());
        // |x| <= 1, and no coefficient of a step is larger
        EXPECT_NEAR(step.value(0, before), x_before, 64 * eps);
        EXPECT_NEAR(step.value(0, run->t()), run->x()[0], 64 * eps);
      }
      EXPECT_NEAR(run->x()[0], std::sin(bound - far), 50 * 1e-5);
    }
  }
}

TEST(IdaFarTime, NoEvaluationLiesBeyondTheBound) {
  for (const double t0 : {0.0, 0.1, far}) {
    IdaRun run(cosine(1.0, t0, 1.0), tolerance(1e-6, 1e-6));
    double bound = t0;
    run->set_stage_check([&](double t, Input) { return t <= bound; });
    for (int k = 1; k <= 10; ++k) {
      bound = t0 + 0.1 * k;
      ASSERT_TRUE(run.to(bound)) << run.failure().message;
    }
    EXPECT_EQ(run->work().n_refused_points, 0u);
  }
}

TEST(IdaFarTime, FastModelsStart) {
  // 200 Hz at 1e-9: the first step is 6e-13 long, those of the run are 3e-5, an ulp of t 2.4e-7.
  IdaRun near(cosine(200.0, 0.0, 0.25), tolerance(1e-9, 1e-9));
  IdaRun away(cosine(200.0, far, 0.25), tolerance(1e-9, 1e-9));
  ASSERT_TRUE(near.finish());
  ASSERT_TRUE(away.finish()) << away.failure().message;
  EXPECT_EQ(near->x()[0], away->x()[0]);
  // What is over before time advances cannot be followed.
  IdaRun lost(cosine(1e9, far, 50.0), tolerance(1e-6, 1e-6));
  EXPECT_FALSE(lost.finish());
  EXPECT_EQ(lost.failure().code, FailureCode::step_too_small);
  EXPECT_NE(lost.failure().message.find("rounding of time"), std::string::npos);
  EXPECT_EQ(lost->t(), far);
}

TEST(IdaFarTime, ShortenedStepsAgreeWithTheirPolynomial) {
  IdaRun run(cosine(1.0, far, 5.0), tolerance(1e-6, 1e-6));
  for (int k = 0; k < 60; ++k) ASSERT_TRUE(run->step(far + 5.0));
  const StepPolynomial step = run->last_step();
  ASSERT_GT(step.t_right - step.t_left, 100 * ulp_of_far);
  const double t = step.t_left + 37 * ulp_of_far;
  const double expected = step.value(0, t);
  ASSERT_TRUE(run->shorten(t));
  EXPECT_EQ(run->t(), t);
  EXPECT_NEAR(run->x()[0], expected, 64 * eps);
  EXPECT_NEAR(run->last_step().value(0, t), expected, 64 * eps);
}

}  // namespace
}  // namespace saltus::test::ida
