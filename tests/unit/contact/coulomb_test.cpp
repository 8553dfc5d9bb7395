// When two motions of the same contacts are the same one.
#include <gtest/gtest.h>

#include "contact/coulomb.hpp"

namespace saltus {
namespace {

// Two smooth contacts: the first carries a force p, and the second is open and accelerated by it alone, so that the
// largest term of its row is W(1, 0) p. With the contacts exchanged the term is W(0, 1) p.
TEST(CoulombMotion, IsTheSameUpToASmallPartOfTheLargestTermOfItsRow) {
  constexpr double part = 1e-7;  // that of same_motion
  for (const std::size_t carries : {0u, 1u}) {
    const std::size_t flies = 1 - carries;
    detail::CoulombProblem problem;
    problem.response = {Matrix(4, 4), std::vector<double>(4, 0.0), std::vector<double>(4, 1.0)};
    problem.response.w(0, 0) = problem.response.w(1, 1) = 1.0;
    problem.response.w(0, 1) = problem.response.w(1, 0) = 0.5;
    problem.response.f[carries] = -8.0;
    problem.contacts.resize(2);
    detail::CoulombMotion one;
    one.status.assign(2, ContactStatus::closed);
    one.status[flies] = ContactStatus::open;
    one.p.assign(4, 0.0);
    one.p[carries] = 8.0;
    one.a.assign(4, 0.0);
    one.a[flies] = 4.0;
    EXPECT_TRUE(detail::same_motion(problem, one, one));
    detail::CoulombMotion other = one;
    other.a[flies] = 4.0 * (1.0 + 0.5 * part);
    EXPECT_TRUE(detail::same_motion(problem, one, other)) << carries;
    other.a[flies] = 4.0 * (1.0 + 2.0 * part);
    EXPECT_FALSE(detail::same_motion(problem, one, other)) << carries;
    // The larger one of both forces counts.
    other.p[carries] = 80.0;
    EXPECT_TRUE(detail::same_motion(problem, one, other)) << carries;
  }
}

}  // namespace
}  // namespace saltus
