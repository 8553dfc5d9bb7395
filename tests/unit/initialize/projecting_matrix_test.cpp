// E + dF/dx Q with Q from a rank decision on E.
#include <limits>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

#include "initialize/start_matrix.hpp"

namespace saltus {
namespace {

/// What moves x of the unit change of y, for E = [1, 0; 1, s] and dF/dx = [0, 0; 0, 1].
std::vector<double> part_that_moves_x(double s) {
  const auto nothing = [](double, auto, auto, auto) {};
  const auto system = make_system({.unknowns = {{"x", 0.0}, {"y", 0.0}}, .residual = nothing});
  const auto matrix = detail::make_projecting_matrix(*system);
  EXPECT_TRUE(matrix->factor({.df_dx = {0.0, 0.0, 0.0, 1.0}, .df_dxdot = {1.0, 1.0, 0.0, s}}));
  std::vector<double> moves_x(2), moves_xdot(2);
  matrix->split(std::vector{0.0, 1.0}, moves_x, moves_xdot);
  EXPECT_EQ(moves_xdot[1], 1.0 - moves_x[1]);
  return moves_x;
}

// Singular values of E count above 64 n eps of the largest. Here they are sqrt(2) and s / sqrt(2), so that y' counts
// above s = 256 eps; the decomposition itself is exact to a few eps.
TEST(ProjectingMatrix, ADerivativeCountsAboveTheRoundingOfItsCoefficients) {
  constexpr double unit = std::numeric_limits<double>::epsilon();
  EXPECT_EQ(part_that_moves_x(1.0)[1], 0.0);
  EXPECT_EQ(part_that_moves_x(320 * unit)[1], 0.0);
  EXPECT_NEAR(part_that_moves_x(192 * unit)[1], 1.0, 256 * unit);
  EXPECT_NEAR(part_that_moves_x(0.0)[1], 1.0, 4 * unit);
}

}  // namespace
}  // namespace saltus
