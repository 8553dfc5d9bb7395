#include "slide/decide/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/slide/decide.hpp>

namespace saltus {
namespace detail {
namespace {

constexpr double unit_eps = std::numeric_limits<double>::epsilon();

double largest_size(std::span<const double> v) {
  double size = 0.0;
  for (const double x : v) {
    size = std::fmax(size, std::fabs(x));
  }
  return size;
}

}  // namespace

bool MultilinearVelocities::assign(std::uint32_t n_surfaces, std::span<const double> rate) {
  if (n_surfaces > max_kept_surfaces) {
    return false;
  }
  n_ = n_surfaces;
  const std::uint32_t n_vertices = 1U << n_;
  for (std::uint32_t k = 0; k < n_; ++k) {
    auto& row = c_[k];
    double largest = 0.0;
    for (std::uint32_t b = 0; b < n_vertices; ++b) {
      row[b] = rate[static_cast<std::size_t>(b) * n_ + k];
      if (!std::isfinite(row[b])) {
        return false;
      }
      largest = std::fmax(largest, std::fabs(row[b]));
    }
    if (largest == 0.0) {
      return false;
    }
    // Powers of two, so that scaling rounds nothing; applied first, so that sums cannot overflow.
    const int exponent = std::ilogb(largest);
    for (std::uint32_t b = 0; b < n_vertices; ++b) {
      row[b] = std::scalbn(row[b], -exponent);
    }
    // Per surface: mean and half difference of its two sides. The order of operations is the same
    // for both sides, so that a flipped surface gives the same bits.
    for (std::uint32_t bit = 1; bit < n_vertices; bit <<= 1U) {
      for (std::uint32_t b = 0; b < n_vertices; ++b) {
        if ((b & bit) == 0) {
          const double minus = row[b];
          const double plus = row[b | bit];
          row[b] = 0.5 * (plus + minus);
          row[b | bit] = 0.5 * (plus - minus);
        }
      }
    }
  }
  return true;
}

void MultilinearVelocities::evaluate(std::span<const double> u, std::span<double> v,
                                     std::span<double> jacobian) const {
  const std::uint32_t n_sets = 1U << n_;
  // power[S] = prod_{j in S} u_j
  std::array<double, 1U << max_kept_surfaces> power;
  power[0] = 1.0;
  for (std::uint32_t k = 0; k < n_; ++k) {
    for (std::uint32_t s = 0; s < (1U << k); ++s) {
      power[(1U << k) | s] = power[s] * u[k];
    }
  }
  for (std::uint32_t k = 0; k < n_; ++k) {
    const auto& row = c_[k];
    v[k] = 0.0;
    for (std::uint32_t s = 0; s < n_sets; ++s) {
      v[k] += row[s] * power[s];
    }
    for (std::uint32_t j = 0; j < n_; ++j) {
      double slope = 0.0;
      for (std::uint32_t s = 0; s < n_sets; ++s) {
        if ((s >> j & 1U) != 0) {
          slope += row[s] * power[s ^ (1U << j)];
        }
      }
      jacobian[static_cast<std::size_t>(k) * n_ + j] = slope;
    }
  }
}

double MultilinearVelocities::largest_mixed() const {
  double largest = 0.0;
  for (std::uint32_t k = 0; k < n_; ++k) {
    for (std::uint32_t s = 1; s < (1U << n_); ++s) {
      if ((s & (s - 1)) != 0) {
        largest = std::fmax(largest, std::fabs(c_[k][s]));
      }
    }
  }
  return largest;
}

bool solve_small(std::span<double> a, std::span<double> b) {
  const std::size_t n = b.size();
  const double scale = largest_size(a);
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i) {
      if (std::fabs(a[i * n + j]) > std::fabs(a[pivot * n + j])) {
        pivot = i;
      }
    }
    if (!(std::fabs(a[pivot * n + j]) > 4.0 * unit_eps * scale)) {
      return false;
    }
    if (pivot != j) {
      std::swap_ranges(&a[j * n], &a[j * n] + n, &a[pivot * n]);
      std::swap(b[j], b[pivot]);
    }
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = a[i * n + j] / a[j * n + j];
      for (std::size_t l = j + 1; l < n; ++l) {
        a[i * n + l] -= factor * a[j * n + l];
      }
      b[i] -= factor * b[j];
    }
  }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t l = j + 1; l < n; ++l) {
      b[j] -= a[j * n + l] * b[l];
    }
    b[j] /= a[j * n + j];
  }
  return std::all_of(b.begin(), b.end(), [](double x) { return std::isfinite(x); });
}

