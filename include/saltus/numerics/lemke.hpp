#pragma once

// Solves the linear complementarity problem  w = q + M z,  w >= 0,  z >= 0,  w . z = 0,  for dense
// M.
//
// Lemke's method follows a path of solutions of the problem with q + d z0 in place of q. The path
// leads from a z0 so large that z = 0 solves the problem to z0 = 0. Each pivot exchanges the
// complement of the variable that left the basis last. If several rows may leave, the choice is
// lexicographic: the path then never returns to a basis, so the method ends after finitely many
// pivots for every M (Eaves 1971). It ends with a solution, or on a ray: an edge along which
// nothing leaves. A ray proves that there is no solution if M is copositive-plus (positive
// semidefinite, say) and d > 0. It never happens if M is strictly copositive, or if all of its
// principal minors are positive (a P-matrix, whose solution is unique for every q). For other M a
// ray proves nothing.
//
// All this holds in exact arithmetic. This implementation treats values that cancel to a few units
// in the last place as zero, and entries that are small beside their row decide no tie. It
// recomputes a tableau that shows a ray from its basis before it accepts the ray. If many rows tie,
// or M is singular on the path, rounding can still mislead: a ray then proves nothing, and `limit`
// may be returned for a problem that has a solution. Solutions are accurate to 1.5e-8.
//
// A pivot takes O(n^2) operations, and usually there are O(n) of them. The method is meant for n up
// to some hundreds.

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/matrix.hpp>

namespace saltus {

enum class LemkeOutcome : std::uint8_t {
  solved,
  ray,
  /// max_pivots; or the last basis has no solution to working precision, or q or M is not finite
  limit,
};

enum class LemkeTies : std::uint8_t {
  lexicographic,
  first_row,  // may cycle; for comparison
};

struct LemkeOptions {
  /// The covering vector d >= 0, positive wherever q < 0; empty: ones.
  std::span<const double> cover;
  /// 0: 100 + 20 n.
  std::uint32_t max_pivots = 0;
  LemkeTies ties = LemkeTies::lexicographic;
};

/// If solved, w = q + M z as computed with z. w_i is set to 0 if z_i is basic, and values that are
/// negative within rounding are set to 0. z is solved again from the final basis, so it carries no
/// error of the path.
struct LemkeResult {
  LemkeOutcome outcome = LemkeOutcome::limit;
  std::vector<double> z;
  std::vector<double> w;
  std::uint32_t n_pivots = 0;
};

LemkeResult lemke(std::span<const double> q, const Matrix& m, const LemkeOptions& options = {});

}  // namespace saltus
