// Defines switching surfaces and the normal velocities of their sides.
//
// A *surface* is the zero set of a switching function g; several relations may share it ("v > 0"
// and "v < 0"). Its *sides* are those of the function of its first relation: + where g > 0, - where
// g < 0. On m surfaces at once 2^m *vertices* meet, one per combination of sides: bit k of a vertex
// is set on the + side of surface k. The *normal velocity* of surface k at a vertex is
//
//   dg_k/dt + dg_k/dx . x',                                                                 (S.1)
//
// with the x' given by the equations of this vertex.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace saltus {

/// A group of relations that change together.
struct Surface {
  /// Numbers of SwitchingFunctions.
  std::vector<std::uint32_t> switches;
  /// +1 or -1 per relation: the sign of its function on the + side; the first is +1.
  std::vector<std::int8_t> orientation;

  friend bool operator==(const Surface&, const Surface&) = default;
};

/// Returns the number of vertices examined to learn what matters on some side: all, or for many
/// surfaces those at which all surfaces are on the same side, or all but one on their - side.
inline std::uint32_t n_viewed_vertices(std::uint32_t n_surfaces) {
  constexpr std::uint32_t few = 6;
  return n_surfaces <= few ? 1U << n_surfaces : n_surfaces + 2;
}
inline std::uint32_t viewed_vertex(std::uint32_t n_surfaces, std::uint32_t view) {
  if (n_viewed_vertices(n_surfaces) == 1U << n_surfaces) return view;
  if (view == n_surfaces) return 0;
  return view < n_surfaces ? 1U << view : (1U << n_surfaces) - 1;
}

/// Normal velocities at the vertices of surfaces that are met together.
struct NormalVelocities {
  std::uint32_t n_surfaces = 0;
  /// The rate of vertex b and surface k is at [b n_surfaces + k].
  std::vector<double> rate;
  /// Per surface: a velocity whose sign is decided by rounding.
  std::vector<double> negligible;

  std::uint32_t n_vertices() const { return 1U << n_surfaces; }
  double operator()(std::uint32_t vertex, std::uint32_t surface) const {
    return rate[static_cast<std::size_t>(vertex) * n_surfaces + surface];
  }
};

/// The rule that selects among several motions on two surfaces which are all in Filippov's set.
enum class SlidingRule : std::uint8_t {
  bilinear,  // each surface has one multiplier: the limit of independent fast switching
  moments,   // weights that depend smoothly on all velocities (Dieci and Difonzo)
  reject,    // none: a motion that depends on the rule is refused
};

}  // namespace saltus
