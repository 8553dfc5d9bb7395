// What the engine does besides being accurate.

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "support/allocation_counter.hpp"
#include "unit/integrate/radau_problems.hpp"

namespace saltus::radau_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

std::vector<double> copy(In x) { return {x.begin(), x.end()}; }

RadauProblem oscillator() {
  RadauProblem p;
  p.system = make_system({.unknowns = unknowns({"x", "v"}), .derivative = [](double, In x, Out d) {
                            d[0] = x[1];
                            d[1] = -x[0];
                          }});
  p.t1 = 10.0;
  p.x0 = {1.0, 0.0};
  p.xdot0 = {0.0, -1.0};
  p.x1 = {std::cos(10.0), -std::sin(10.0)};
  return p;
}

RadauProblem falling() {
  RadauProblem p;
  p.system = make_system(
      {.unknowns = unknowns({"x"}), .derivative = [](double, In, Out d) { d[0] = -1.0; }});
  p.t1 = 2.0;
  p.x0 = {1.0};
  p.xdot0 = {-1.0};
  return p;
}

TEST(RadauEngine, BoundsAreHitExactlyAndLastStepsAreNotTiny) {
  const RadauProblem p = oscillator();
  RadauRun run(p, {.rtol = 1e-6, .atol = {1e-6}});
  for (const double bound : {0.1, 1.0 / 3.0, 1.7, 1.7000001, 9.99}) {
    double before = 0.0;
    while (run->t() != bound) {
      const double t = run->t();
      run->step(bound).value();
      const double h = run->t() - t;
      ASSERT_GT(h, 0.0);
      ASSERT_LE(run->t(), bound);
      // Two steps share what is left if it is less than two steps.
      if (before > 0 && run->t() == bound) {
        EXPECT_GE(h, 0.4 * before);
      }
      before = h;
    }
    EXPECT_NEAR(run->x()[0], std::cos(bound), 1e-5);
  }
}

TEST(RadauEngine, AShortStepToABoundIsForgotten) {
  const RadauProblem p = oscillator();
  RadauRun run(p, {.rtol = 1e-6, .atol = {1e-6}});
  run.to(5.0).value();
  const double usual = run->work().next_step;
  run.to(5.0 + 1e-9).value();
  run->step(10.0).value();
  EXPECT_GE(run->work().last_step, 0.5 * usual);
}

TEST(RadauEngine, ThePolynomialMeetsBothEndsAndTheirSlopes) {
  const RadauProblem p = index1_dae();
  RadauRun run(p, {.rtol = 1e-5, .atol = {1e-5}});
  std::vector<double> x = p.x0;
  while (run->t() != p.t1) {
    const double t = run->t();
    run->step(p.t1).value();
    const StepPolynomial s = run->last_step();
    EXPECT_EQ(s.degree, 3);
    EXPECT_EQ(s.t_left, t);
    EXPECT_EQ(s.t_right, run->t());
    for (std::uint32_t i = 0; i < 2; ++i) {
      // Sums of four terms that are at most some twenty times as large as the step's change.
      EXPECT_EQ(s.value(i, s.t_left), x[i]);
      EXPECT_NEAR(s.value(i, s.t_right), run->x()[i], 200 * eps);
      EXPECT_NEAR(s.slope(i, s.t_right), run->xdot()[i], 1000 * eps / (s.t_right - s.t_left));
    }
    x = copy(run->x());
  }
}

TEST(RadauEngine, ABackwardRunReturns) {
  const RadauProblem p = oscillator();
  constexpr double tol = 1e-8;
  RadauRun run(p, {.rtol = tol, .atol = {tol}});
  run.to(10.0).value();
  const std::vector<double> x = copy(run->x());
  const std::vector<double> xdot = copy(run->xdot());
  run->start({10.0, x, xdot}, 0.0).value();
  run.to(0.0).value();
  EXPECT_LE(largest_difference(run->x(), p.x0), 100 * tol);
  EXPECT_LT(run->last_step().t_right, run->last_step().t_left);
  EXPECT_EQ(run->work().n_starts, 2u);
}

TEST(RadauEngine, ASplitRunIsTheSameWithinTolerance) {
  const RadauProblem p = index1_dae(3.0);
  constexpr double tol = 1e-7;
  RadauRun run(p, {.rtol = tol, .atol = {tol}});
  for (const double t : {0.3, 0.31, 1.9, 3.0}) {
    run.to(t).value();
    const std::vector<double> x = copy(run->x());
    const std::vector<double> xdot = copy(run->xdot());
    run->start({t, x, xdot}, 3.0, {.step = run->work().next_step}).value();
  }
  EXPECT_LE(mixed_error(run->x(), p.x1), 10 * tol);
}

