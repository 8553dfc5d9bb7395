#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <saltus/numerics/quad.hpp>

namespace saltus::quad_test {
namespace {

// One function of libquadmath errs by about an ulp, an identity uses a handful of them, and its
// condition here is below 100: 1e-30 is 5000 epsilon.
const Quad tolerance = Quad(5000) * Quad::epsilon();

void expect_near(Quad a, Quad b, const char* what) {
  const Quad scale = max(Quad(1), abs(b));
  EXPECT_LE(double(abs(a - b) / scale), double(tolerance))
      << what << ": " << to_string(a) << " " << to_string(b);
}

TEST(Quad, EpsilonIsTheLastPlaceOfOne) {
  EXPECT_NE(Quad(1) + Quad::epsilon(), Quad(1));
  EXPECT_EQ(Quad(1) + Quad::epsilon() / 2, Quad(1));
  EXPECT_LT(double(tolerance), 1e-30);
}

TEST(Quad, IdentitiesHoldTo1em30) {
  for (const double d : {0.03, 0.4, 0.9, 1.7, 3.1}) {
    const Quad x(d);
    const Quad s = sin(x);
    const Quad c = cos(x);
    expect_near(sqr(s) + sqr(c), 1, "sin^2 + cos^2");
    expect_near(tan(x) * c, s, "tan cos");
    expect_near(sqr(cosh(x)) - sqr(sinh(x)), 1, "cosh^2 - sinh^2");
    expect_near(tanh(x) * cosh(x), sinh(x), "tanh cosh");
    expect_near(exp(log(x)), x, "exp log");
    expect_near(sqr(sqrt(x)), x, "sqrt^2");
    expect_near(tan(atan(x)), x, "tan atan");
    expect_near(pow(x, Quad(2.5)), sqr(x) * sqrt(x), "pow");
    expect_near(powi(x, -5) * powi(x, 5), 1, "powi");
    expect_near(atan2(s, -c) + atan2(s, c), acos(Quad(-1)), "atan2");
    expect_near(sin(asin(Quad(d / 4))), Quad(d / 4), "sin asin");
    expect_near(cos(acos(Quad(d / 4))), Quad(d / 4), "cos acos");
  }
}

// The same identity in double misses by 1e-17 or more: the test sees the precision.
TEST(Quad, TheToleranceSeesDoublePrecision) {
  const Quad once_double(double(exp(Quad(0.3))));
  EXPECT_GT(double(abs(log(once_double) - Quad(0.3))), double(tolerance));
}

TEST(Quad, KnownDigits) {
  EXPECT_EQ(to_string(acos(Quad(-1)), 33), "3.14159265358979323846264338327950e+00");
  EXPECT_EQ(to_string(exp(Quad(1)), 33), "2.71828182845904523536028747135266e+00");
  EXPECT_EQ(to_string(Quad(-0.5), 1), "-5e-01");
}

TEST(Quad, TextRoundTrip) {
  const Quad x = sqrt(Quad(2)) / Quad(3e100);
  const auto back = Quad::from_string(to_string(x));
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(*back == x);
  EXPECT_FALSE(Quad::from_string("").has_value());
  EXPECT_FALSE(Quad::from_string("1.5 apples").has_value());
}

TEST(Quad, MixesWithDoubleAndInt) {
  Quad x = 1;
  x += 0.5;
  x *= 4;
  x -= 2;
  x /= 8;
  EXPECT_EQ(double(x), 0.5);
  EXPECT_EQ(Quad(1LL << 62) + 1 - Quad(1LL << 62), Quad(1));
  EXPECT_TRUE(x < 1 && x <= 0.5 && x > 0 && x >= 0.5 && x != 0);
  EXPECT_EQ(-x, Quad(-0.5));
  EXPECT_EQ(exact_int(Quad(7)), 7);
  EXPECT_FALSE(exact_int(Quad(7) + Quad::epsilon() * 8).has_value());
  EXPECT_TRUE(isnan(sqrt(Quad(-1))));
  EXPECT_FALSE(isfinite(Quad(1) / Quad(0)));
}

}  // namespace
}  // namespace saltus::quad_test
