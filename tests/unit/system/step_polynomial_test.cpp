#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/system/step_polynomial.hpp>

namespace saltus {
namespace {

// Two unknowns over a step: a(s) = 1 + 2s + 3s^2, b(s) = -1 + 4s^2. Small integers at dyadic
// positions: every result is exact.
const std::vector<double> coefficients{1, -1, 2, 0, 3, 4};

StepPolynomial step(double t_left, double t_right) {
  return {.t_left = t_left, .t_right = t_right, .degree = 2, .n = 2, .coefficients = coefficients};
}

TEST(StepPolynomial, ValuesFollowThePowersOfThePosition) {
  const StepPolynomial p = step(2.0, 4.0);
  EXPECT_EQ(p.position_of(3.0), 0.5);
  EXPECT_EQ(p.coefficient(1, 0), 2.0);
  EXPECT_EQ(p.coefficient(2, 1), 4.0);
  EXPECT_EQ(p.value(0, 3.0), 1.0 + 2.0 * 0.5 + 3.0 * 0.25);
  EXPECT_EQ(p.value(1, 3.0), -1.0 + 4.0 * 0.25);
  EXPECT_EQ(p.value(0, 2.0), 1.0);
  EXPECT_EQ(p.value(0, 4.0), 6.0);
}

TEST(StepPolynomial, SlopesAreWithRespectToTime) {
  const StepPolynomial p = step(2.0, 4.0);
  EXPECT_EQ(p.slope(0, 3.0), (2.0 + 6.0 * 0.5) / 2.0);
  EXPECT_EQ(p.slope(1, 3.0), 8.0 * 0.5 / 2.0);
}

TEST(StepPolynomial, AStepBackwardInTimeBeginsOnTheRight) {
  const StepPolynomial p = step(4.0, 2.0);
  EXPECT_EQ(p.value(0, 4.0), 1.0);
  EXPECT_EQ(p.value(0, 2.0), 6.0);
  // The same numbers as forward in time at the mirrored time, slopes with the other sign.
  EXPECT_EQ(p.value(0, 3.5), step(2.0, 4.0).value(0, 2.5));
  EXPECT_EQ(p.slope(0, 3.5), -step(2.0, 4.0).slope(0, 2.5));
}

TEST(StepPolynomial, WholeStatesAgreeWithSingleValues) {
  const StepPolynomial p = step(0.0, 1.0);
  std::vector<double> x(2), xdot(2);
  p.state_at(0.75, x);
  p.derivative_at(0.75, xdot);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(x[i], p.value(i, 0.75));
    EXPECT_EQ(xdot[i], p.slope(i, 0.75));
  }
  EXPECT_NE(x[0], x[1]);
}

TEST(StepPolynomial, SlopesAreDerivativesOfValues) {
  const StepPolynomial p = step(-1.0, 0.7);
  const double h = std::cbrt(std::numeric_limits<double>::epsilon());
  // A central difference of a parabola has rounding errors only: a few eps max|value| / h.
  const double allowed = 8.0 * std::numeric_limits<double>::epsilon() * 6.0 / h;
  const double difference = (p.value(0, 0.1 + h) - p.value(0, 0.1 - h)) / (2.0 * h);
  EXPECT_NEAR(p.slope(0, 0.1), difference, allowed);
  EXPECT_GT(std::fabs(step(-1.0, 0.7001).slope(0, 0.1) - difference), allowed);
}

TEST(StepPolynomial, DegreeZeroIsConstant) {
  const std::vector<double> constant{7.0};
  const StepPolynomial p{
      .t_left = 0.0, .t_right = 1.0, .degree = 0, .n = 1, .coefficients = constant};
  EXPECT_EQ(p.value(0, 0.3), 7.0);
  EXPECT_EQ(p.slope(0, 0.3), 0.0);
}

}  // namespace
}  // namespace saltus