TEST(RadauEngine, ShortenMayBeRepeatedInAnyOrder) {
  const RadauProblem p = rational_ode();
  constexpr double tol = 1e-9;
  RadauRun run(p, {.rtol = tol, .atol = {tol}});
  while (run->t() < 1.0) run->step(p.t1).value();
  const StepPolynomial whole = run->last_step();
  const double left = whole.t_left;
  const double h = whole.t_right - left;
  const std::uint64_t n_steps = run->work().n_steps;
  std::vector<std::vector<double>> ends;
  for (const double part : {0.5, 0.9, 0.01, 0.5}) {
    const double t = left + part * h;
    run->shorten(t).value();
    EXPECT_EQ(run->t(), t);
    EXPECT_EQ(run->last_step().t_left, left);
    EXPECT_EQ(run->last_step().t_right, t);
    EXPECT_NEAR(run->x()[0], rational_solution(t), 10 * tol);
    EXPECT_NEAR(run->last_step().value(0, t), run->x()[0], 200 * eps);
    ends.push_back(copy(run->x()));
  }
  EXPECT_EQ(ends.front(), ends.back()) << "bit for bit";
  EXPECT_EQ(run->work().n_steps, n_steps);
}

TEST(RadauEngine, BouncingBallKeepsItsFactors) {
  constexpr double g = 10.0;
  constexpr double restitution = 0.8;
  RadauProblem p;
  p.system = make_system({.unknowns = unknowns({"h", "v"}),
                          .derivative =
                              [](double, In x, Out d) {
                                d[0] = x[1];
                                d[1] = -g;
                              },
                          .jacobian =
                              [](double, In, In, Out j, Out e) {
                                j[0] = j[1] = j[3] = 0.0;
                                j[2] = -1.0;
                                e[0] = e[3] = 1.0;
                                e[1] = e[2] = 0.0;
                              }});
  p.t1 = 100.0;
  p.x0 = {1.0, 0.0};
  p.xdot0 = {0.0, -g};
  RadauRun run(p, {.rtol = 1e-6, .atol = {1e-6}});
  // Impacts at t_1 = sqrt(2/g) and then after flights of 2 v / g.
  double v = std::sqrt(2.0 * g);
  double impact = v / g;
  for (int k = 0; k < 10; ++k) {
    while (run->x()[0] > 0) run->step(p.t1).value();
    run->shorten(impact).value();
    // Parabolas are exact: rounding of a few operations on numbers below 5.
    EXPECT_NEAR(run->x()[0], 0.0, 200 * eps);
    EXPECT_NEAR(run->x()[1], -v, 200 * eps);
    v *= restitution;
    const std::vector<double> x = {0.0, v};
    const std::vector<double> xdot = {v, -g};
    run->start({impact, x, xdot}, p.t1, {.step = 0.1 * v / g, .keep_jacobian = true}).value();
    run->step(p.t1).value();
    impact += 2.0 * v / g;
  }
  EXPECT_EQ(run->work().n_jacobians, 1u);
  EXPECT_EQ(run->work().n_starts, 11u);
}

TEST(RadauEngine, RefusedStagesLeadToSmallerStepsUpToTheSurface) {
  RadauRun run(falling(), {.rtol = 1e-6, .atol = {1e-6}});
  double lowest = 1.0;
  run->set_stage_check([&](double, In x) {
    if (x[0] < 0) return false;
    lowest = std::min(lowest, x[0]);
    return true;
  });
  const Result<void> done = run.to(2.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::out_of_domain);
  EXPECT_GE(run->x()[0], 0.0);
  // 16 ulp is the smallest step, and half of what is left is always tried.
  EXPECT_LE(run->x()[0], 100 * eps);
  EXPECT_GT(run->work().n_refused_points, 10u);
  EXPECT_EQ(run->work().n_error_failures, 0u);
  EXPECT_NEAR(run->xdot()[0], -1.0, 100 * eps);
}

TEST(RadauEngine, AStartOnTheSurfaceItMustNotCrossIsNotRefused) {
  RadauProblem p = falling();
  p.x0 = {-1e-18};  // beyond by rounding, moving away
  p.xdot0 = {1.0};
  p.system = make_system(
      {.unknowns = unknowns({"x"}), .derivative = [](double, In, Out d) { d[0] = 1.0; }});
  RadauRun run(p, {});
  run->set_stage_check([](double, In x) { return x[0] >= 0; });
  EXPECT_TRUE(run.to(2.0));
}

