// What explicit engines promise beyond their orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <saltus/core/error.hpp>

#include "explicit_systems.hpp"
#include "support/allocation_counter.hpp"

namespace saltus::explicit_test {
namespace {

class ExplicitEngines : public testing::TestWithParam<EngineKind> {
 protected:
  int evaluations_per_step() const { return GetParam() == EngineKind::dopri5 ? 6 : 12; }
};

INSTANTIATE_TEST_SUITE_P(Kinds, ExplicitEngines,
                         testing::Values(EngineKind::dopri5, EngineKind::dop853),
                         [](const auto& kind) { return std::string(name(kind.param)); });

double error_after_one_orbit(const PlainOde& ode, EngineKind kind, double period, double rtol) {
  EngineRun run(ode, kind, tolerance(rtol, rtol));
  EXPECT_TRUE(run.start(0.0, period));
  EXPECT_TRUE(run.to(period));
  const Vector wanted = ode.start_values().x;
  double largest = 0.0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::abs(run.x()[i] - wanted[i]));
  }
  return largest;
}

// Both estimates are O(h^p) where the method has order p, so a step h ~ tol^(1/p) leaves a global
// error ~ tol: slope 1 asymptotically. dop853 takes a dozen steps only; there 0.8 is seen, as with other
// implementations of the method.
TEST_P(ExplicitEngines, ErrorIsProportionalToTheTolerance) {
  const PlainOde ode = two_bodies();
  Vector tolerances, errors;
  for (double rtol = 1e-5; rtol > 1e-11; rtol /= 10) {
    tolerances.push_back(rtol);
    errors.push_back(error_after_one_orbit(ode, GetParam(), 2 * std::numbers::pi, rtol));
  }
  const double slope = observed_order(tolerances, errors);
  EXPECT_NEAR(slope, 1.0, GetParam() == EngineKind::dopri5 ? 0.15 : 0.25);
  for (std::size_t i = 0; i < errors.size(); ++i) EXPECT_LT(errors[i], 1000 * tolerances[i]);
}

TEST_P(ExplicitEngines, ArenstorfOrbitCloses) {
  const PlainOde ode = arenstorf();
  // Near the moon errors grow by about 1e4 (known from reference runs of any method).
  const double loose = error_after_one_orbit(ode, GetParam(), arenstorf_period, 1e-8);
  const double tight = error_after_one_orbit(ode, GetParam(), arenstorf_period, 1e-11);
  EXPECT_LT(loose, 1e6 * 1e-8);
  EXPECT_LT(tight, 1e6 * 1e-11);
  EXPECT_LT(tight, loose / 100);
}

TEST_P(ExplicitEngines, BackwardRunsReturn) {
  const PlainOde ode = turning();
  EngineRun run(ode, GetParam(), tolerance(1e-9, 1e-9));
  ASSERT_TRUE(run.start(3.0, turning_solution(3.0), -2.0));
  while (run.engine->t() != -2.0) {
    ASSERT_TRUE(run.engine->step(-2.0));
    const StepPolynomial step = run.engine->last_step();
    EXPECT_LT(step.t_right, step.t_left);
    const double t = 0.5 * (step.t_left + step.t_right);
    Vector x(3);
    step.state_at(t, x);
    EXPECT_LT(turning_error(t, x), 100 * 1e-9);
  }
  EXPECT_LT(turning_error(-2.0, run.engine->x()), 100 * 1e-9);
}

TEST_P(ExplicitEngines, BoundsAreHitExactly) {
  const PlainOde ode = turning();
  EngineRun run(ode, GetParam(), tolerance(1e-7, 1e-7));
  ASSERT_TRUE(run.start(0.0, 10.0));
  const double ulp_after_2 = std::nextafter(2.0, 3.0);
  for (const double bound : {0.1, 1.0 / 3.0, 0.7, 2.0, ulp_after_2, 2.1, 9.99999}) {
    ASSERT_TRUE(run.to(bound));
    EXPECT_EQ(run.engine->t(), bound);
    EXPECT_EQ(run.engine->last_step().t_right, bound);
    EXPECT_LT(turning_error(bound, run.engine->x()), 100 * 1e-7);
  }
}

