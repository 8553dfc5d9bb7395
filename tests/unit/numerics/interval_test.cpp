#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <saltus/numerics/interval.hpp>

#include "unit/numerics/random_cases.hpp"

namespace saltus::interval_test {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double tiny = std::numeric_limits<double>::denorm_min();

TEST(Interval, ConstructionNeverHoldsNaNOrAnEmptySet) {
  EXPECT_EQ(Interval(), Interval(0.0, 0.0));
  EXPECT_TRUE(Interval(nan).is_entire());
  EXPECT_TRUE(Interval(0.0, nan).is_entire());
  EXPECT_TRUE(Interval(2.0, 1.0).is_entire());
  EXPECT_EQ(Interval(inf), Interval(largest, inf));
  EXPECT_EQ(Interval(-inf), Interval(-inf, -largest));
}

TEST(Interval, NeighboursAgreeWithNextafter) {
  numerics_test::RandomCases random(7);
  for (int k = 0; k < 20000; ++k) {
    const double x = random.number();
    ASSERT_EQ(detail::next_down(x), std::nextafter(x, -inf)) << std::hexfloat << x;
    ASSERT_EQ(detail::next_up(x), std::nextafter(x, inf)) << std::hexfloat << x;
  }
  EXPECT_EQ(detail::next_down(inf), largest);
  EXPECT_EQ(detail::next_down(-inf), -inf);
  EXPECT_EQ(detail::next_down(-largest), -inf);
  EXPECT_EQ(detail::next_down(0.0), -tiny);
  EXPECT_EQ(detail::next_up(-0.0), tiny);
  EXPECT_EQ(detail::next_up(-tiny), 0.0);
}

TEST(Interval, ExactResultsStayExact) {
  const Interval x(0.1, 0.3);
  EXPECT_EQ(x + Interval(0.0), x);
  EXPECT_EQ(x - Interval(0.0), x);
  EXPECT_EQ(x * Interval(1.0), x);
  EXPECT_EQ(x / Interval(1.0), x);
  EXPECT_EQ(x * Interval(0.0), Interval(0.0));
  EXPECT_EQ(Interval(0.1) - Interval(0.1), Interval(0.0));
  EXPECT_EQ(-x, Interval(-0.3, -0.1));
  EXPECT_EQ(sin(Interval(0.0)), Interval(0.0));
  EXPECT_EQ(powi(x, 0), Interval(1.0));
  EXPECT_EQ(powi(x, 1), x);
}

TEST(Interval, ZeroTimesInfinityIsZero) {
  EXPECT_EQ(Interval(0.0) * Interval::entire(), Interval(0.0));
  const Interval ray(0.0, inf);
  EXPECT_EQ(ray * ray, ray);
  EXPECT_EQ(ray * Interval(-1.0, 0.0), Interval(-inf, 0.0));
  EXPECT_TRUE((ray - ray).is_entire());
  EXPECT_EQ(Interval(1.0, inf) / Interval(1.0, inf), ray);
}

TEST(Interval, OverflowKeepsTheLargestDoubleBelow) {
  const Interval sum = Interval(largest) + Interval(largest);
  EXPECT_EQ(sum, Interval(largest, inf));
  EXPECT_EQ(Interval(-largest) * Interval(largest), Interval(-inf, -largest));
  EXPECT_EQ(exp(Interval(1e5)).hi(), inf);
  EXPECT_LE(exp(Interval(1e5)).lo(), largest);
  EXPECT_GT(exp(Interval(1e5)).lo(), 0.9 * largest);
}

TEST(Interval, UnderflowKeepsTheSign) {
  EXPECT_EQ(Interval(tiny) * Interval(tiny), Interval(0.0, tiny));
  EXPECT_EQ(Interval(-tiny) * Interval(tiny), Interval(-tiny, 0.0));
  EXPECT_EQ(Interval(tiny) / Interval(largest), Interval(0.0, tiny));
  EXPECT_EQ(exp(Interval(-1e5)).lo(), 0.0);
  EXPECT_GT(exp(Interval(-1e5)).hi(), 0.0);
}

TEST(Interval, OutsideADomainIsEntire) {
  EXPECT_TRUE((Interval(1.0) / Interval(-1.0, 1.0)).is_entire());
  EXPECT_TRUE((Interval(1.0) / Interval(0.0)).is_entire());
  EXPECT_TRUE(sqrt(Interval(-1e-300, 1.0)).is_entire());
  EXPECT_TRUE(log(Interval(-1.0, 1.0)).is_entire());
  EXPECT_TRUE(log(Interval(0.0)).is_entire());
  EXPECT_TRUE(asin(Interval(0.5, 1.5)).is_entire());
  EXPECT_TRUE(acos(Interval(-1.5, 0.5)).is_entire());
  EXPECT_TRUE(pow(Interval(-1.0, 2.0), Interval(0.5)).is_entire());
  EXPECT_TRUE(pow(Interval(0.0, 2.0), Interval(-0.5)).is_entire());
  EXPECT_TRUE(tan(Interval(1.5, 1.6)).is_entire());
  EXPECT_EQ(log(Interval(0.0, 1.0)).lo(), -inf);
}

TEST(Interval, EvenPowersAndSquaresAreNonnegative) {
  const Interval x(-2.0, 1.0);
  EXPECT_EQ(sqr(x).lo(), 0.0);
  EXPECT_EQ(powi(x, 4).lo(), 0.0);
  EXPECT_TRUE(sqr(x).contains(4.0));
  // n = 4 by two squarings, each rounded up by one neighbour: relative 2 * 2^-52 + the doubled first.
  EXPECT_LE(powi(x, 4).hi(), 16.0 * (1 + 4 * 0x1p-52));
  EXPECT_TRUE(powi(x, 3).contains(Interval(-8.0, 1.0)));
  EXPECT_TRUE(powi(x, -2).is_entire());
  EXPECT_TRUE(pow(x, Interval(3.0)).contains(-8.0));
}

TEST(Interval, CircularFunctionsFindTheirExtrema) {
  EXPECT_EQ(sin(Interval(0.0, 2.0)).hi(), 1.0);
  EXPECT_LE(sin(Interval(0.0, 2.0)).lo(), 0.0);
  EXPECT_GT(sin(Interval(0.0, 2.0)).lo(), -1e-300);
  EXPECT_EQ(sin(Interval(4.0, 5.0)).lo(), -1.0);
  EXPECT_EQ(cos(Interval(-1.0, 1.0)).hi(), 1.0);
  EXPECT_EQ(cos(Interval(3.0, 3.5)).lo(), -1.0);
  EXPECT_LT(cos(Interval(3.0, 3.5)).hi(), -0.9);
  EXPECT_EQ(sin(Interval(0.0, 7.0)), Interval(-1.0, 1.0));
  EXPECT_EQ(cos(Interval(1e300, 1.1e300)), Interval(-1.0, 1.0));
  EXPECT_EQ(sin(Interval::entire()), Interval(-1.0, 1.0));
  EXPECT_LT(sin(Interval(1e300)).width(), 1e-14);
  EXPECT_FALSE(tan(Interval(-1.5, 1.5)).is_entire());
}

TEST(Interval, Atan2MeetsItsCutOnlyOnTheNegativeAxis) {
  const double pi = 3.141592653589793;
  EXPECT_TRUE(atan2(Interval(-1.0, 1.0), Interval(-2.0, -1.0)).contains(Interval(-pi, pi)));
  EXPECT_TRUE(atan2(Interval(0.0), Interval(0.0)).contains(0.0));
  EXPECT_LT(atan2(Interval(-1.0, 1.0), Interval(1.0, 2.0)).hi(), 0.79);
  EXPECT_GT(atan2(Interval(1.0, 2.0), Interval(-1.0, 1.0)).lo(), 0.78);
}

// At a point a libm enclosure is 2 * 10 u |f| wide, u = 2^-53, plus 8 smallest numbers, each
// rounded once more when formed: 24 u |f| + 16 smallest.
TEST(Interval, EnclosuresOfPointsAreTight) {
  numerics_test::RandomCases random(11);
  for (int k = 0; k < 5000; ++k) {
    const double x = random.uniform(-5.0, 5.0);
    for (const Interval& f : {exp(Interval(x)), sin(Interval(x)), atan(Interval(x)),
                              tanh(Interval(x)), tan(Interval(x))}) {
      ASSERT_LE(f.width(), 24 * 0x1p-53 * f.mag() + 16 * tiny) << x;
    }
    const Interval s = Interval(x) + Interval(0.1);
    // Both bounds move by one neighbour, at most 2^-52 relative.
    ASSERT_LE(s.width(), 2 * 0x1p-52 * s.mag() * (1 + 0x1p-50)) << x;
  }
}

TEST(Interval, QueriesAndSets) {
  const Interval x(-1.0, 3.0);
  EXPECT_EQ(x.mid(), 1.0);
  EXPECT_EQ(x.mag(), 3.0);
  EXPECT_EQ(x.mig(), 0.0);
  EXPECT_GE(x.width(), 4.0);
  EXPECT_EQ(Interval(-largest, largest).mid(), 0.0);
  EXPECT_EQ(Interval(0.0, inf).mid(), largest);
  EXPECT_TRUE(Interval(tiny).contains(Interval(tiny).mid()));
  EXPECT_EQ(hull(Interval(1.0), Interval(3.0)), Interval(1.0, 3.0));
  EXPECT_EQ(intersect(x, Interval(2.0, 5.0)), Interval(2.0, 3.0));
  EXPECT_FALSE(intersect(x, Interval(4.0, 5.0)).has_value());
  EXPECT_TRUE(Interval(0.0, 1.0).certainly_nonnegative());
  EXPECT_FALSE(Interval(0.0, 1.0).certainly_positive());
  EXPECT_TRUE(Interval(-1.0, 0.0).certainly_nonpositive());
  EXPECT_TRUE(Interval(-1.0, -tiny).certainly_negative());
  EXPECT_EQ(min(x, Interval(0.0, 1.0)), Interval(-1.0, 1.0));
  EXPECT_EQ(max(x, Interval(0.0, 1.0)), Interval(0.0, 3.0));
  EXPECT_EQ(abs(x), Interval(0.0, 3.0));
}

}  // namespace
}  // namespace saltus::interval_test