TEST(RadauEngine, PointsOutOfDomainAreAvoided) {
  // x' = -sqrt(x), x = (1 - t/2)^2: no real number beyond zero.
  RadauProblem p = falling();
  p.system = make_system({.unknowns = unknowns({"x"}),
                          .derivative = [](double, In x, Out d) { d[0] = -std::sqrt(x[0]); }});
  RadauRun run(p, {.rtol = 1e-6, .atol = {1e-8}, .initial_step = 5.0});
  run.to(1.9).value();
  EXPECT_NEAR(run->x()[0], 0.05 * 0.05, 1e-5);
  EXPECT_EQ(run->work().n_convergence_failures + run->work().n_error_failures +
                    run->work().n_refused_points >
                0,
            true);
}

TEST(RadauEngine, AnEvaluationThatFailsEndsTheRunAtOnce) {
  RadauProblem p = falling();
  p.system = make_system({.unknowns = unknowns({"x"}),
                          .derivative =
                              [](double t, In, Out d) {
                                if (t > 0.5) throw std::runtime_error("no more data");
                                d[0] = -1.0;
                              },
                          .jacobian =
                              [](double, In, In, Out j, Out e) {
                                j[0] = 0.0;
                                e[0] = 1.0;
                              }});
  RadauRun run(p, {.initial_step = 0.01, .max_step = 0.01});
  const Result<void> done = run.to(2.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::external_failed);
  EXPECT_LE(run->t(), 0.5);
  EXPECT_GT(run->t(), 0.48);
  EXPECT_NEAR(run->x()[0], 1.0 - run->t(), 100 * eps);
}

TEST(RadauEngine, ASingularSystemNamesTheUnknown) {
  RadauProblem p = oscillator();
  p.system = make_system(
      {.unknowns = unknowns({"level", "flow"}), .residual = [](double, In, In xdot, Out f) {
         f[0] = xdot[0] + xdot[1] - 1.0;
         f[1] = 2.0 * (xdot[0] + xdot[1] - 1.0);
       }});
  RadauRun run(p, {});
  const Result<void> done = run.to(1.0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::singular);
  EXPECT_NE(done.failure().message.find("'flow'"), std::string::npos) << done.failure().message;
  EXPECT_EQ(run->t(), 0.0);
  EXPECT_EQ(copy(run->x()), p.x0);
}

TEST(RadauEngine, UnknownsThatMustNotBecomeNegative) {
  const RadauProblem p = falling();
  constexpr double atol = 1e-8;
  RadauRun run(p, {.rtol = 1e-6, .atol = {atol}, .non_negative = {1}});
  // Steps that would end below zero are halved until the end is zero within tolerance.
  while (run->work().n_corrections == 0) {
    run->step(p.t1).value();
    ASSERT_GE(run->x()[0], 0.0);
    ASSERT_LT(run->work().n_steps, 100u);
  }
  EXPECT_EQ(run->x()[0], 0.0);
  EXPECT_NEAR(run->t(), 1.0, atol);
  EXPECT_LE(run->work().largest_correction, atol);
  EXPECT_EQ(run->work().n_error_failures, 0u);

  // It cannot go on: a failure instead of 1e8 steps along zero.
  const Result<void> done = run.to(p.t1);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.failure().code, FailureCode::step_too_small);
  EXPECT_EQ(run->x()[0], 0.0);

  RadauProblem r = robertson();
  RadauRun chemistry(r, {.rtol = 1e-4, .atol = {1e-8}, .non_negative = {1, 1, 1}});
  while (chemistry->t() != r.t1) {
    chemistry->step(r.t1).value();
    for (const double y : chemistry->x()) ASSERT_GE(y, 0.0);
  }
  EXPECT_LE(mixed_error(chemistry->x().first(2), r.x1), 1e-3);
}

TEST(RadauEngine, CountsAddUp) {
  const RadauProblem p = van_der_pol();
  RadauRun run(p, {.rtol = 1e-5, .atol = {1e-5}});
  run.to(p.t1).value();
  const WorkCounts& w = run->work();
  EXPECT_EQ(w.n_starts, 1u);
  EXPECT_EQ(w.n_refused_points, 0u);
  EXPECT_EQ(w.n_factorizations % 2, 0u);
  // Three stages per iteration, one to four evaluations per error estimate.
  const std::uint64_t estimates = w.n_evaluations - 3 * w.n_newton_iterations;
  EXPECT_GE(estimates, w.n_steps + w.n_error_failures);
  EXPECT_LE(estimates, 4 * (w.n_steps + w.n_error_failures));
  EXPECT_GT(w.n_error_failures, 0u);
  // Jacobians and factors are kept.
  EXPECT_LT(w.n_jacobians, w.n_steps);
  EXPECT_LT(w.n_factorizations, 2 * (w.n_steps + w.n_error_failures + w.n_convergence_failures));
  EXPECT_EQ(w.last_order, 5);
}

