#include <bit>
#include <cmath>

#include <saltus/slide/decide.hpp>

#include "slide/decide/multipliers.hpp"

namespace saltus {

void vertex_weights(std::span<const double> u, std::span<double> w) {
  w[0] = 1.0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    const std::size_t half = std::size_t{1} << k;
    for (std::size_t b = 0; b < half; ++b) {
      w[half + b] = w[b] * (0.5 * (1.0 + u[k]));
      w[b] *= 0.5 * (1.0 - u[k]);
    }
  }
}

void mean_sides(std::span<const double> w, std::span<double> u) {
  for (std::size_t k = 0; k < u.size(); ++k) {
    u[k] = 0.0;
    for (std::size_t b = 0; b < w.size(); ++b) {
      u[k] += (b >> k & 1U) != 0 ? w[b] : -w[b];
    }
  }
}

bool moment_weights(const NormalVelocities& velocities, std::span<double> w) {
  if (velocities.n_surfaces != 2) {
    return false;
  }
  std::array<double, 16> a{};
  for (std::uint32_t b = 0; b < 4; ++b) {
    a[b] = 1.0;
    a[4 + b] = velocities(b, 0);
    a[8 + b] = velocities(b, 1);
    a[12 + b] = (std::popcount(b) % 2 == 0 ? 1.0 : -1.0) * std::hypot(a[4 + b], a[8 + b]);  // (S.6)
  }
  for (std::size_t row = 1; row < 4; ++row) {  // right-hand sides are 0: rows may be scaled
    double largest = 0.0;
    for (std::size_t b = 0; b < 4; ++b) {
      largest = std::fmax(largest, std::fabs(a[4 * row + b]));
    }
    if (!(largest > 0.0) || !std::isfinite(largest)) {
      return false;
    }
    for (std::size_t b = 0; b < 4; ++b) {
      a[4 * row + b] = std::scalbn(a[4 * row + b], -std::ilogb(largest));
    }
  }
  std::array<double, 4> lambda{1.0, 0.0, 0.0, 0.0};
  if (!detail::solve_small(a, lambda)) {
    return false;
  }
  for (std::uint32_t b = 0; b < 4; ++b) {
    w[b] = lambda[b];
  }
  return true;
}

}  // namespace saltus
