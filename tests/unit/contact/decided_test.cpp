// Forces with statuses that are decided: when accelerations are unique.
#include <gtest/gtest.h>

#include "contact/decided.hpp"

namespace saltus {
namespace {

detail::ScaledResponse response_of(std::vector<std::vector<double>> w, std::vector<double> f) {
  const auto n = static_cast<std::uint32_t>(f.size());
  detail::ScaledResponse r{Matrix(n, n), std::move(f), std::vector<double>(n, 1.0)};
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) r.w(i, j) = w[i][j];
  }
  return r;
}

// a_N = p_N + 2 p_T and a_T = 2 p_N + 5 p_T: with mu = 1/2 and slip to the right p_T = -p_N / 2, so that every normal
// force gives a_N = 0, and a_T = -p_N / 2 changes with it.
TEST(DecidedContacts, AForceThatIsFreeAndAcceleratesLeavesTheMotionOpen) {
  const auto jamming = response_of({{1, 2}, {2, 5}}, {0, 1});
  const detail::DecidedContact slips{ContactStatus::slip_positive, false, 0.5, 0.5};
  const auto forces = detail::solve_decided(jamming, std::vector{slips});
  EXPECT_TRUE(forces.feasible);
  EXPECT_TRUE(forces.motion_open);
}

// Two contacts at the same place: they share a force in any way, and the body feels only the sum.
TEST(DecidedContacts, ForcesThatAreSharedDoNotLeaveTheMotionOpen) {
  const auto twins =
      response_of({{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, {-3, -3, 0, 0});
  const detail::DecidedContact closed{ContactStatus::closed, false, 0.0, 0.0};
  const auto forces = detail::solve_decided(twins, std::vector{closed, closed});
  EXPECT_TRUE(forces.feasible);
  EXPECT_FALSE(forces.motion_open);
  // Of least norm.
  ASSERT_EQ(forces.p.size(), 4u);
  EXPECT_DOUBLE_EQ(forces.p[0], 1.5);
  EXPECT_DOUBLE_EQ(forces.p[1], 1.5);
  EXPECT_EQ(forces.redundant.size(), 1u);
}

}  // namespace
}  // namespace saltus
