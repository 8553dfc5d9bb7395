#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/numerics/bernstein.hpp>
#include <saltus/numerics/quad.hpp>

#include "unit/numerics/random_cases.hpp"

namespace saltus::bernstein_test {
namespace {

using Vector = std::vector<double>;
using numerics_test::RandomCases;

constexpr double u = 0x1p-53;

Vector random_list(RandomCases& random, std::size_t size) {
  Vector c(size);
  for (double& x : c) x = random.uniform(-1.0, 1.0);
  return c;
}

template <class T>
std::vector<T> to(const Vector& c) {
  return {c.begin(), c.end()};
}

template <class T>
std::vector<T> bernstein_of(const std::vector<T>& c) {
  std::vector<T> b(c.size());
  bernstein::power_to_bernstein<T>(c, b);
  return b;
}

Quad horner(const Vector& c, Quad s) {
  Quad sum(0);
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * s + Quad(c[k]);
  return sum;
}

double max_abs(const Vector& b) {
  double m = 0;
  for (const double x : b) m = std::max(m, std::abs(x));
  return m;
}

TEST(Bernstein, KnownForms) {
  // 1, s and s^2 in degree 2; all numbers are dyadic, hence exact.
  EXPECT_EQ(bernstein_of(Vector{1.0, 0.0, 0.0}), (Vector{1.0, 1.0, 1.0}));
  EXPECT_EQ(bernstein_of(Vector{0.0, 1.0, 0.0}), (Vector{0.0, 0.5, 1.0}));
  EXPECT_EQ(bernstein_of(Vector{0.0, 0.0, 1.0}), (Vector{0.0, 0.0, 1.0}));
  EXPECT_EQ(bernstein_of(Vector{4.0}), (Vector{4.0}));
}

// The stated bound (n + 2) u sum|c| holds, and is within a factor 30 of what happens.
TEST(Bernstein, ConversionKeepsItsErrorBound) {
  constexpr std::uint64_t seed = 23;
  RandomCases random(seed);
  double worst = 0;
  for (int k = 0; k < 4000; ++k) {
    const Vector c = random_list(random, static_cast<std::size_t>(random.integer(1, 16)));
    const Vector b = bernstein_of(c);
    const std::vector<Quad> exact = bernstein_of(to<Quad>(c));
    const double bound = bernstein::power_to_bernstein_error(c);
    for (std::size_t i = 0; i < b.size(); ++i) {
      worst = std::max(worst, std::abs(double(Quad(b[i]) - exact[i])) / bound);
    }
  }
  EXPECT_LE(worst, 1.0) << "seed " << seed;
  EXPECT_GE(worst, 1.0 / 30) << "seed " << seed;
}

// A bound that assumed a tenth of the rounding must be seen to fail.
TEST(Bernstein, TheBoundCheckSeesASmallerConstant) {
  RandomCases random(23);
  bool exceeded = false;
  for (int k = 0; k < 4000 && !exceeded; ++k) {
    const Vector c = random_list(random, 6);
    const Vector b = bernstein_of(c);
    const std::vector<Quad> exact = bernstein_of(to<Quad>(c));
    for (std::size_t i = 0; i < b.size(); ++i) {
      exceeded |=
          std::abs(double(Quad(b[i]) - exact[i])) > 0.05 * bernstein::power_to_bernstein_error(c);
    }
  }
  EXPECT_TRUE(exceeded);
}

TEST(Bernstein, IntervalFormsContainTheExactOnes) {
  RandomCases random(29);
  for (int k = 0; k < 500; ++k) {
    const Vector c = random_list(random, static_cast<std::size_t>(random.integer(1, 12)));
    const std::vector<Interval> b = bernstein_of(to<Interval>(c));
    const std::vector<Quad> exact = bernstein_of(to<Quad>(c));
    for (std::size_t i = 0; i < b.size(); ++i) {
      // Quad's own rounding (1e-34) is far below the one-ulp margins, except where both are exact.
      ASSERT_TRUE(Quad(b[i].lo()) <= exact[i] && exact[i] <= Quad(b[i].hi()));
    }
    const double s = random.uniform(0.0, 1.0);
    const Interval value = bernstein::evaluate<Interval>(b, Interval(s));
    const Quad p = horner(c, Quad(s));
    ASSERT_TRUE(Quad(value.lo()) <= p && p <= Quad(value.hi()));
  }
}

// Back and forth. Delta^j amplifies an error of the b_i by 2^j C(n, j) <= 2^(2n); with n <= 8 the
// coefficients return to within 2^16 (n + 2) u sum|c|.
TEST(Bernstein, PowerFormReturns) {
  RandomCases random(31);
  for (int k = 0; k < 300; ++k) {
    const std::size_t n = static_cast<std::size_t>(random.integer(0, 8));
    const Vector c = random_list(random, n + 1);
    Vector back = bernstein_of(c);
    bernstein::bernstein_to_power<double>(back, back);
    const double bound = 0x1p16 * 2 * bernstein::power_to_bernstein_error(c);
    for (std::size_t j = 0; j <= n; ++j) ASSERT_NEAR(back[j], c[j], bound);
  }
}

// evaluate: each term meets at most 4 n + 4 roundings, and the terms are convex weights of max|b|.
double evaluation_error(const Vector& b) {
  return static_cast<double>(4 * b.size() + 4) * u * max_abs(b);
}

TEST(Bernstein, RangeContainsTheValues) {
  RandomCases random(37);
  for (int k = 0; k < 300; ++k) {
    const Vector b = random_list(random, static_cast<std::size_t>(random.integer(1, 10)));
    const Interval r = bernstein::range<double>(b);
    for (int i = 0; i <= 20; ++i) {
      const double p = bernstein::evaluate<double>(b, i / 20.0);
      ASSERT_TRUE(Interval(r.lo() - evaluation_error(b), r.hi() + evaluation_error(b)).contains(p));
    }
    EXPECT_EQ(bernstein::evaluate<double>(b, 0.0), b.front());
    EXPECT_EQ(bernstein::evaluate<double>(b, 1.0), b.back());
  }
}

TEST(Bernstein, SplitReproducesBothHalves) {
  RandomCases random(41);
  for (int k = 0; k < 300; ++k) {
    const std::size_t size = static_cast<std::size_t>(random.integer(1, 10));
    const Vector b = random_list(random, size);
    const double s = k % 3 == 0 ? 0.5 : random.uniform(0.0, 1.0);
    Vector left(size);
    Vector right(size);
    bernstein::split<double>(b, s, left, right);
    // Splitting adds 2 n u max|b| to each coefficient; the argument s t or s + (1 - s) t is off by
    // 2 u, times a derivative of at most 2 n max|b|.
    const double n = static_cast<double>(size);
    const double bound = 2 * evaluation_error(b) + (2 * n + 4 * n) * u * max_abs(b);
    for (const double t : {0.0, 0.3, 0.8, 1.0}) {
      ASSERT_NEAR(bernstein::evaluate<double>(left, t), bernstein::evaluate<double>(b, s * t),
                  bound);
      ASSERT_NEAR(bernstein::evaluate<double>(right, t),
                  bernstein::evaluate<double>(b, s + (1 - s) * t), bound);
    }
    EXPECT_EQ(left.back(), right.front());
    Vector in_place = b;
    bernstein::split<double>(in_place, s, left, in_place);
    EXPECT_EQ(in_place, right);
  }
}

TEST(Bernstein, SplitOfIntervalsContainsTheExactSplit) {
  RandomCases random(43);
  for (int k = 0; k < 200; ++k) {
    const Vector b = random_list(random, 7);
    const double s = random.uniform(0.0, 1.0);
    std::vector<Interval> left(7), right(7);
    std::vector<Quad> left_exact(7), right_exact(7);
    bernstein::split<Interval>(to<Interval>(b), s, left, right);
    bernstein::split<Quad>(to<Quad>(b), s, left_exact, right_exact);
    for (std::size_t i = 0; i < 7; ++i) {
      ASSERT_TRUE(Quad(left[i].lo()) <= left_exact[i] && left_exact[i] <= Quad(left[i].hi()));
      ASSERT_TRUE(Quad(right[i].lo()) <= right_exact[i] && right_exact[i] <= Quad(right[i].hi()));
    }
  }
}

TEST(Bernstein, DerivativeAndElevation) {
  RandomCases random(47);
  for (int k = 0; k < 300; ++k) {
    const std::size_t n = static_cast<std::size_t>(random.integer(1, 9));
    const Vector c = random_list(random, n + 1);
    Vector dc(n);
    for (std::size_t j = 1; j <= n; ++j) dc[j - 1] = static_cast<double>(j) * c[j];
    const Vector b = bernstein_of(c);
    const Vector expected = bernstein_of(dc);
    Vector d(n);
    bernstein::derivative<double>(b, d);
    // Errors of two neighbouring b_i, times n, and those of the expected list.
    const double bound = 2 * static_cast<double>(n) * bernstein::power_to_bernstein_error(c) +
                         bernstein::power_to_bernstein_error(dc) +
                         4 * static_cast<double>(n) * u * max_abs(b);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(d[i], expected[i], bound);

    Vector longer = c;
    longer.push_back(0.0);
    const Vector raised = bernstein_of(longer);
    Vector e(n + 2);
    bernstein::elevate<double>(b, e);
    const double both = 2 * bernstein::power_to_bernstein_error(longer) + 4 * u * max_abs(b);
    for (std::size_t i = 0; i < e.size(); ++i) ASSERT_NEAR(e[i], raised[i], both);
  }
  Vector zero(1, 7.0);
  bernstein::derivative<double>(Vector{3.0}, zero);
  EXPECT_EQ(zero, Vector{0.0});
}

TEST(Bernstein, SignVariationsSkipZeros) {
  EXPECT_EQ(bernstein::sign_variations(Vector{1.0, 0.0, 2.0}), 0);
  EXPECT_EQ(bernstein::sign_variations(Vector{1.0, 0.0, -2.0, 0.0, 3.0}), 2);
  EXPECT_EQ(bernstein::sign_variations(Vector{0.0, 0.0}), 0);
}

// Against all choices of signs, by enumeration.
TEST(Bernstein, SignVariationsOfIntervalsAreTheExtremes) {
  const Interval kinds[] = {{-2.0, -1.0}, {1.0, 2.0}, {-1.0, 1.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0}};
  for (int code = 0; code < 6 * 6 * 6 * 6; ++code) {
    std::vector<Interval> b;
    for (int i = 0, rest = code; i < 4; ++i, rest /= 6) b.push_back(kinds[rest % 6]);
    int fewest = 99;
    int most = -1;
    for (int choice = 0; choice < 81; ++choice) {
      Vector v;
      bool inside = true;
      for (int i = 0, rest = choice; i < 4; ++i, rest /= 3) {
        v.push_back(rest % 3 - 1);
        inside &= b[static_cast<std::size_t>(i)].contains(v.back());
      }
      if (!inside) continue;
      fewest = std::min(fewest, bernstein::sign_variations(v));
      most = std::max(most, bernstein::sign_variations(v));
    }
    const bernstein::SignVariations got = bernstein::sign_variations(std::span<const Interval>(b));
    ASSERT_EQ(got.fewest, fewest) << code;
    ASSERT_EQ(got.most, most) << code;
  }
}

TEST(Bernstein, BinomialsAreExactUpToTheLargestDegree) {
  double c = 1.0;
  Quad exact(1);
  const std::size_t n = bernstein::max_degree;
  for (std::size_t j = 0; j < n; ++j) {
    c = bernstein::detail::next_binomial(c, n, j);
    exact = exact * Quad(n - j) / Quad(j + 1);
    ASSERT_EQ(Quad(c), exact) << j;
  }
  Vector too_long(n + 2, 1.0);
  EXPECT_THROW(bernstein::power_to_bernstein<double>(too_long, too_long), InternalError);
}

}  // namespace
}  // namespace saltus::bernstein_test
