// Normal velocities as multilinear functions of the multipliers, and where all of them vanish.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <saltus/slide/surface.hpp>

namespace saltus::detail {

/// More surfaces are not kept by their 2^z vertices.
inline constexpr std::uint32_t max_kept_surfaces = 8;

using Multipliers = std::array<double, max_kept_surfaces>;

/// V_k(u) = sum_S c_k(S) prod_{j in S} u_j over all sets S of surfaces, a set being the number of a vertex.
/// Each row is scaled by a power of two, so that its largest coefficient lies in [1, 2).
class MultilinearVelocities {
 public:
  /// False if a row vanishes, something is not finite, or there are too many surfaces.
  [[nodiscard]] bool assign(std::uint32_t n_surfaces, std::span<const double> rate);

  std::uint32_t n_surfaces() const { return n_; }
  double coefficient(std::uint32_t surface, std::uint32_t set) const { return c_[surface][set]; }
  /// V and, row by row, dV/du.
  void evaluate(std::span<const double> u, std::span<double> v, std::span<double> jacobian) const;
  /// The largest coefficient of a set of two or more surfaces.
  double largest_mixed() const;

 private:
  std::uint32_t n_ = 0;
  std::array<std::array<double, 1U << max_kept_surfaces>, max_kept_surfaces> c_;
};

/// The real solutions for one or two surfaces: none, one or two.
struct MultiplierRoots {
  std::uint32_t count = 0;
  std::array<std::array<double, 2>, 2> u{};
};
MultiplierRoots multiplier_roots(const MultilinearVelocities& velocities);

/// From u; one step where the velocities are affine.
bool newton_multipliers(const MultilinearVelocities& velocities, std::span<double> u);

/// a x = b by elimination with row pivots; a and b are overwritten, b by x. False if a is singular.
bool solve_small(std::span<double> a, std::span<double> b);

}  // namespace saltus::detail
