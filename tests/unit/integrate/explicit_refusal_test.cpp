// Points that cannot be evaluated, or must not be.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "explicit_systems.hpp"

namespace saltus::explicit_test {
namespace {

class ExplicitRefusals : public testing::TestWithParam<EngineKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, ExplicitRefusals,
                         testing::Values(EngineKind::dopri5, EngineKind::dop853),
                         [](const auto& kind) { return std::string(name(kind.param)); });

// x' = 1 up to a wall at x = 1 - the engine gets there in ever smaller steps and says why it stops.
TEST_P(ExplicitRefusals, AStageCheckIsAWall) {
  const PlainOde ode({0.0}, [](double, auto, auto f) {
    f[0] = 1.0;
    return Evaluation::ok();
  });
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
  double largest_seen = 0.0;
  run.engine->set_stage_check([&](double, auto x) {
    if (x[0] <= 1.0) largest_seen = std::max(largest_seen, x[0]);
    return x[0] <= 1.0;
  });
  ASSERT_TRUE(run.start(0.0, 2.0));
  const auto done = run.to(2.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::out_of_domain);
  EXPECT_NE(done.failure().message.find("beyond a surface"), std::string::npos);
  // Steps were halved down to 16 eps.
  EXPECT_NEAR(run.engine->t(), 1.0, 64 * 0x1p-52);
  EXPECT_LE(run.x()[0], 1.0);
  EXPECT_GT(run.engine->work().n_refused_points, 30u);
  EXPECT_EQ(run.engine->work().n_error_failures, 0u);
  // Without the wall the same engine goes on.
  run.engine->set_stage_check({});
  ASSERT_TRUE(run.to(2.0));
  EXPECT_NEAR(run.x()[0], 2.0, 1e-6);
}

// The check is about points inside steps, not about where one begins.
TEST_P(ExplicitRefusals, TheStartMayLieOnTheWall) {
  const PlainOde ode({1.0}, [](double t, auto, auto f) {
    f[0] = -2.0 * t;
    return Evaluation::ok();
  });
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
  run.engine->set_stage_check([](double t, auto) { return t > 0.0; });
  ASSERT_TRUE(run.start(0.0, 1.0));
  ASSERT_TRUE(run.to(1.0));
  EXPECT_NEAR(run.x()[0], 0.0, 100 * 1e-6);
}

// x' = -2 sqrt(x), x = (1 - t)²: stages near t = 1 leave the domain x >= 0.
TEST_P(ExplicitRefusals, OutOfDomainMakesStepsSmaller) {
  const PlainOde ode({1.0}, [](double, auto x, auto f) {
    if (x[0] < 0.0) return Evaluation::out_of_domain(0);
    f[0] = -2.0 * std::sqrt(x[0]);
    return Evaluation::ok();
  });
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-9));
  ASSERT_TRUE(run.start(0.0, 0.999));
  ASSERT_TRUE(run.to(0.999));
  EXPECT_NEAR(run.x()[0], 1e-6, 100 * 1e-6);
}

// x' = log(1 - t) cannot pass t = 1.
TEST_P(ExplicitRefusals, FailuresNameTheEquationAndKeepTheLastPoint) {
  const PlainOde ode({0.0, 1.0}, [](double t, auto x, auto f) {
    f[0] = x[1];
    if (t >= 0.5) return Evaluation::out_of_domain(1);
    f[1] = std::log(0.5 - t);
    return Evaluation::ok();
  });
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 1.0));
  while (true) {
    const double t = run.engine->t();
    const Vector x = run.x();
    const Vector xdot(run.engine->xdot().begin(), run.engine->xdot().end());
    if (const auto done = run.engine->step(1.0); !done) {
      EXPECT_EQ(done.failure().code, FailureCode::out_of_domain);
      EXPECT_NE(done.failure().message.find("'row 1'"), std::string::npos)
          << done.failure().message;
      EXPECT_EQ(run.engine->t(), t);
      EXPECT_EQ(run.x(), x);
      EXPECT_EQ(Vector(run.engine->xdot().begin(), run.engine->xdot().end()), xdot);
      break;
    }
    ASSERT_LT(run.engine->t(), 0.5);
  }
  EXPECT_NEAR(run.engine->t(), 0.5, 1e-6);
}

// x' = x² explodes at t = 1: the error test alone says so.
TEST_P(ExplicitRefusals, AnExplosionIsAStepTooSmall) {
  const PlainOde ode({1.0}, [](double, auto x, auto f) {
    f[0] = x[0] * x[0];
    return std::isfinite(f[0]) ? Evaluation::ok() : Evaluation::out_of_domain(0);
  });
  EngineOptions options = tolerance(1e-6, 1e-6);
  options.min_step = 1e-9;
  EngineRun run(ode, GetParam(), options);
  ASSERT_TRUE(run.start(0.0, 2.0));
  const auto done = run.to(2.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::step_too_small) << done.failure().message;
  EXPECT_NEAR(run.engine->t(), 1.0, 1e-3);
}

