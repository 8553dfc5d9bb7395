// Multipliers of two surfaces solve their equations to rounding.
#include "slide/decide/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace saltus {
namespace {

/// V_k = (u_0 - 1/4)(b_k + d_k u_1) + s (e_k + f_k u_1) at the four corners u = (-1, 1)^2.
detail::MultilinearVelocities close_roots(double s) {
  constexpr double b[] = {1.0, 0.3}, d[] = {0.4, -0.9}, e[] = {0.7, -0.2}, f[] = {0.15, 0.8};
  std::vector<double> rate;
  for (std::uint32_t vertex = 0; vertex < 4; ++vertex) {
    const double u0 = (vertex & 1U) != 0 ? 1.0 : -1.0, u1 = (vertex & 2U) != 0 ? 1.0 : -1.0;
    for (const std::size_t k : {0u, 1u})
      rate.push_back((u0 - 0.25) * (b[k] + d[k] * u1) + s * (e[k] + f[k] * u1));
  }
  detail::MultilinearVelocities velocities;
  EXPECT_TRUE(velocities.assign(2, rate));
  return velocities;
}

// The quadratic that eliminates u_1 has roots that differ by about s, and both equations depend on u_1 by about s: its
// solution leaves rounding over s. Newton's steps take that away.
TEST(MultiplierRoots, CancellationInTheQuadraticIsMadeUpFor) {
  const double rounding =
      8 * std::numeric_limits<double>::epsilon();  // of about eight terms of size one
  std::uint32_t n_roots = 0;
  for (const double s : {1.0, 1e-2, 1e-4, 1e-6, -1e-3, -1e-5}) {
    const detail::MultilinearVelocities c = close_roots(s);
    const detail::MultiplierRoots roots = detail::multiplier_roots(c);
    for (std::uint32_t r = 0; r < roots.count; ++r, ++n_roots) {
      std::array<double, 2> v{};
      std::array<double, 4> slopes{};
      c.evaluate(roots.u[r], v, slopes);
      const double size = std::max({1.0, std::abs(roots.u[r][0]), std::abs(roots.u[r][1])});
      for (const double velocity : v) EXPECT_LE(std::abs(velocity), rounding * size * size) << s;
    }
  }
  EXPECT_GE(n_roots, 6u) << "there is something to look at";
}

}  // namespace
}  // namespace saltus
