#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "unit/integrate/ida_problems.hpp"

namespace saltus::test::ida {
namespace {

/// Sum of |coefficient| of an unknown: what rounding is measured by.
double size_of(const StepPolynomial& step, std::uint32_t i) {
  double sum = 0.0;
  for (int k = 0; k <= step.degree; ++k) sum += std::abs(step.coefficient(k, i));
  return sum;
}

// Shifting the centre adds up to 2^5 terms, each rounded; IDA's own sums are as long.
constexpr double rounding = 64 * eps;

/// Largest difference from what shorten() reads from IDA's history, in units of rounding.
double largest_difference(Engine& engine, const StepPolynomial& step) {
  double worst = 0.0;
  for (const double s : {0.1, 0.35, 0.5, 0.77, 0.99}) {
    const double t = step.t_left + s * (step.t_right - step.t_left);
    EXPECT_TRUE(engine.shorten(t));
    for (std::uint32_t i = 0; i < step.n; ++i) {
      const double unit = rounding * size_of(step, i);
      worst = std::max(worst, std::abs(step.value(i, t) - engine.x()[i]) / unit);
      const double slope_unit = 5 * unit / std::abs(step.t_right - step.t_left);
      worst = std::max(worst, std::abs(step.slope(i, t) - engine.xdot()[i]) / slope_unit);
    }
  }
  return worst;
}

struct Kept {
  StepPolynomial step;
  std::vector<double> coefficients;
};
Kept keep(const StepPolynomial& step) {
  Kept kept{step, {step.coefficients.begin(), step.coefficients.end()}};
  kept.step.coefficients = kept.coefficients;
  return kept;
}

/// Steps `n` times and looks at the last one.
void check_after(const InitialValueProblem& problem, int n, std::set<int>& degrees) {
  IdaRun run(problem, tolerance(1e-6, 1e-6));
  for (int k = 0; k < n; ++k) ASSERT_TRUE(run->step(problem.t_end));
  const Kept kept = keep(run->last_step());
  EXPECT_EQ(kept.step.degree, run->work().last_order);
  degrees.insert(kept.step.degree);
  EXPECT_LT(largest_difference(run.engine(), kept.step), 1.0) << "step " << n;
  // Twin: one coefficient shifted by far less than the tolerance.
  Kept wrong = keep(kept.step);
  wrong.coefficients[problem.x0.size()] += 1e-10 * (1 + std::abs(wrong.coefficients[0]));
  EXPECT_GT(largest_difference(run.engine(), wrong.step), 1.0) << "step " << n;
}

TEST(IdaPolynomial, IsWhatIdaInterpolatesWith) {
  std::set<int> degrees;
  for (const int n : {1, 2, 3, 4, 5, 8, 13, 30, 60}) {
    check_after(oscillator(), n, degrees);
    check_after(index_one(), n, degrees);
  }
  EXPECT_TRUE(degrees.contains(1) && degrees.contains(2) && degrees.contains(5));
}

TEST(IdaPolynomial, JoinsTheTwoPointsOfEveryStep) {
  for (const auto& problem : {oscillator(), index_one(), robertson()}) {
    IdaRun run(problem, tolerance(1e-7, 1e-9));
    std::vector<double> before = problem.x0;
    // Bounds that are hit at once, by a last short step, and after restarts in between.
    for (const double bound : {1e-5, 0.5, 0.5 + 1e-9, 1.0, 10.0}) {
      while (run->t() != bound) {
        const double t_left = run->t();
        ASSERT_TRUE(run->step(bound));
        const StepPolynomial step = run->last_step();
        EXPECT_EQ(step.t_left, t_left);
        EXPECT_EQ(step.t_right, run->t());
        for (std::uint32_t i = 0; i < step.n; ++i) {
          const double unit = rounding * size_of(step, i);
          EXPECT_NEAR(step.value(i, t_left), before[i], unit) << "t = " << t_left;
          EXPECT_NEAR(step.value(i, run->t()), run->x()[i], unit) << "t = " << run->t();
        }
        before.assign(run->x().begin(), run->x().end());
      }
    }
  }
}

TEST(IdaPolynomial, ABoundWithinRoundingIsAStepToo) {
  IdaRun run(oscillator(), tolerance(1e-6, 1e-6));
  ASSERT_TRUE(run.to(1.0));
  for (const double bound : {std::nextafter(1.0, 2.0), 1.0 + 1e-15, 1.0 + 3e-14}) {
    const std::vector<double> before(run->x().begin(), run->x().end());
    const double t_left = run->t();
    ASSERT_TRUE(run->step(bound));
    ASSERT_EQ(run->t(), bound);
    const StepPolynomial step = run->last_step();
    EXPECT_NEAR(step.value(0, t_left), before[0], 1e-13);
    EXPECT_EQ(step.t_right, bound);
    // A step as short as this knows its slope to rounding over its length.
    EXPECT_NEAR(run->xdot()[0], run->x()[1], 1e-5 + (bound > 1.0 + 2e-14 ? 4 * eps / 3e-14 : 0.0));
  }
  ASSERT_TRUE(run.to(2.0));
  EXPECT_NEAR(run->x()[0], std::cos(2.0), 1e-4);

  // The same right after a start, where IDA would refuse.
  IdaRun first(oscillator(), tolerance(1e-6, 1e-6));
  const double ulp = std::nextafter(5.0, 6.0);
  const std::vector<double> x = {std::cos(5.0), -std::sin(5.0)}, xdot = {x[1], -x[0]};
  ASSERT_TRUE(first->start({5.0, x, xdot}, 10.0));
  ASSERT_TRUE(first->step(ulp));
  EXPECT_EQ(first->t(), ulp);
  EXPECT_EQ(first->last_step().degree, 1);
  EXPECT_EQ(first->last_step().value(0, 5.0), x[0]);
  ASSERT_TRUE(first.to(10.0));
  EXPECT_NEAR(first->x()[0], std::cos(10.0), 1e-4);
}

TEST(IdaPolynomial, ShortenedStepEndsWhereItWasShortened) {
  IdaRun run(oscillator(), tolerance(1e-8, 1e-8));
  for (int k = 0; k < 40; ++k) ASSERT_TRUE(run->step(10.0));
  const Kept whole = keep(run->last_step());
  for (const double s : {0.7, 0.2, 0.9}) {  // each of the original step
    const double t = whole.step.t_left + s * (whole.step.t_right - whole.step.t_left);
    ASSERT_TRUE(run->shorten(t));
    EXPECT_EQ(run->t(), t);
    const StepPolynomial part = run->last_step();
    EXPECT_EQ(part.t_right, t);
    for (const double u : {0.0, 0.3, 1.0}) {
      const double at = part.t_left + u * (t - part.t_left);
      EXPECT_NEAR(part.value(0, at), whole.step.value(0, at), rounding * size_of(whole.step, 0));
    }
  }
}

}  // namespace
}  // namespace saltus::test::ida