TEST_P(ExplicitEngines, NoStepIsTinyWithoutNeed) {
  const PlainOde ode = turning();
  for (double t_end = 3.0; t_end < 3.3; t_end += 0.01) {
    EngineRun run(ode, GetParam(), tolerance(1e-7, 1e-7));
    ASSERT_TRUE(run.start(0.0, t_end));
    double before = 0.0;
    while (run.engine->t() != t_end) {
      ASSERT_TRUE(run.engine->step(t_end));
      const double now = run.engine->work().last_step;
      // Half a step at the end, and what the controller does on its own.
      EXPECT_GT(now, 0.3 * before) << run.engine->t();
      before = now;
    }
  }
}

TEST_P(ExplicitEngines, MaxStepIsRespectedAndAHintIsUsed) {
  const PlainOde ode = turning();
  EngineOptions options = tolerance(1e-3, 1e-3);
  options.max_step = 0.01;
  EngineRun run(ode, GetParam(), options);
  ASSERT_TRUE(run.start(0.0, 1.0, {.step = -0.004}));
  ASSERT_TRUE(run.engine->step(1.0));
  EXPECT_EQ(run.engine->t(), 0.004);
  double t = 0.004;
  while (run.engine->t() != 1.0) {
    ASSERT_TRUE(run.engine->step(1.0));
    EXPECT_LE(run.engine->t() - t, 0.01 + 64 * 0x1p-52);
    t = run.engine->t();
  }
  EXPECT_GE(run.engine->work().n_steps, 100u);
}

TEST_P(ExplicitEngines, FixedStepsAreFixed) {
  const PlainOde ode = turning();
  EngineRun run(ode, GetParam(), fixed_steps(0.1));
  ASSERT_TRUE(run.start(0.0, 1.0));
  ASSERT_TRUE(run.to(1.0));
  EXPECT_EQ(run.engine->work().n_steps, 10u);  // ten times 0.1 is not 1 in binary
  ASSERT_TRUE(run.to(1.25));
  EXPECT_EQ(run.engine->work().n_steps, 13u);
  EXPECT_EQ(run.engine->work().n_error_failures, 0u);
}

// A run that is restarted from its own point differs by its first step only: both meet the tolerance.
TEST_P(ExplicitEngines, SplitRunsAgree) {
  const PlainOde ode = turning();
  EngineRun whole(ode, GetParam(), tolerance(1e-9, 1e-9));
  EngineRun split(ode, GetParam(), tolerance(1e-9, 1e-9));
  ASSERT_TRUE(whole.start(0.0, 4.0));
  ASSERT_TRUE(whole.to(4.0));
  ASSERT_TRUE(split.start(0.0, 4.0));
  ASSERT_TRUE(split.to(1.7));
  // The engine's own vectors may be handed in.
  ASSERT_TRUE(split.engine->start({1.7, split.engine->x(), split.engine->xdot()}, 4.0));
  ASSERT_TRUE(split.to(4.0));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(whole.x()[i], split.x()[i], 100 * 1e-9);
  EXPECT_EQ(split.engine->work().n_starts, 2u);
}

TEST_P(ExplicitEngines, SecondRunIsTheSameBitForBit) {
  const PlainOde ode = arenstorf();
  std::vector<Vector> ends;
  for (int i = 0; i < 2; ++i) {
    EngineRun run(ode, GetParam(), tolerance(1e-7, 1e-7));
    ASSERT_TRUE(run.start(0.0, 5.0));
    ASSERT_TRUE(run.to(5.0));
    ends.push_back(run.x());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_P(ExplicitEngines, PolynomialMeetsBothEndsAndTheirSlopes) {
  const PlainOde ode = turning();
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 3.0));
  while (run.engine->t() != 3.0) {
    const Vector x_left = run.x();
    const Vector f_left(run.engine->xdot().begin(), run.engine->xdot().end());
    ASSERT_TRUE(run.engine->step(3.0));
    const StepPolynomial step = run.engine->last_step();
    EXPECT_EQ(step.degree, GetParam() == EngineKind::dopri5 ? 4 : 7);
    for (std::uint32_t i = 0; i < 3; ++i) {
      double size = 0.0;
      for (int k = 0; k <= step.degree; ++k) size += std::abs(step.coefficient(k, i));
      EXPECT_EQ(step.value(i, step.t_left), x_left[i]);
      // The sum of `degree` coefficients, each with a few roundings of numbers of that size.
      const double rounding = 16 * 0x1p-53 * step.degree * size;
      EXPECT_NEAR(step.value(i, step.t_right), run.engine->x()[i], rounding);
      const double h = step.t_right - step.t_left;
      EXPECT_NEAR(step.slope(i, step.t_left), f_left[i], rounding / h);
      EXPECT_NEAR(step.slope(i, step.t_right), run.engine->xdot()[i], step.degree * rounding / h);
    }
  }
}

