#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "unit/integrate/ida_problems.hpp"

namespace saltus::test::ida {
namespace {
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

std::vector<double> copy(std::span<const double> v) { return {v.begin(), v.end()}; }

/// Steps until a failure, which must leave the last point alone.
Failure fail(IdaRun& run) {
  for (;;) {
    const double t = run->t();
    const std::vector<double> x = copy(run->x()), xdot = copy(run->xdot());
    const auto done = run->step(run.problem().t_end);
    if (done && run->t() != run.problem().t_end) continue;
    EXPECT_FALSE(done) << "reached the end";
    if (done) return {};
    EXPECT_EQ(run->t(), t);
    EXPECT_EQ(copy(run->x()), x);
    EXPECT_EQ(copy(run->xdot()), xdot);
    return done.failure();
  }
}

TEST(IdaControl, BoundsAreHitExactlyInBothDirections) {
  for (const double sign : {1.0, -1.0}) {
    auto problem = oscillator(sign * 3.0);
    IdaRun run(problem, tolerance(1e-6, 1e-6));
    for (const double bound : {0.1, 0.3, 1.0 / 3.0, 0.7, std::numbers::pi / 2, 3.0}) {
      ASSERT_TRUE(run.to(sign * bound));
      EXPECT_EQ(run->t(), sign * bound);
      EXPECT_NEAR(run->x()[0], std::cos(bound), 1e-4);
    }
  }
}

TEST(IdaControl, StepsRespectTheirLimits) {
  EngineOptions options = tolerance(1e-4, 1e-4);
  options.max_step = 0.02;
  options.initial_step = 1e-3;
  options.max_order = 2;
  IdaRun run(oscillator(), options);
  ASSERT_TRUE(run->step(10.0));
  EXPECT_LE(run->work().last_step, 1e-3 * (1 + 4 * eps));
  while (run->t() != 10.0) {
    ASSERT_TRUE(run->step(10.0));
    ASSERT_LE(run->work().last_step, 0.02 * (1 + 4 * eps));
    ASSERT_LE(run->work().last_order, 2);
  }
}

TEST(IdaControl, HintOfTheFirstStepIsFollowed) {
  IdaRun run(oscillator(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run->start({0.0, run.problem().x0, run.problem().xdot0}, 10.0, {.step = -1e-4}));
  ASSERT_TRUE(run->step(10.0));
  EXPECT_EQ(run->work().last_step, 1e-4);
}

TEST(IdaControl, FixedStepIsRefusedByName) {
  EngineOptions options;
  options.fixed_step = 0.1;
  const auto problem = oscillator();
  const auto workspace = problem.system->workspace();
  try {
    (void)make_engine(EngineKind::ida, *problem.system, *workspace, options);
    FAIL();
  } catch (const OptionError& error) {
    EXPECT_EQ(error.field(), "fixed_step");
  }
}

TEST(IdaControl, BouncingBallByShorteningAndRestarting) {
  const double g = 9.81;
  auto system = make_system({.unknowns = {{"height", 1.0}, {"speed", 0.0}},
                             .derivative = [g](double, Input x, Output xdot) {
                               xdot[0] = x[1];
                               xdot[1] = -g;
                             }});
  IdaRun run({system, 0.0, 3.0, {1.0, 0.0}, {0.0, -g}}, tolerance(1e-8, 1e-8));
  const double drop = std::sqrt(2 / g);
  double expected = drop;
  for (int bounce = 0; bounce < 4; ++bounce) {
    while (run->x()[0] > 0.0 || run->x()[1] >= 0.0) ASSERT_TRUE(run->step(10.0));
    const StepPolynomial step = run->last_step();
    double low = step.t_left, high = step.t_right;
    while (high - low > 4 * eps * high) {
      const double middle = low + (high - low) / 2;
      (step.value(0, middle) > 0 ? low : high) = middle;
    }
    ASSERT_TRUE(run->shorten(low));
    EXPECT_EQ(run->t(), low);
    EXPECT_NEAR(low, expected, 1e-6);
    const std::vector<double> x = {std::abs(run->x()[0]), -0.8 * run->x()[1]}, xdot = {x[1], -g};
    const auto before = run->work();
    ASSERT_TRUE(run->start({low, x, xdot}, 10.0, {.step = 1e-5, .keep_jacobian = true}));
    ASSERT_TRUE(run->step(10.0));
    EXPECT_EQ(run->work().n_starts, before.n_starts + 1);
    EXPECT_GT(run->work().n_steps, before.n_steps);
    // Unchanged equations: another matrix, no other Jacobian.
    EXPECT_EQ(run->work().n_jacobians, before.n_jacobians);
    EXPECT_GT(run->work().n_factorizations, before.n_factorizations);
    expected += 2 * drop * std::pow(0.8, bounce + 1);
  }
}

TEST(IdaControl, RefusedPointsMakeStepsSmaller) {
  IdaRun run(oscillator(), tolerance(1e-6, 1e-6));
  run->set_stage_check([](double t, Input) { return t <= 1.0; });
  const Failure failure = fail(run);
  EXPECT_EQ(failure.code, FailureCode::out_of_domain);
  EXPECT_NE(failure.message.find("beyond a surface"), std::string::npos) << failure.message;
  EXPECT_LE(run->t(), 1.0);
  EXPECT_GT(run->t(), 1.0 - 1e-12);
  EXPECT_GT(run->work().n_refused_points, 0u);
  EXPECT_GT(run->work().n_convergence_failures, 0u);

  // The check taken away, the run goes on from there.
  run->set_stage_check({});
  const std::vector<double> x = copy(run->x()), xdot = copy(run->xdot());
  ASSERT_TRUE(run->start({run->t(), x, xdot}, 10.0));
  EXPECT_TRUE(run.to(2.0));
}

TEST(IdaControl, PointOutOfDomainNamesItsEquation) {
  auto system = make_system({.unknowns = {{"x", 0.0}, {"y", 0.0}},
                             .residual =
                                 [](double t, Input, Input xdot, Output f) {
                                   f[0] = xdot[0] - 1.0;
                                   f[1] = xdot[1] - std::sqrt(1.0 - t);
                                 },
                             .equations = {"clock", "half a circle"}});
  IdaRun run({system, 0.0, 2.0, {0.0, 0.0}, {1.0, 1.0}}, tolerance(1e-6, 1e-6));
  const Failure failure = fail(run);
  EXPECT_EQ(failure.code, FailureCode::out_of_domain);
  EXPECT_NE(failure.message.find("'half a circle'"), std::string::npos) << failure.message;
  EXPECT_NEAR(run->t(), 1.0, 1e-10);
}

TEST(IdaControl, CallbackThatThrowsNamesItsEquation) {
  auto system = make_system({.unknowns = {{"x", 0.0}},
                             .residual =
                                 [](double t, Input, Input xdot, Output f) {
                                   if (t > 0.5) throw std::runtime_error("no table");
                                   f[0] = xdot[0] - 1.0;
                                 },
                             .equations = {"table"}});
  IdaRun run({system, 0.0, 2.0, {0.0}, {1.0}}, tolerance(1e-6, 1e-6));
  const Failure failure = fail(run);
  EXPECT_EQ(failure.code, FailureCode::external_failed);
  EXPECT_NE(failure.message.find("'table'"), std::string::npos) << failure.message;
}

TEST(IdaControl, ExceptionOfAStageCheckReachesTheCaller) {
  IdaRun run(oscillator(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run->step(10.0));
  run->set_stage_check([](double, Input) -> bool { throw std::runtime_error("mine"); });
  EXPECT_THROW((void)run->step(10.0), std::runtime_error);
}

TEST(IdaControl, SingularJacobianNamesTheUnknown) {
  auto system = make_system({.unknowns = {{"x", 1.0}, {"free", 0.0, false}},
                             .residual = [](double, Input x, Input xdot, Output f) {
                               f[0] = xdot[0] + x[0];
                               f[1] = 2 * xdot[0] + x[0] * 2;
                             }});
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    EngineOptions options = tolerance(1e-6, 1e-6);
    options.linear_solver = kind;
    IdaRun run({system, 0.0, 2.0, {1.0, 0.0}, {-1.0, 0.0}}, options);
    const Failure failure = fail(run);
    EXPECT_EQ(failure.code, FailureCode::singular);
    EXPECT_NE(failure.message.find("'free'"), std::string::npos) << failure.message;
    EXPECT_EQ(run->t(), 0.0);
  }
}

TEST(IdaControl, SolutionThatEndsIsAStepTooSmall) {
  auto system =
      make_system({.unknowns = {{"x", 1.0}}, .derivative = [](double, Input x, Output xdot) {
                     xdot[0] = x[0] * x[0];  // 1/(1 - t)
                   }});
  IdaRun run({system, 0.0, 2.0, {1.0}, {1.0}}, tolerance(1e-6, 1e-6));
  const Failure failure = fail(run);
  EXPECT_TRUE(failure.code == FailureCode::step_too_small ||
              failure.code == FailureCode::not_converged ||
              failure.code == FailureCode::out_of_domain)
      << failure.message;
  EXPECT_NEAR(run->t(), 1.0, 1e-3);
}

TEST(IdaControl, ShortRunsAreRightOrFailInWords) {
  int n_right = 0, n_failed = 0;
  for (int decade = -100; decade >= -307; --decade) {
    // A quarter of a period, however short; the last ones are beyond what IDA can compare.
    const double t_end = std::pow(10.0, decade), omega = std::numbers::pi / 2 / t_end;
    if (!std::isfinite(omega)) break;
    auto system = make_system(
        {.unknowns = {{"x", 1.0}, {"v", 0.0}}, .derivative = [omega](double, Input x, Output xdot) {
           xdot[0] = omega * x[1];
           xdot[1] = -omega * x[0];
         }});
    IdaRun run({system, 0.0, t_end, {1.0, 0.0}, {0.0, -omega}}, tolerance(1e-6, 1e-6));
    if (run.finish()) {
      ++n_right;
      EXPECT_NEAR(run->x()[0], 0.0, 100 * 1e-6) << decade;
      EXPECT_NEAR(run->x()[1], -1.0, 100 * 1e-6) << decade;
    } else {
      ++n_failed;
      EXPECT_NE(run.failure().message.find(", step "), std::string::npos);
    }
  }
  EXPECT_GT(n_right, 0);
  EXPECT_GT(n_failed, 0);
  for (const double t_end : {1e-290, 1e-300, -1e-290}) {
    IdaRun slow(oscillator(t_end), tolerance(1e-6, 1e-6));
    if (slow.finish()) {
      EXPECT_EQ(slow->t(), t_end);
      EXPECT_EQ(slow->x()[0], 1.0);
    } else {
      EXPECT_NE(slow.failure().message.find("IDA_ILL_INPUT"), std::string::npos)
          << slow.failure().message;
    }
  }
}

// ---- refreshing -------------------------------------------------------------------------------------

/// The oscillator times a sign that may flip after each step. Flipping is exact in floating point.
InitialValueProblem signed_oscillator(bool flip, StepRefresh::Answer answer) {
  auto sign = std::make_shared<double>(1.0);
  auto problem = oscillator();
  problem.system = make_system({.unknowns = {{"x1", 1.0}, {"x2", 0.0}},
                                .residual =
                                    [sign](double, Input x, Input xdot, Output f) {
                                      f[0] = *sign * (xdot[0] - x[1]);
                                      f[1] = *sign * (xdot[1] + x[0]);
                                    },
                                .jacobian =
                                    [sign](double, Input, Input, Output dx, Output dxdot) {
                                      dx[1] = *sign;
                                      dx[2] = -*sign;
                                      dxdot[0] = dxdot[3] = *sign;
                                    },
                                .step_accepted =
                                    [sign, flip, answer](double, Input, Input) {
                                      if (flip) *sign = -*sign;
                                      return answer;
                                    }});
  return problem;
}

TEST(IdaControl, ForcedRefreshNeedsNoRestart) {
  using Answer = StepRefresh::Answer;
  IdaRun plain(signed_oscillator(false, Answer::unchanged), tolerance(1e-6, 1e-6));
  IdaRun refreshed(signed_oscillator(false, Answer::new_jacobian), tolerance(1e-6, 1e-6));
  IdaRun flipped(signed_oscillator(true, Answer::new_jacobian), tolerance(1e-6, 1e-6));
  IdaRun silent(signed_oscillator(true, Answer::unchanged), tolerance(1e-6, 1e-6));
  for (IdaRun* run : {&plain, &refreshed, &flipped, &silent}) ASSERT_TRUE(run->finish());

  EXPECT_LT(plain->work().n_jacobians, plain->work().n_steps / 2);
  EXPECT_GE(refreshed->work().n_jacobians, refreshed->work().n_steps);
  EXPECT_GE(refreshed->work().n_factorizations, refreshed->work().n_steps);
  EXPECT_EQ(refreshed->work().n_starts, 1u);
  EXPECT_GE(refreshed->work().last_order, 3);

  // With the right matrix the sign of the equations makes no difference at all ...
  EXPECT_EQ(copy(flipped->x()), copy(refreshed->x()));
  EXPECT_EQ(flipped->work().n_newton_iterations, refreshed->work().n_newton_iterations);
  // ... and with the wrong one it does.
  EXPECT_GT(silent->work().n_newton_iterations, 3 * refreshed->work().n_newton_iterations / 2);
}

TEST(IdaControl, RestartIsTakenAtTheNextStep) {
  auto count = std::make_shared<int>(0);
  auto problem = oscillator();
  problem.system = make_system({.unknowns = {{"x1", 1.0}, {"x2", 0.0}},
                                .derivative =
                                    [](double, Input x, Output xdot) {
                                      xdot[0] = x[1];
                                      xdot[1] = -x[0];
                                    },
                                .step_accepted =
                                    [count](double, Input, Input) {
                                      return ++*count == 30 ? StepRefresh::Answer::restart
                                                            : StepRefresh::Answer::unchanged;
                                    }});
  IdaRun run(problem, tolerance(1e-6, 1e-6));
  for (int k = 0; k < 30; ++k) ASSERT_TRUE(run->step(10.0));
  EXPECT_GT(run->last_step().degree, 1) << "the step before can still be asked for";
  EXPECT_EQ(run->work().n_starts, 1u);
  ASSERT_TRUE(run->step(10.0));
  EXPECT_EQ(run->work().n_starts, 2u);
  EXPECT_EQ(run->last_step().degree, 1);
  ASSERT_TRUE(run.finish());
  EXPECT_LT(run.error(), 1e-3);
}

// ---- signs ------------------------------------------------------------------------------------------

/// The smallest value any unknown takes at a point reached.
double smallest_value(IdaRun& run) {
  double smallest = 0.0;
  while (run->t() != run.problem().t_end) {
    const auto done = run->step(run.problem().t_end);
    EXPECT_TRUE(done) << done.failure().message;
    if (!done) break;
    for (const double x : run->x()) smallest = std::min(smallest, x);
  }
  return smallest;
}

TEST(IdaControl, UnknownsStayNonNegativeWhereAsked) {
  EngineOptions options = tolerance(1e-3, 1e-3);
  IdaRun without(robertson(4e10), options);
  EXPECT_LT(smallest_value(without), 0.0) << "otherwise this test sees nothing";
  options.non_negative = {1, 1, 1};
  IdaRun with(robertson(4e10), options);
  EXPECT_EQ(smallest_value(with), 0.0);
  EXPECT_GT(with->work().n_corrections, 0u);
  EXPECT_LE(with->work().largest_correction, 1e-3);
}

TEST(IdaControl, NonNegativityKeepsRobertsonFromExploding) {
  EngineOptions options = tolerance(1e-3, 1e-4);
  IdaRun without(robertson(4e10), options);
  EXPECT_FALSE(without.finish()) << "negative concentrations grow without bound";
  options.non_negative = {1, 1, 1};
  IdaRun with(robertson(4e10), options);
  EXPECT_TRUE(with.finish()) << with.failure().message;
  EXPECT_NEAR(with->x()[2], 1.0, 1e-3);
}

TEST(IdaControl, NegativeStartIsAFailureWhereNotAllowed) {
  EngineOptions options = tolerance(1e-3, 1e-6);
  options.non_negative = {1, 0};
  const auto problem = oscillator();
  const auto workspace = problem.system->workspace();
  auto engine = make_engine(EngineKind::ida, *problem.system, *workspace, options);
  const std::vector<double> x = {-1.0, 0.0}, xdot = {0.0, 1.0};
  const auto done = engine->start({0.0, x, xdot}, 1.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::out_of_domain);
}

TEST(IdaControl, UnknownThatMustTurnNegativeFails) {
  EngineOptions options = tolerance(1e-4, 1e-6);
  options.non_negative = {1, 0};
  IdaRun run(oscillator(), options);
  const Failure failure = fail(run);
  EXPECT_EQ(failure.code, FailureCode::step_too_small);
  EXPECT_NEAR(run->t(), std::numbers::pi / 2, 1e-2);
}

// ---- the rest ---------------------------------------------------------------------------------------

TEST(IdaControl, NothingIsPrinted) {
  CaptureStderr();
  testing::internal::CaptureStdout();
  auto system =
      make_system({.unknowns = {{"x", 0.0}}, .residual = [](double t, Input, Input xdot, Output f) {
                     f[0] = xdot[0] - std::sqrt(1.0 - t);
                   }});
  IdaRun run({system, 0.0, 2.0, {0.0}, {1.0}}, tolerance(1e-6, 1e-6));
  (void)run.finish();
  EXPECT_EQ(GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(IdaControl, SameRunSameBits) {
  IdaRun first(van_der_pol(), tolerance(1e-6, 1e-6));
  IdaRun second(van_der_pol(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(first.finish() && second.finish());
  EXPECT_EQ(copy(first->x()), copy(second->x()));
  // An engine that has run before is like a new one.
  const auto& problem = first.problem();
  ASSERT_TRUE(first->start({0.0, problem.x0, problem.xdot0}, problem.t_end));
  ASSERT_TRUE(first.finish());
  EXPECT_EQ(copy(first->x()), copy(second->x()));
  EXPECT_EQ(first->work().n_steps, 2 * second->work().n_steps);
}

TEST(IdaControl, DenseAndSparseTakeTheSameSteps) {
  std::uint64_t n_steps[2];
  double x[2];
  int i = 0;
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    EngineOptions options = tolerance(1e-6, 1e-10);
    options.linear_solver = kind;
    IdaRun run(robertson(), options);
    ASSERT_TRUE(run.finish());
    n_steps[i] = run->work().n_steps;
    x[i++] = run->x()[0];
  }
  // Rounding differs, so a step near a threshold may be decided otherwise.
  EXPECT_NEAR(static_cast<double>(n_steps[0]), static_cast<double>(n_steps[1]), 5.0);
  EXPECT_NEAR(x[0], x[1], 1e-5);
}

}  // namespace
}  // namespace saltus::test::ida