TEST_P(ExplicitRefusals, AFailedFunctionEndsTheRunAtOnce) {
  int calls_after = 0;
  const PlainOde ode({0.0}, [&](double t, auto, auto f) {
    f[0] = 1.0;
    if (t <= 0.7) return Evaluation::ok();
    ++calls_after;
    return Evaluation::failed(0);
  });
  EngineOptions options = tolerance(1e-6, 1e-6);
  options.initial_step = 0.1;
  EngineRun run(ode, GetParam(), options);
  ASSERT_TRUE(run.start(0.0, 2.0));
  const auto done = run.to(2.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::external_failed);
  EXPECT_EQ(calls_after, 1);
  EXPECT_LE(run.engine->t(), 0.7);
}

TEST_P(ExplicitRefusals, StartsOutOfDomainAreFailures) {
  const PlainOde ode({-1.0}, [](double, auto x, auto f) {
    f[0] = 1.0;
    return x[0] < 0.0 ? Evaluation::out_of_domain(0) : Evaluation::ok();
  });
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
  const auto done = run.start(0.0, 1.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::out_of_domain);
  ASSERT_TRUE(run.start(0.0, Vector{1.0}, 1.0));
  ASSERT_TRUE(run.to(1.0));
}

TEST_P(ExplicitRefusals, AFixedStepIsNotMadeSmaller) {
  const PlainOde ode = turning();
  EngineRun run(ode, GetParam(), fixed_steps(0.1));
  run.engine->set_stage_check([](double t, auto) { return t <= 0.55; });
  ASSERT_TRUE(run.start(0.0, 1.0));
  EXPECT_FALSE(run.to(1.0));
  EXPECT_NEAR(run.engine->t(), 0.5, 8 * 0x1p-53);
}

// A decay at a rate that comes and goes: at the border of stability loose steps overshoot zero.
TEST_P(ExplicitRefusals, UnknownsStayNonNegative) {
  const auto rate = [](double t, double x) { return 50.0 * x * (1.0 + std::cos(20.0 * t)); };
  const PlainOde ode({1.0, 0.0}, [&](double t, auto x, auto f) {
    f[0] = -rate(t, x[0]);
    f[1] = rate(t, x[0]);
    return Evaluation::ok();
  });
  constexpr double atol = 1e-3;
  const auto smallest = [&](std::vector<std::uint8_t> non_negative, WorkCounts& work) {
    EngineOptions options = tolerance(1e-3, atol);
    options.non_negative = std::move(non_negative);
    EngineRun run(ode, GetParam(), options);
    EXPECT_TRUE(run.start(0.0, 8.0));
    double least = 1.0;
    while (run.engine->t() != 8.0) {
      EXPECT_TRUE(run.engine->step(8.0));
      least = std::min(least, run.engine->x()[0]);
      // The derivative belongs to the corrected point.
      EXPECT_EQ(run.engine->xdot()[1], rate(run.engine->t(), run.engine->x()[0]));
    }
    work = run.engine->work();
    return least;
  };
  WorkCounts free;
  WorkCounts bound;
  EXPECT_LT(smallest({}, free), -atol);
  EXPECT_EQ(free.n_corrections, 0u);
  EXPECT_GE(smallest({1, 1}, bound), 0.0);
  EXPECT_GT(bound.n_corrections, 0u);
  EXPECT_LE(bound.largest_correction, atol);
}

// What is refused while a step is shortened leaves the step as it was.
TEST_P(ExplicitRefusals, AStepThatCannotBeShortenedStands) {
  const PlainOde ode = turning();
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 3.0, {.step = 0.1}));
  ASSERT_TRUE(run.engine->step(3.0));
  const StepPolynomial step = run.engine->last_step();
  const Vector coefficients(step.coefficients.begin(), step.coefficients.end());
  const Vector x = run.x();
  const double middle = 0.5 * (step.t_left + step.t_right);
  int asked = 0;
  run.engine->set_stage_check([&](double, auto) { return ++asked != 3; });
  EXPECT_FALSE(run.engine->shorten(middle));
  EXPECT_EQ(run.x(), x);
  const StepPolynomial again = run.engine->last_step();
  EXPECT_EQ(Vector(again.coefficients.begin(), again.coefficients.end()), coefficients);
  EXPECT_TRUE(run.engine->shorten(middle));
}

// Where the three evaluations of its extension are refused, dop853 still has both ends.
TEST(ExplicitExtension, IsCubicWhereItsStagesAreRefused) {
  const PlainOde ode = turning();
  EngineRun run(ode, EngineKind::dop853, tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 3.0, {.step = 0.1}));
  ASSERT_TRUE(run.engine->step(3.0));
  run.engine->set_stage_check([](double, auto) { return false; });
  const StepPolynomial step = run.engine->last_step();
  EXPECT_EQ(step.degree, 3);
  EXPECT_NEAR(step.value(1, step.t_right), run.engine->x()[1], 8 * 0x1p-52);
  // The error of cubic interpolation is h⁴/384 max |x''''|; here |x''''| < 10.
  const double middle = 0.5 * (step.t_left + step.t_right);
  EXPECT_NEAR(step.value(1, middle), turning_solution(middle)[1],
              10 * std::pow(step.t_right - step.t_left, 4) / 384);
}

}  // namespace
}  // namespace saltus::explicit_test
