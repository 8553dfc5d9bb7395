// The point of a system that has the same states.
#include "slide/dae/sliding_newton.hpp"

#include <limits>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using KeptIn = std::span<const double>;

/// x' = -y, y^3 + y = x, with y in units of 2.
std::shared_ptr<const System> cubic_dae() {
  return make_system(
      {.unknowns = {{"x", 2.0}, {"y", 0.5, false, 2.0}},
       .residual =
           [](double, KeptIn x, KeptIn xdot, std::span<double> f) {
             f[0] = xdot[0] + x[1];
             f[1] = x[1] * x[1] * x[1] + x[1] - x[0];
           },
       .jacobian =
           [](double, KeptIn x, KeptIn, std::span<double> by_x, std::span<double> by_xdot) {
             by_xdot[0] = 1.0;
             by_x[2] = 1.0;
             by_x[1] = -1.0;
             by_x[3] = 3.0 * x[1] * x[1] + 1.0;
           }});
}

TEST(StatesKept, EverythingElseFollowsAndItsLargestMoveIsReported) {
  // Newton's method ends where its steps are rounding.
  const double rounding = 16 * std::numeric_limits<double>::epsilon();
  const auto system = cubic_dae();
  auto workspace = system->workspace();
  detail::StatesKept kept(*system);
  const std::uint8_t is_state[] = {1, 0};
  for (const double guess : {0.5, 1.5, 1.0}) {
    std::vector<double> x = {2.0, guess}, xdot = {7.0, 0.0};
    double moved = -1.0;
    ASSERT_TRUE(static_cast<bool>(kept.solve(*workspace, is_state, 0.0, x, xdot, moved)));
    EXPECT_EQ(x[0], 2.0);
    EXPECT_NEAR(x[1], 1.0, rounding);
    EXPECT_NEAR(xdot[0], -1.0, rounding);
    EXPECT_NEAR(moved, std::abs(1.0 - guess) / 2.0, rounding);
  }
}

TEST(StatesKept, SlopesAreThoseOfTheSolution) {
  const auto system = cubic_dae();
  auto workspace = system->workspace();
  detail::StatesKept kept(*system);
  const std::uint8_t is_state[] = {1, 0};
  const std::vector<double> x = {2.0, 1.0}, xdot = {-1.0, 0.0};
  ASSERT_TRUE(kept.begin_slopes(*workspace, is_state, 0.0, x, xdot));
  std::vector<double> others(2);
  kept.slope(0, others);
  // (3 y^2 + 1) dy = dx, and dx' = -dy.
  EXPECT_DOUBLE_EQ(others[1], 0.25);
  EXPECT_DOUBLE_EQ(others[0], -0.25);
}

}  // namespace
}  // namespace saltus
