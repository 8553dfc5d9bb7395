// Explicit engines on constrained mechanics: each step ends on the constraints.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/system/function_system.hpp>

#include "explicit_systems.hpp"
#include "support/allocation_counter.hpp"

namespace saltus::explicit_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double gravity = 9.81;

using Projection = std::function<void(double t, std::span<double> x)>;

/// Position onto the circle, then velocity onto its tangent: nearest points, in closed form.
void onto_circle(double, std::span<double> x) {
  const double r = std::hypot(x[0], x[1]);
  x[0] /= r, x[1] /= r;
  const double along = x[0] * x[2] + x[1] * x[3];
  x[2] -= along * x[0], x[3] -= along * x[1];
}

/// (x, y, u, v) of a pendulum of length 1, its force from the acceleration constraint.
std::shared_ptr<const System> swinging(Projection project,
                                       std::vector<double> start = {1, 0, 0, 0}) {
  SystemFunctions functions;
  const char* const names[] = {"x", "y", "u", "v"};
  for (std::size_t i = 0; i < 4; ++i) functions.unknowns.push_back({names[i], start[i]});
  functions.derivative = [](double, auto x, auto f) {
    const double force = (x[2] * x[2] + x[3] * x[3] - gravity * x[1]) / (x[0] * x[0] + x[1] * x[1]);
    f[0] = x[2];
    f[1] = x[3];
    f[2] = -force * x[0];
    f[3] = -force * x[1] - gravity;
  };
  functions.project = std::move(project);
  return make_system(std::move(functions));
}

double off_constraints(std::span<const double> x) {
  return std::max(std::abs(x[0] * x[0] + x[1] * x[1] - 1.0),
                  std::abs(x[0] * x[2] + x[1] * x[3]) / 4);
}

/// tests/reference/pendulum_index3.json, at t = 10 and t = 1.
constexpr double at_10[] = {0.2750874625761168600543914493, -0.9614192050991250642651350686,
                            -4.175598100951728836460519506, -1.194749054560475271647512762};
constexpr double at_1[] = {-0.9862917511318753193556390, -0.1650108531255411687524991,
                           -0.2969055159163158215577797, 1.774643641112655626467597};

double largest_difference(std::span<const double> x, std::span<const double> y) {
  double worst = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

class StepProjections : public testing::TestWithParam<EngineKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, StepProjections,
                         testing::Values(EngineKind::dopri5, EngineKind::dop853),
                         [](const auto& kind) { return std::string(name(kind.param)); });

TEST_P(StepProjections, EveryStepEndsOnTheConstraints) {
  double without = 0.0;
  for (const bool projected : {true, false}) {
    const auto system = swinging(projected ? onto_circle : Projection());
    EngineRun run(*system, GetParam(), tolerance(1e-7, 1e-7));
    ASSERT_TRUE(run.start(0.0, 10.0));
    double worst = 0.0;
    while (run.engine->t() != 10.0) {
      ASSERT_TRUE(run.engine->step(10.0));
      worst = std::max(worst, off_constraints(run.engine->x()));
      // The derivative is that of the projected point.
      EXPECT_EQ(run.engine->xdot()[0], run.engine->x()[2]);
    }
    EXPECT_LT(largest_difference(run.engine->x(), at_10), 1000 * 1e-7);
    if (projected) {
      EXPECT_LE(worst, 8 * eps);
    } else {
      without = worst;
    }
  }
  EXPECT_GT(without, 1e4 * eps);  // twin: the drift is there to be removed
}

TEST_P(StepProjections, TheOrderIsKept) {
  const bool fifth = GetParam() == EngineKind::dopri5;
  const auto system = swinging(onto_circle);
  Vector lengths, errors;
  for (double n = fifth ? 80 : 20; lengths.size() < 4; n *= 1.5) {
    lengths.push_back(1.0 / n);
    EngineRun run(*system, GetParam(), fixed_steps(lengths.back()));
    ASSERT_TRUE(run.start(0.0, 1.0));
    ASSERT_TRUE(run.to(1.0));
    errors.push_back(largest_difference(run.engine->x(), at_1));
    // The derivative at the end is evaluated once, after the projection.
    EXPECT_EQ(run.engine->work().n_evaluations, (fifth ? 6 : 12) * run.engine->work().n_steps + 1);
  }
  // Terms of the next order are not gone yet: seen are 5.0 and 8.6.
  const double order = observed_order(lengths, errors);
  EXPECT_GT(order, fifth ? 4.7 : 7.7);
  EXPECT_LT(order, fifth ? 5.5 : 9.0);
}

// One step from the start, seen at its middle: a cubic through both ends errs by O(h^4).
TEST_P(StepProjections, TheContinuousExtensionKeepsItsOrder) {
  const auto system = swinging(onto_circle);
  Vector lengths, errors;
  for (double h = 0.2; lengths.size() < 4; h *= 0.75) {
    EngineRun run(*system, GetParam(), fixed_steps(h));
    ASSERT_TRUE(run.start(0.0, h));
    ASSERT_TRUE(run.to(h));
    const StepPolynomial step = run.engine->last_step();
    Vector left(4), middle(4), right(4), slope(4);
    step.state_at(0.0, left);
    step.state_at(h / 2, middle);
    step.state_at(h, right);
    EXPECT_LE(largest_difference(right, run.engine->x()), 8 * eps);
    step.derivative_at(h, slope);
    EXPECT_LE(largest_difference(slope, run.engine->xdot()), 1e3 * eps / h);
    EngineRun exact(*system, EngineKind::dop853, tolerance(1e-14, 1e-14));
    ASSERT_TRUE(exact.start(0.0, h / 2));
    ASSERT_TRUE(exact.to(h / 2));
    lengths.push_back(h);
    errors.push_back(largest_difference(middle, exact.engine->x()));
  }
  EXPECT_GT(observed_order(lengths, errors), GetParam() == EngineKind::dopri5 ? 4.6 : 7.5);
}

