// Enclosures of polynomials along a part of a step.
#include "lower/layout/step_ranges.hpp"

#include <random>

#include <gtest/gtest.h>

#include <saltus/numerics/quad.hpp>

namespace saltus {
namespace {

/// p^(k)(s)/k! in quad precision.
Quad scaled_derivative(const std::vector<double>& c, int k, Quad s) {
  Quad sum(0.0);
  for (int j = static_cast<int>(c.size()) - 1; j >= k; --j) {
    Quad binomial(1.0);
    for (int i = 0; i < k; ++i) binomial = binomial * Quad(j - i) / Quad(i + 1);
    sum = sum * s + binomial * Quad(c[static_cast<std::size_t>(j)]);
  }
  return sum;
}

bool contains(const Interval& x, Quad value) {
  return Quad(x.lo()) <= value && value <= Quad(x.hi());
}

/// Calls visit(coefficients, part of the step, k, its enclosure) for random polynomials.
template <class Visit>
void for_random_polynomials(const Visit& visit) {
  constexpr std::uint64_t seed = 42;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> u(-1.0, 1.0), place(0.0, 1.0);
  detail::StepRanges ranges;
  for (int n = 0; n < 2000; ++n) {
    std::vector<double> c(1 + rng() % 20);
    for (double& x : c) x = u(rng);
    const double a = n % 4 == 0 ? 0.0 : place(rng);
    const double b = n % 3 == 0 ? a : a + (1.0 - a) * place(rng);
    const Interval part(a, b);
    ranges.expand(static_cast<int>(c.size()) - 1, part,
                  [&](int j) { return c[static_cast<std::size_t>(j)]; });
    for (int k = 0; k <= 9; ++k) visit(c, part, k, ranges.coefficient(k));
  }
}

TEST(StepRanges, ContainDerivativesInQuadPrecision) {
  for_random_polynomials([](const auto& c, const Interval& part, int k, const Interval& range) {
    for (int i = 0; i <= 8; ++i) {
      const Quad s = Quad(part.lo()) + Quad(i / 8.0) * (Quad(part.hi()) - Quad(part.lo()));
      ASSERT_TRUE(contains(range, scaled_derivative(c, k, s))) << k;
    }
  });
}

TEST(StepRanges, OverTheWholeStepAreTheSame) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  detail::StepRanges ranges, others;
  for (int n = 0; n < 500; ++n) {
    const int degree = static_cast<int>(rng() % 20);
    std::vector<double> c(2 * static_cast<std::size_t>(degree + 1));
    for (double& x : c) x = u(rng);
    const StepPolynomial step{0.0, 1.0, degree, 2, c};
    others.expand(step, 1, Interval(0.0, 1.0));
    const Interval whole = ranges.over_whole(step, 1), expected = others.coefficient(0);
    EXPECT_EQ(whole.lo(), expected.lo()) << degree;
    EXPECT_EQ(whole.hi(), expected.hi()) << degree;
  }
}

/// The twin: coefficients that differ by more than the rounding errors of a point are not contained.
TEST(StepRanges, AtPointsOtherPolynomialsAreNotContained) {
  int n_points = 0, n_outside = 0;
  for_random_polynomials([&](auto c, const Interval& part, int k, const Interval& range) {
    if (!part.is_point() || k > 0 || c.size() < 2) return;
    ++n_points;
    double size = 0.0;
    for (const double x : c) size += std::abs(x);
    // 2 degree roundings, each of at most u * size.
    EXPECT_LE(range.width(), 4 * static_cast<double>(c.size()) * 0x1p-52 * size);
    c[0] += 4 * static_cast<double>(c.size()) * 0x1p-52 * size;
    n_outside += contains(range, scaled_derivative(c, 0, Quad(part.lo()))) ? 0 : 1;
  });
  EXPECT_GT(n_points, 100);
  EXPECT_EQ(n_outside, n_points);
}

TEST(StepRanges, ConstantsAreExact) {
  detail::StepRanges ranges;
  const double c[] = {0.1, 0.0, 0.0};
  ranges.expand(2, Interval(0.3, 0.9), [&](int j) { return c[j]; });
  EXPECT_EQ(ranges.coefficient(0), Interval(0.1));
  EXPECT_EQ(ranges.coefficient(1), Interval(0.0));
}

}  // namespace
}  // namespace saltus
