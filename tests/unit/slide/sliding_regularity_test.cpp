// How fast surfaces attract, in all forms.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/system/monitoring.hpp>

#include "slide/equations/sliding_regularity.hpp"

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

/// z = 0 attracts with (-x - y)/2, and ceases to where both sides move along it.
std::shared_ptr<const System> two_fold() {
  Model m("two-fold");
  Expr x = m.state("x", -1.2), y = m.state("y", -0.8), z = m.state("z", 0.0);
  m.equation(der(x) == where(z > 0, Expr(0.0), Expr(1.0)));
  m.equation(der(y) == where(z > 0, Expr(1.0), Expr(0.0)));
  m.equation(der(z) == where(z > 0, x, -y));
  return compiled(m);
}

class SlidingRegularityForms : public testing::TestWithParam<SlidingForm> {};
INSTANTIATE_TEST_SUITE_P(Forms, SlidingRegularityForms,
                         testing::Values(SlidingForm::eliminated, SlidingForm::mixed,
                                         SlidingForm::copies));

TEST_P(SlidingRegularityForms, ItIsHalfOfWhatTheSidesMoveTowardsEachOther) {
  Slider s(two_fold(), {-1.2, -0.8, 0}, {.form = GetParam()});
  ASSERT_NE(s.sliding, nullptr);
  auto* regularity = s.workspace->ability<Regularity>();
  ASSERT_NE(regularity, nullptr);
  EXPECT_TRUE(regularity->is_signed());
  StartValues at = s.sliding->start_values();
  SignedLogarithm value;
  ASSERT_TRUE(static_cast<bool>(regularity->determinant(0.0, at.x, at.xdot, value)));
  EXPECT_EQ(value.sign, 1);
  EXPECT_NEAR(std::exp(value.log_size), 1.0, 8 * eps);
  // Beyond the two-fold point; with copies their motions are those of this point.
  at.x[0] = 0.5;
  at.x[1] = 0.6;
  if (GetParam() == SlidingForm::copies) {
    const std::uint32_t block = s.sliding->size() - 6;
    at.x[block + 2] = -0.6;
    at.x[block + 5] = 0.5;
  }
  ASSERT_TRUE(static_cast<bool>(regularity->determinant(0.0, at.x, at.xdot, value)));
  EXPECT_EQ(value.sign, -1);
  EXPECT_NEAR(std::exp(value.log_size), 0.55, 8 * eps);
  EXPECT_EQ(regularity->describe_loss(0.0, at.x, at.xdot).who,
            "the surface of 'z > 0' ceases to attract: both its sides move along it");
}

/// -dV/du of two relays is diag(2, 3).
TEST_P(SlidingRegularityForms, OfTwoSurfacesItIsTheDeterminant) {
  Slider s(two_relays(), {0, 0, 0.3}, {.form = GetParam()}, {{{0}, {1}}, {{1}, {1}}});
  const StartValues at = s.sliding->start_values();
  SignedLogarithm value;
  auto* regularity = s.workspace->ability<Regularity>();
  ASSERT_TRUE(static_cast<bool>(regularity->determinant(0.0, at.x, at.xdot, value)));
  EXPECT_EQ(value.sign, 1);
  EXPECT_NEAR(std::exp(value.log_size), 6.0, 64 * eps);
}

/// Surfaces that attract as a test says.
class StatedAttraction final : public detail::AttractionSource {
 public:
  std::vector<double> rows;
  Evaluation attraction(double, std::span<const double>, std::span<const double>,
                        std::span<double> matrix) override {
    std::ranges::copy(rows, matrix.begin());
    return Evaluation::ok();
  }
};

TEST(SlidingRegularity, TheDeterminantIsThatOfTheWholeMatrix) {
  const std::vector<std::string> names = {"a", "b", "c"};
  StatedAttraction source;
  const auto determinant = [&](std::size_t n, std::vector<double> rows) {
    source.rows = std::move(rows);
    detail::SlidingRegularity regularity(0, nullptr, source, {names.begin(), names.begin() + n});
    SignedLogarithm value;
    EXPECT_TRUE(static_cast<bool>(regularity.determinant(0.0, {}, {}, value)));
    return value.sign * std::exp(value.log_size);
  };
  // Sums of a few products of small integers; the logarithm loses a few more roundings.
  const double rounding = 64 * eps;
  EXPECT_NEAR(determinant(1, {-3}), -3.0, 3 * rounding);
  EXPECT_NEAR(determinant(2, {2, 1, 1, 3}), 5.0, 5 * rounding);
  EXPECT_NEAR(determinant(2, {0, 1, 1, 3}), -1.0, rounding);
  EXPECT_NEAR(determinant(3, {1, 2, 3, 4, 5, 6, 7, 8, 10}), -3.0, 3 * rounding);
  EXPECT_NEAR(determinant(3, {0, 2, 0, 0, 0, 3, 4, 5, 6}), 24.0, 24 * rounding);
  EXPECT_EQ(determinant(2, {1, 2, 2, 4}), 0.0);
}

TEST(SlidingRegularity, TheSurfaceThatHasLostMostOfItsAttractionIsNamed) {
  StatedAttraction source;
  // What is left of the diagonal 1, 10, 100.
  const auto loss = [&](double a, double b, double c) {
    detail::SlidingRegularity regularity(0, nullptr, source, {"a", "b", "c"});
    source.rows = {1, 0, 0, 0, 10, 0, 0, 0, 100};
    SignedLogarithm value;
    EXPECT_TRUE(static_cast<bool>(regularity.determinant(0.0, {}, {}, value)));
    source.rows = {a, 0, 0, 0, b, 0, 0, 0, c};
    EXPECT_TRUE(static_cast<bool>(regularity.determinant(0.0, {}, {}, value)));
    return regularity.describe_loss(0.0, {}, {}).who;
  };
  const std::string rest = " ceases to attract: both its sides move along it";
  EXPECT_EQ(loss(1e-9, 10, 100), "the surface of 'a'" + rest);
  EXPECT_EQ(loss(0.9, 1e-9, 50), "the surface of 'b'" + rest);
  EXPECT_EQ(loss(0.5, 5, 1e-9), "the surface of 'c'" + rest);
}

}  // namespace
}  // namespace saltus::sliding_test