bool newton_multipliers(const MultilinearVelocities& velocities, std::span<double> u) {
  constexpr int max_iterations = 40;
  constexpr int max_halvings = 12;
  const std::uint32_t n = velocities.n_surfaces();
  std::array<double, std::size_t{max_kept_surfaces} * max_kept_surfaces> jacobian;
  std::array<double, std::size_t{max_kept_surfaces} * max_kept_surfaces> unused;
  Multipliers v;
  Multipliers trial;
  Multipliers step;
  const std::span<double> a(jacobian.data(), static_cast<std::size_t>(n) * n);
  velocities.evaluate(u, v, a);
  double size = largest_size(std::span(v).first(n));
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    std::copy_n(v.begin(), n, step.begin());
    if (!solve_small(a, std::span(step).first(n))) {
      return false;
    }
    const double reach = 1.0 + largest_size(u);
    const bool last = largest_size(std::span(step).first(n)) <= 8.0 * n * unit_eps * reach;
    double fraction = 1.0;
    double trial_size = 0.0;
    for (int halving = 0;; ++halving, fraction *= 0.5) {
      for (std::uint32_t k = 0; k < n; ++k) {
        trial[k] = u[k] - fraction * step[k];
      }
      velocities.evaluate(std::span(trial).first(n), v, unused);
      trial_size = largest_size(std::span(v).first(n));
      if (last || trial_size <= (1.0 - 0.25 * fraction) * size) {
        break;
      }
      if (halving == max_halvings) {
        return false;
      }
    }
    std::copy_n(trial.begin(), n, u.begin());
    if (last) {
      return true;
    }
    velocities.evaluate(u, v, a);
    size = trial_size;
  }
  return false;
}

namespace {

/// With u_0 known, u_1 from the equation that depends on it more.
bool back_substitute(const MultilinearVelocities& c, std::array<double, 2>& u) {
  std::array<double, 2> slope{};
  for (std::uint32_t k = 0; k < 2; ++k) {
    slope[k] = c.coefficient(k, 2) + c.coefficient(k, 3) * u[0];
  }
  const std::uint32_t k = std::fabs(slope[1]) > std::fabs(slope[0]) ? 1 : 0;
  u[1] = -(c.coefficient(k, 0) + c.coefficient(k, 1) * u[0]) / slope[k];
  return std::isfinite(u[0]) && std::isfinite(u[1]);
}

/// Newton's step, as long as it helps: cancellation in the quadratic is made up for.
void polish(const MultilinearVelocities& c, std::array<double, 2>& u) {
  std::array<double, 4> a{};
  std::array<double, 2> v{};
  std::array<double, 4> unused{};
  c.evaluate(u, v, a);
  for (int i = 0; i < 3; ++i) {
    const double size = largest_size(v);
    std::array<double, 2> step = v;
    if (size == 0.0 || !solve_small(a, step)) {
      return;
    }
    const std::array<double, 2> next{u[0] - step[0], u[1] - step[1]};
    std::array<double, 2> at_next{};
    c.evaluate(next, at_next, unused);
    if (!(largest_size(at_next) < size)) {
      return;
    }
    u = next;
    c.evaluate(u, v, a);
  }
}

}  // namespace

MultiplierRoots multiplier_roots(const MultilinearVelocities& c) {
  MultiplierRoots roots;
  if (c.n_surfaces() == 1) {
    const double u = -c.coefficient(0, 0) / c.coefficient(0, 1);
    if (std::isfinite(u)) {
      roots.count = 1;
      roots.u[0] = {u, 0.0};
    }
    return roots;
  }
  // u_1 eliminated from  a_k + b_k u_0 + c_k u_1 + d_k u_0 u_1 = 0:  q2 u_0^2 + q1 u_0 + q0 = 0  (S.5)
  const auto cross = [&](std::uint32_t s, std::uint32_t t) {
    return c.coefficient(1, s) * c.coefficient(0, t) - c.coefficient(1, t) * c.coefficient(0, s);
  };
  const double q2 = cross(1, 3);
  const double q1 = cross(0, 3) + cross(1, 2);
  const double q0 = cross(0, 2);
  double discriminant = q1 * q1 - 4.0 * q2 * q0;
  const double rounding = 8.0 * unit_eps * (q1 * q1 + std::fabs(4.0 * q2 * q0));
  if (std::fabs(discriminant) <= rounding) {
    discriminant = 0.0;  // a double root, as far as can be told
  }
  if (discriminant < 0.0) {
    return roots;
  }
  const auto add = [&](double u0) {
    std::array<double, 2> u{u0, 0.0};
    if (std::isfinite(u0) && back_substitute(c, u)) {
      polish(c, u);
      roots.u[roots.count++] = u;
    }
  };
  if (discriminant == 0.0) {
    add(-0.5 * q1 / q2);
  } else if (q1 == 0.0) {
    const double root = std::sqrt(-q0 / q2);
    add(-root);
    add(root);
  } else {
    const double q = -0.5 * (q1 + std::copysign(std::sqrt(discriminant), q1));
    add(q0 / q);
    if (q2 != 0.0) {
      add(q / q2);
    }
  }
  return roots;
}

}  // namespace detail

bool solve_multipliers(const NormalVelocities& velocities, std::span<double> u) {
  const std::uint32_t n = velocities.n_surfaces;
  detail::MultilinearVelocities multilinear;
  if (n == 0 || !multilinear.assign(n, velocities.rate)) {
    return n == 0;
  }
  if (n > 2) {
    return detail::newton_multipliers(multilinear, u);
  }
  const detail::MultiplierRoots roots = detail::multiplier_roots(multilinear);
  double nearest = std::numeric_limits<double>::infinity();
  std::array<double, 2> best{};
  for (std::uint32_t r = 0; r < roots.count; ++r) {
    const double distance = n == 1 ? 0.0 : std::hypot(roots.u[r][0] - u[0], roots.u[r][1] - u[1]);
    if (distance < nearest) {
      nearest = distance;
      best = roots.u[r];
    }
  }
  if (!std::isfinite(nearest)) {
    return false;
  }
  std::copy_n(best.begin(), n, u.begin());
  return true;
}

}  // namespace saltus