TEST_P(ExplicitEngines, EvaluationsAreCounted) {
  const PlainOde ode = turning();
  std::uint64_t calls = 0;
  PlainOde counting({0.0, 1.0}, [&](double, auto x, auto f) {
    ++calls;
    f[0] = x[1];
    f[1] = -x[0];
    return Evaluation::ok();
  });
  EngineRun run(counting, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 20.0));
  const std::uint64_t at_start = run.engine->work().n_evaluations;
  EXPECT_EQ(at_start, 2u);  // the point itself and one for the first step
  ASSERT_TRUE(run.to(20.0));
  const WorkCounts& work = run.engine->work();
  EXPECT_EQ(work.n_evaluations, calls);
  // dopri5 needs the new point for its error, dop853 evaluates there once the error is known.
  const auto per_step = static_cast<std::uint64_t>(evaluations_per_step());
  const std::uint64_t per_failure = GetParam() == EngineKind::dopri5 ? 6 : 11;
  EXPECT_EQ(work.n_evaluations - at_start,
            per_step * work.n_steps + per_failure * work.n_error_failures);
  EXPECT_GT(work.n_steps, 5u);

  // The extension costs nothing, or three evaluations once.
  const std::uint64_t dense = GetParam() == EngineKind::dopri5 ? 0 : 3;
  const std::uint64_t before = work.n_evaluations;
  run.engine->last_step();
  run.engine->last_step();
  EXPECT_EQ(work.n_evaluations, before + dense);
}

TEST_P(ExplicitEngines, StepsAllocateNothing) {
  if (!test::counts_allocations()) GTEST_SKIP();
  const PlainOde ode = arenstorf();
  EngineRun run(ode, GetParam(), tolerance(1e-8, 1e-8));
  run.engine->set_stage_check([](double, auto) { return true; });
  ASSERT_TRUE(run.start(0.0, 10.0));
  ASSERT_TRUE(run.engine->step(10.0));
  const long before = test::allocations();
  bool fine = true;
  double sum = 0.0;
  while (run.engine->t() != 10.0) {
    fine = fine && run.engine->step(10.0);
    const StepPolynomial step = run.engine->last_step();
    sum += step.value(0, step.t_right);
  }
  const double middle = 0.5 * (run.engine->last_step().t_left + 10.0);
  fine = fine && run.engine->shorten(middle);
  fine = fine && run.engine->start({middle, run.engine->x(), run.engine->xdot()}, 11.0);
  EXPECT_EQ(test::allocations(), before);
  EXPECT_TRUE(fine && std::isfinite(sum));
}

TEST_P(ExplicitEngines, ShortenedStepsMayBeShortenedAgain) {
  const PlainOde ode = turning();
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 3.0, {.step = 0.2}));
  ASSERT_TRUE(run.engine->step(3.0));
  ASSERT_TRUE(run.engine->step(3.0));
  const StepPolynomial step = run.engine->last_step();
  const double left = step.t_left;
  const double h = step.t_right - left;
  for (const double s : {0.5, 0.25, 0.75}) {
    const double t = left + s * h;
    ASSERT_TRUE(run.engine->shorten(t));
    EXPECT_EQ(run.engine->t(), t);
    EXPECT_LT(turning_error(t, run.engine->x()), 100 * 1e-6);
    const StepPolynomial shorter = run.engine->last_step();
    EXPECT_EQ(shorter.t_left, left);
    EXPECT_EQ(shorter.t_right, t);
    EXPECT_NEAR(shorter.value(0, t), run.engine->x()[0], 64 * 0x1p-52);
  }
  EXPECT_THROW(static_cast<void>(run.engine->step(3.0)), InternalError);
  EXPECT_THROW(static_cast<void>(run.engine->shorten(left)), InternalError);
}

