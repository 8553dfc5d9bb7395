#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <saltus/numerics/quad.hpp>
#include <saltus/numerics/scalar.hpp>

#include "unit/numerics/random_cases.hpp"

namespace saltus::scalar_test {
namespace {

TEST(Scalar, PowiFollowsItsDocumentedOrder) {
  const double x = 1.1;
  const double x2 = x * x;
  const double x4 = x2 * x2;
  EXPECT_EQ(powi(x, 0), 1.0);
  EXPECT_EQ(powi(x, 1), x);
  EXPECT_EQ(powi(x, 2), x2);
  EXPECT_EQ(powi(x, 3), x * x2);
  EXPECT_EQ(powi(x, 4), x4);
  EXPECT_EQ(powi(x, 7), (x * x2) * x4);
  EXPECT_EQ(powi(x, 10), x2 * (x4 * x4));
  EXPECT_EQ(powi(x, -7), 1.0 / ((x * x2) * x4));
  EXPECT_EQ(powi(-2.0, 3), -8.0);
  EXPECT_EQ(powi(0.0, 5), 0.0);
  EXPECT_EQ(powi(1.0, std::numeric_limits<int>::min()), 1.0);
}

// The header's bound |n| u, with 1 % for the terms of second order.
TEST(Scalar, PowiKeepsItsErrorBound) {
  numerics_test::RandomCases random(3);
  double worst = 0;
  for (int k = 0; k < 20000; ++k) {
    const double x = random.uniform(0.9, 1.1);
    const int n = random.integer(2, 60) * (random.integer(0, 1) == 0 ? 1 : -1);
    const Quad exact = pow(Quad(x), Quad(n));
    const double error = std::abs(double((Quad(powi(x, n)) - exact) / exact));
    worst = std::max(worst, error / (std::abs(n) * 0x1p-53));
  }
  EXPECT_LE(worst, 1.01);
  EXPECT_GT(worst, 0.1);  // the bound is not a formality
}

TEST(Scalar, ExactIntRecognisesIntegersOnly) {
  EXPECT_EQ(exact_int(-3.0), -3);
  EXPECT_EQ(exact_int(-0.0), 0);
  EXPECT_FALSE(exact_int(0.5).has_value());
  EXPECT_FALSE(exact_int(3e9).has_value());
  EXPECT_FALSE(exact_int(std::numeric_limits<double>::quiet_NaN()).has_value());
  EXPECT_FALSE(exact_int(std::numeric_limits<double>::infinity()).has_value());
}

}  // namespace
}  // namespace saltus::scalar_test