// The constraints say that the rod grows; the equations do not.
TEST_P(StepProjections, ConstraintsThatTheEquationsDoNotKeepAreAFailure) {
  const auto system = swinging([](double t, std::span<double> x) {
    onto_circle(t, x);
    x[0] *= 1.0 + 0.01 * t, x[1] *= 1.0 + 0.01 * t;
  });
  EngineRun run(*system, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 1.0));
  const auto done = run.to(1.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::step_too_small);
  EXPECT_NE(done.failure().message.find("onto the constraints exceeds"), std::string::npos)
      << done.failure().message;
  EXPECT_GT(run.engine->work().n_error_failures, 10u);
}

// A projection that goes astray from far away: only steps short enough are taken.
TEST_P(StepProjections, AStepThatIsMovedTooFarIsRepeatedShorter) {
  constexpr double longest = 0.01, end_of_run = 1.0;
  double reached = 0.0;  // the end of the last accepted step
  const auto system = swinging([&](double t, std::span<double> x) {
    onto_circle(t, x);
    if (t - reached <= longest) return;
    const double turn = 0.1, x0 = x[0], u0 = x[2];
    x[0] = std::cos(turn) * x0 - std::sin(turn) * x[1];
    x[1] = std::sin(turn) * x0 + std::cos(turn) * x[1];
    x[2] = std::cos(turn) * u0 - std::sin(turn) * x[3];
    x[3] = std::sin(turn) * u0 + std::cos(turn) * x[3];
  });
  EngineRun run(*system, GetParam(), tolerance(1e-7, 1e-7));
  ASSERT_TRUE(run.start(0.0, end_of_run));
  while (run.engine->t() != end_of_run) {
    ASSERT_TRUE(run.engine->step(end_of_run));
    EXPECT_LE(run.engine->t() - reached, longest);
    reached = run.engine->t();
  }
  EXPECT_GT(run.engine->work().n_error_failures, 0u);
  EXPECT_LT(largest_difference(run.engine->x(), at_1), 100 * 1e-7);
}

TEST_P(StepProjections, AStartIsConsistentWithinTheTolerance) {
  const auto system = swinging(onto_circle);
  EngineRun run(*system, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, {1.0 + 1e-7, 0.0, 0.0, 0.0}, 1.0));
  EXPECT_EQ(run.engine->x()[0], 1.0);
  const auto done = run.start(0.0, {1.0 + 1e-4, 0.0, 0.0, 0.0}, 1.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::not_converged);
}

TEST_P(StepProjections, AShortenedStepEndsOnTheConstraints) {
  const auto system = swinging(onto_circle);
  EngineRun run(*system, GetParam(), fixed_steps(0.2));
  ASSERT_TRUE(run.start(0.0, 1.0));
  ASSERT_TRUE(run.engine->step(1.0));
  ASSERT_TRUE(run.engine->shorten(0.13));
  EXPECT_EQ(run.engine->t(), 0.13);
  EXPECT_LE(off_constraints(run.engine->x()), 8 * eps);
  EXPECT_EQ(run.engine->xdot()[0], run.engine->x()[2]);
  Vector right(4);
  run.engine->last_step().state_at(0.13, right);
  EXPECT_LE(largest_difference(right, run.engine->x()), 8 * eps);
}

TEST_P(StepProjections, AFailingProjectionKeepsTheLastPoint) {
  const auto system = swinging([](double t, std::span<double> x) {
    onto_circle(t, x);
    if (t > 0.5) x[1] = std::numeric_limits<double>::quiet_NaN();
  });
  EngineRun run(*system, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 1.0));
  const auto done = run.to(1.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::out_of_domain);
  EXPECT_NEAR(run.engine->t(), 0.5, 1e-9);
  EXPECT_LE(off_constraints(run.engine->x()), 8 * eps);
}

TEST_P(StepProjections, StepsAllocateNothing) {
  if (!test::counts_allocations()) GTEST_SKIP();
  const auto system = swinging(onto_circle);
  EngineRun run(*system, GetParam(), tolerance(1e-7, 1e-7));
  ASSERT_TRUE(run.start(0.0, 10.0));
  ASSERT_TRUE(run.engine->step(10.0));
  const long before = test::allocations();
  for (int k = 0; k < 20; ++k) {
    const bool stepped = static_cast<bool>(run.engine->step(10.0));
    ASSERT_TRUE(stepped);
  }
  EXPECT_EQ(test::allocations(), before);
}

TEST(StepProjection, NeedsADerivative) {
  SystemFunctions functions;
  functions.unknowns = {{"x", 1.0}};
  functions.residual = [](double, auto x, auto xdot, auto f) { f[0] = xdot[0] + x[0]; };
  functions.project = [](double, std::span<double>) {};
  EXPECT_THROW(make_system(functions), ModelError);
}

}  // namespace
}  // namespace saltus::explicit_test
