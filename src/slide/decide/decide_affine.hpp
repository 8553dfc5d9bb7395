// The complementarity problem behind a decision on affine velocities.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <saltus/slide/decide.hpp>

namespace saltus::detail {

/// A solution of u in [-1, 1]^m, V_k(u) > 0 only where u_k = 1, < 0 only where u_k = -1, as the state of each
/// surface, found on the path that begins at the vertex `from` (+1 or -1 per surface). Nothing only if rounding
/// spoils the path. Every candidate that is consistent by first derivatives is a solution.
std::optional<std::vector<std::int8_t>> state_from(const AffineVelocities& velocities,
                                                   std::span<const std::int8_t> from);

/// All principal minors of -m are positive, clear of rounding: one solution for every v. Up to ten surfaces
/// by these minors, above only if -m is diagonally dominant or has a positive definite symmetric part.
bool has_unique_solutions(const Matrix& m);

}  // namespace saltus::detail