TEST(RadauEngine, AcceptedStepsAllocateNothing) {
  if (!test::counts_allocations()) GTEST_SKIP() << "another allocator is in use";
  const RadauProblem p = transistor_amplifier();
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    RadauRun run(p, {.rtol = 1e-5, .atol = {1e-5}, .linear_solver = kind});
    run->step(p.t1).value();
    const long before = test::allocations();
    while (run->t() < 0.05) {
      run->step(p.t1).value();
      const StepPolynomial s = run->last_step();
      if (run->work().n_steps % 10 == 0) {
        run->shorten(0.5 * (s.t_left + s.t_right)).value();
        run->start({run->t(), run->x(), run->xdot()}, p.t1, {.step = run->work().last_step})
            .value();
      }
    }
    EXPECT_EQ(test::allocations(), before);
  }
}

TEST(RadauEngine, RunsAreEqualBitForBit) {
  const RadauProblem p = van_der_pol();
  const EngineOptions options{.rtol = 1e-5, .atol = {1e-5}};
  RadauRun first(p, options);
  RadauRun second(p, options);
  first.to(p.t1).value();
  second.to(p.t1).value();
  EXPECT_EQ(copy(first->x()), copy(second->x()));
  EXPECT_EQ(copy(first->xdot()), copy(second->xdot()));
  EXPECT_EQ(first->work().n_evaluations, second->work().n_evaluations);
  // An engine that is started again has forgotten everything.
  second->start({p.t0, p.x0, p.xdot0}, p.t1).value();
  second.to(p.t1).value();
  EXPECT_EQ(copy(first->x()), copy(second->x()));
  // A twin that must differ.
  RadauRun other(p, {.rtol = 1.0000001e-5, .atol = {1e-5}});
  other.to(p.t1).value();
  EXPECT_NE(copy(first->x()), copy(other->x()));
}

TEST(RadauEngine, DenseAndSparseMatricesGiveTheSameSolution) {
  const RadauProblem p = robertson();
  constexpr double tol = 1e-6;
  std::vector<std::vector<double>> ends;
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    RadauRun run(p, {.rtol = tol, .atol = {1e-12}, .linear_solver = kind});
    EXPECT_EQ(run->linear_solver(), kind);
    run.to(p.t1).value();
    ends.push_back(copy(run->x()));
  }
  EXPECT_LE(largest_difference(ends[0], ends[1]), tol);
}

TEST(RadauEngine, ASystemThatChangesItsInternalsIsHeard) {
  for (const auto answer : {StepRefresh::Answer::unchanged, StepRefresh::Answer::new_jacobian,
                            StepRefresh::Answer::restart}) {
    RadauProblem p = oscillator();
    std::vector<double> times;
    p.system = make_system({.unknowns = unknowns({"x", "v"}),
                            .derivative =
                                [](double, In x, Out d) {
                                  d[0] = x[1];
                                  d[1] = -x[0];
                                },
                            .step_accepted =
                                [&times, answer](double t, In, In) {
                                  times.push_back(t);
                                  return answer;
                                }});
    RadauRun run(p, {.rtol = 1e-7, .atol = {1e-7}});
    run.to(p.t1).value();
    EXPECT_LE(largest_difference(run->x(), p.x1), 1e-5);
    EXPECT_EQ(times.size(), run->work().n_steps);
    EXPECT_EQ(times.back(), p.t1);
    if (answer == StepRefresh::Answer::unchanged) {
      EXPECT_LT(run->work().n_jacobians, 3u);
    } else {
      EXPECT_GE(run->work().n_jacobians, run->work().n_steps);
    }
    EXPECT_EQ(run->work().n_starts, 1u);
  }
}

TEST(RadauEngine, FixedStepsAreFixed) {
  const RadauProblem p = oscillator();
  RadauRun run(p, {.fixed_step = 0.3});
  run.to(10.0).value();
  EXPECT_EQ(run->work().n_steps, 34u);  // 33 of 0.3 and one of 0.1
  EXPECT_EQ(run->work().n_error_failures, 0u);
  RadauRun divided(p, {.fixed_step = 0.1});
  divided.to(10.0).value();
  EXPECT_EQ(divided->work().n_steps, 100u);  // rounding of 0.1 makes no step of its own
}

TEST(RadauEngine, LongestStepsAndStartValuesAreChecked) {
  const RadauProblem p = falling();
  RadauRun run(p, {.max_step = 0.125});
  while (run->t() != p.t1) {
    const double t = run->t();
    run->step(p.t1).value();
    EXPECT_LE(run->t() - t, 0.125);
  }
  const std::vector<double> bad = {std::numeric_limits<double>::quiet_NaN()};
  const Result<void> started = run->start({0.0, bad, p.xdot0}, 1.0);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.failure().code, FailureCode::not_finite);
}

}  // namespace
}  // namespace saltus::radau_test
