#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <saltus/numerics/least_squares.hpp>

namespace saltus {
namespace {

/// A line through four points, with its second column in units of 1e8.
Matrix line_matrix() {
  Matrix a(4, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    a(i, 0) = 1.0;
    a(i, 1) = 1e8 * static_cast<double>(i);
  }
  return a;
}

TEST(LeastSquares, FindsTheLineOfClosedForm) {
  const std::vector<double> b = {1.0, 3.0, 2.0, 5.0};
  const auto found = solve_least_squares(line_matrix(), b);
  // sums: n = 4, sum i = 6, sum i^2 = 14, sum b = 11, sum i b = 22; det = 4 14 - 36 = 20
  const double few = 1e-14;
  EXPECT_NEAR(found.x[0], (14.0 * 11 - 6.0 * 22) / 20, 10 * few);
  EXPECT_NEAR(found.x[1] * 1e8, (4.0 * 22 - 6.0 * 11) / 20, 10 * few);
  EXPECT_TRUE(found.dependent.empty());
  EXPECT_NEAR(found.inverse_normal(0, 0), 14.0 / 20, 10 * few);
  EXPECT_NEAR(found.inverse_normal(0, 1) * 1e8, -6.0 / 20, 10 * few);
  EXPECT_NEAR(found.inverse_normal(1, 0) * 1e8, -6.0 / 20, 10 * few);
  EXPECT_NEAR(found.inverse_normal(1, 1) * 1e16, 4.0 / 20, 10 * few);
}

TEST(LeastSquares, NamesColumnsThatDependOnOthers) {
  Matrix a(4, 3);
  const Matrix line = line_matrix();
  for (std::size_t i = 0; i < 4; ++i) {
    a(i, 0) = line(i, 0);
    a(i, 1) = line(i, 1);
    a(i, 2) = 2 * line(i, 0) - 3e-8 * line(i, 1);
  }
  const std::vector<double> b = {1.0, 3.0, 2.0, 5.0};
  const auto found = solve_least_squares(a, b);
  ASSERT_EQ(found.dependent.size(), 1U);
  EXPECT_EQ(found.x[found.dependent[0]], 0.0);
  EXPECT_TRUE(found.inverse_normal.empty());
  // a column of zeros
  for (std::size_t i = 0; i < 4; ++i) a(i, 2) = 0.0;
  EXPECT_EQ(solve_least_squares(a, b).dependent, std::vector<std::uint32_t>{2});
}

}  // namespace
}  // namespace saltus
