// Where unknowns, rows and Jacobian entries of the mixed form stand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/sparse.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/system.hpp>

#include "slide/dae/sliding_closure.hpp"
#include "slide/surface/sliding_sides.hpp"

namespace saltus::detail {

/// Unknowns: x of the base, U_k and P_k with U_k' = u_k and P_k' the derivative of the pivot of surface k (see
/// sliding_dae.hpp), then derivatives of unknowns that have none of their own (MotionClosure). Blended, only
/// u_k itself. Rows in the same order: mixed, g_k = 0, (S.3), derivatives of
/// equations. With copies the first rows say what the mixture is, and behind all others follow per vertex
/// a block of unknowns (x' of states, x of others) and one of equations.
struct MixedLayout {
  static constexpr std::uint32_t none = 0xffffffffU;

  MixedLayout(const System& base, const SlidingSides& sides, SlidingForm form,
              MotionClosure motions, std::span<const std::uint32_t> derivative_unknown);

  std::uint32_t n, z;
  bool hidden, has_copies;
  MotionClosure closure;
  /// Per unknown of the base the unknown that is its derivative, or none.
  std::vector<std::uint32_t> motion;

  std::uint32_t n_motions() const { return static_cast<std::uint32_t>(closure.unknown.size()); }
  std::uint32_t n_common() const { return n + (hidden ? 2 * z + n_motions() : z); }
  std::uint32_t size() const { return n_common() + (has_copies ? n << z : 0); }
  std::uint32_t u(std::uint32_t k) const { return n + k; }
  std::uint32_t p(std::uint32_t k) const { return n + z + k; }
  std::uint32_t q(std::uint32_t i) const { return n + 2 * z + i; }
  /// Where the block of a vertex begins.
  std::uint32_t block(std::uint32_t vertex) const { return n_common() + vertex * n; }

  /// One term c_j x_j' of a row d/dt(...) = 0.
  struct Term {
    std::uint32_t unknown;   // j
    std::uint32_t source;    // slot of c_j: in gradients, or in the Jacobian of the base
    std::size_t at_unknown;  // slot of (row, j)
    std::size_t at_motion;   // slot of (row, derivative of j), if that is an unknown
    std::size_t of_g = 0;    // slot of c_j in the row of g itself
  };
  struct MotionRow {
    std::uint32_t row;
    std::vector<Term> terms;
    std::vector<std::size_t> at_p;  // slots of (row, P_l)
  };

  CscPattern pattern;
  std::vector<std::size_t> mixed;  // per slot of the base; with copies the diagonal
  std::vector<std::size_t> mean;   // [b n + j], of the vertices' unknowns in the first rows
  /// Of equations of vertex b: per b and slot of the base, in the columns of x and of the block.
  std::vector<std::size_t> in_x, in_block;
  std::vector<std::size_t> by_u, by_p;  // [k n + row]
  std::vector<MotionRow> surfaces;      // (S.3), or without it only the terms of g
  std::vector<MotionRow> equations;     // of the closure
};

}  // namespace saltus::detail
