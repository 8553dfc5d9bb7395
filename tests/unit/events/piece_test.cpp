// Taylor models as polynomials in Bernstein form: their bounds hold, and are not idle.
#include "events/piece.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/numerics/bernstein.hpp>

namespace saltus {
namespace {

using detail::Piece;

/// exp(r s) over [a, b]: coefficients r^k exp(r s)/k!.
Piece exponential_piece(double a, double b, double rate, int degree) {
  Piece piece;
  piece.a = a;
  piece.b = b;
  const auto n = static_cast<std::size_t>(degree) + 1;
  std::vector<Interval> centre(n), over(n + 1);
  const auto fill = [&](std::span<Interval> out, const Interval& s) {
    Interval factor = exp(Interval(rate) * s);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = factor;
      factor = factor * Interval(rate) / Interval(static_cast<double>(k + 1));
    }
  };
  fill(centre, Interval(0.5 * (a + b)));
  fill(over, Interval(a, b));
  EXPECT_TRUE(set_taylor_model(piece, centre, over));
  return piece;
}

double value_error_found(const Piece& p, double rate) {
  double worst = 0.0;
  for (int i = 0; i <= 100; ++i) {
    const double s = p.a + i / 100.0 * p.width();
    worst = std::max(
        worst, std::abs(std::exp(rate * s) - bernstein::evaluate<double>(p.shape(), i / 100.0)));
  }
  return worst;
}

double slope_error_found(const Piece& p, double rate) {
  std::vector<double> d(static_cast<std::size_t>(p.degree));
  bernstein::derivative<double>(p.shape(), d);
  double worst = 0.0;
  for (int i = 0; i <= 100; ++i) {
    const double s = p.a + i / 100.0 * p.width();
    const double slope = p.width() * rate * std::exp(rate * s);
    worst = std::max(worst, std::abs(slope - bernstein::evaluate<double>(d, i / 100.0)));
  }
  return worst;
}

/// (D.1) and (D.3): what the polynomial lacks stays within the bounds, and reaches a good part of them:
/// exp(r w) is what separates the remainder's bound from the remainder at the end.
TEST(EventPiece, TheRemainderAndItsSlopeAreBounded) {
  for (const double rate : {1.0, -3.0, 6.0}) {
    for (const int degree : {1, 3, 7}) {
      const Piece p = exponential_piece(0.25, 0.75, rate, degree);
      const double rounding = 64 * 0x1p-53 * std::exp(std::abs(rate));
      EXPECT_LE(value_error_found(p, rate), p.value_error + rounding) << rate << ' ' << degree;
      EXPECT_LE(slope_error_found(p, rate), p.slope_error + 8 * rounding) << rate << ' ' << degree;
      if (degree == 7) continue;  // of the size of rounding for the small rate
      const double overestimate = std::exp(2 * std::abs(rate) * 0.25) * (degree + 2);
      EXPECT_GE(value_error_found(p, rate) * overestimate, p.value_error) << rate << ' ' << degree;
      EXPECT_GE(slope_error_found(p, rate) * overestimate, p.slope_error) << rate << ' ' << degree;
    }
  }
}

/// (D.2): powers of v = 2u - 1 in Bernstein form, by a model whose only coefficient is one.
TEST(EventPiece, PowersAboutTheCentreAreExact) {
  for (std::size_t degree = 0; degree <= 15; ++degree) {
    for (std::size_t k = 0; k <= degree; ++k) {
      Piece p;
      p.a = -1.0;
      p.b = 1.0;
      std::vector<Interval> centre(degree + 1), over(degree + 2);
      centre[k] = Interval(1.0);
      ASSERT_TRUE(set_taylor_model(p, centre, over));
      for (int i = 0; i <= 10; ++i) {
        const double u = i / 10.0;
        // |basis| <= 1: the sum of degree + 1 terms with weights that sum to one.
        const double bound = 4 * static_cast<double>(degree + 2) * 0x1p-53;
        EXPECT_NEAR(bernstein::evaluate<double>(p.shape(), u),
                    std::pow(2 * u - 1, static_cast<double>(k)), bound);
      }
      for (const double b : p.shape()) EXPECT_LE(std::abs(b), 1.0);
    }
  }
}

/// (D.4): halves say the same about the same function, with errors that have not shrunk and slopes
/// per half the length.
TEST(EventPiece, HalvesAreTheSamePolynomial) {
  const Piece p = exponential_piece(0.0, 1.0, 2.0, 7);
  Piece left, right;
  halve(p, left, right);
  EXPECT_EQ(left.a, 0.0);
  EXPECT_EQ(left.b, 0.5);
  EXPECT_EQ(right.a, 0.5);
  EXPECT_EQ(right.b, 1.0);
  for (int i = 0; i <= 20; ++i) {
    const double u = i / 20.0;
    const double bound = p.rounding + left.rounding + 16 * 0x1p-53 * std::exp(2.0);
    EXPECT_NEAR(bernstein::evaluate<double>(left.shape(), u),
                bernstein::evaluate<double>(p.shape(), 0.5 * u), bound);
    EXPECT_NEAR(bernstein::evaluate<double>(right.shape(), u),
                bernstein::evaluate<double>(p.shape(), 0.5 + 0.5 * u), bound);
  }
  EXPECT_EQ(left.value_error, p.value_error);
  EXPECT_EQ(left.slope_error, 0.5 * p.slope_error);
  EXPECT_GT(left.rounding, p.rounding);
  EXPECT_FALSE(left.is_fresh);
}

TEST(EventPiece, MonotoneOnlyIfTheSlopeIsLargerThanItsError) {
  Piece p = exponential_piece(0.0, 1.0, 2.0, 7);
  p.slope_sign = 0;  // leave it to the polynomial
  EXPECT_EQ(judge(p).slope, 1);
  EXPECT_EQ(judge(p).left, 1);
  // The slope at the left end is 2: with that much uncertainty it may vanish.
  p.slope_error = 2.01;
  EXPECT_EQ(judge(p).slope, 0);
  p.value_error = 1.5;
  EXPECT_EQ(judge(p).left, 0);
  EXPECT_EQ(judge(p).right, 1);
}

TEST(EventPiece, ACoefficientWithoutBoundsEndsTheSeries) {
  Piece p;
  p.a = 0.0;
  p.b = 1.0;
  std::vector<Interval> centre = {Interval(1.0), Interval(2.0), Interval(3.0)};
  std::vector<Interval> over = {Interval(0.0, 3.0), Interval(1.0, 3.0), Interval(2.0, 4.0),
                                Interval::entire()};
  ASSERT_TRUE(set_taylor_model(p, centre, over));
  EXPECT_EQ(p.degree, 1);
  EXPECT_GE(p.truncation, 1.0);  // 4 w^2, rounded up
  EXPECT_LE(p.truncation, 1.0 + 4 * 0x1p-52);
  EXPECT_EQ(p.slope_sign, 1);
  over[1] = Interval::entire();
  EXPECT_FALSE(set_taylor_model(p, centre, over));
}

}  // namespace
}  // namespace saltus