TEST_P(ExplicitEngines, UnusedSystemsAreRefusedByName) {
  PlainOde ode(
      {1.0, 2.0, 3.0}, [](double, auto, auto) { return Evaluation::ok(); }, false);
  const auto message = [&] {
    try {
      EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
    } catch (const OptionError& error) {
      EXPECT_EQ(error.field(), "engine");
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string coupled = message();
  EXPECT_NE(coupled.find("equation 'row 1'"), std::string::npos) << coupled;
  ode.make_algebraic(2);
  const std::string algebraic = message();
  EXPECT_NE(algebraic.find("derivative of 'x2'"), std::string::npos) << algebraic;
  EXPECT_NE(algebraic.find("use radau or ida"), std::string::npos) << algebraic;
}

TEST_P(ExplicitEngines, TheSystemHearsOfEveryStep) {
  PlainOde ode = turning();
  std::vector<double> times;
  bool fine = true;
  ode.step_accepted = [&](double t, auto x, auto) {
    times.push_back(t);
    fine = fine && turning_error(t, x) < 1e-4;
    return times.size() == 3 ? StepRefresh::Answer::restart : StepRefresh::Answer::unchanged;
  };
  EngineRun run(ode, GetParam(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.start(0.0, 3.0));
  while (run.engine->t() != 3.0) {
    ASSERT_TRUE(run.engine->step(3.0));
    EXPECT_EQ(times.size(), run.engine->work().n_steps);
    EXPECT_EQ(times.back(), run.engine->t());
  }
  EXPECT_TRUE(fine);
  EXPECT_GT(times.size(), 3u);
}

// x' = t^5 until the system turns into x' = -t^5; the step before is still the one that was made.
TEST_P(ExplicitEngines, AStepIsNotTouchedByAChangeAfterIt) {
  double sign = 1.0;
  PlainOde ode({0.0}, [&](double t, auto, auto f) {
    f[0] = sign * std::pow(t, 5);
    return Evaluation::ok();
  });
  ode.step_accepted = [&](double, auto, auto) {
    sign = -1.0;
    return StepRefresh::Answer::restart;
  };
  EngineRun run(ode, GetParam(), tolerance(1e-9, 1e-9));
  ASSERT_TRUE(run.start(0.0, 2.0, {.step = 0.25}));
  ASSERT_TRUE(run.engine->step(2.0));
  const StepPolynomial step = run.engine->last_step();
  const double middle = 0.5 * step.t_right;
  // An extension of order 7 reproduces t^6 up to rounding; the free one evaluates nothing.
  const double size = std::pow(step.t_right, 6);
  const double allowed = GetParam() == EngineKind::dopri5 ? 1e-2 * size : 1e-3 * size / 384;
  EXPECT_NEAR(step.value(0, middle), std::pow(middle, 6) / 6, allowed);
  EXPECT_EQ(step.degree, GetParam() == EngineKind::dopri5 ? 4 : 7);
  const double t = run.engine->t();
  const double x = run.x()[0];
  ASSERT_TRUE(run.to(1.0));
  EXPECT_NEAR(run.x()[0], x - (1.0 - std::pow(t, 6)) / 6, 100 * 1e-9);
}

// x' = -lambda (x - cos t): after a short transient only stability limits the step.
TEST_P(ExplicitEngines, StiffnessIsFoundWhereItIs) {
  const PlainOde stiff({0.0, 1.0}, [](double t, auto x, auto f) {
    f[0] = -1e4 * (x[0] - std::cos(t));
    f[1] = -x[1];
    return Evaluation::ok();
  });
  EngineRun run(stiff, GetParam(), tolerance(1e-5, 1e-5));
  ASSERT_TRUE(run.start(0.0, 1.0));
  EXPECT_FALSE(run.engine->finds_stiff());
  ASSERT_TRUE(run.to(1.0));
  EXPECT_TRUE(run.engine->finds_stiff());

  const PlainOde ode = arenstorf();
  for (const double rtol : {1e-4, 1e-7, 1e-10}) {
    EngineRun orbit(ode, GetParam(), tolerance(rtol, rtol));
    ASSERT_TRUE(orbit.start(0.0, 2 * arenstorf_period));
    ASSERT_TRUE(orbit.to(2 * arenstorf_period));
    EXPECT_FALSE(orbit.engine->finds_stiff()) << rtol;
  }
}

}  // namespace
}  // namespace saltus::explicit_test
