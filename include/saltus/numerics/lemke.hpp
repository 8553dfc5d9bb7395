#pragma once

// The linear complementarity problem  w = q + M z,  w >= 0,  z >= 0,  w . z = 0,  for dense M.
//
// Lemke's method follows a path of solutions of the problem with q + d z0 in place of q, from z0 so large
// that z = 0 solves it to z0 = 0. Each pivot exchanges the complement of what left the basis last.
// Which of several rows may leave is decided lexicographically: the path then never returns to a basis, so
// that the method ends after finitely many pivots, whatever M is (Eaves 1971). It ends with a solution, or on
// a ray: an edge along which nothing leaves. A ray proves that there is no solution if M is copositive-plus
// (positive semidefinite, say) and d > 0; it never happens if M is strictly copositive, or if all of its
// principal minors are positive (a P-matrix, whose solution is unique for every q). For other M a ray proves
// nothing.
//
// All this holds for exact numbers. Here what cancels to a few units in the last place is zero, entries that are
// small beside their row decide no tie, and a tableau that shows a ray is computed anew from its basis before it
// is believed. Where many rows are ties, or M is singular on the path, rounding can still lead astray: then a ray
// proves nothing, and `limit` may stand for a problem that has a solution. What is solved is so within 1.5e-8.
//
// Work: a pivot takes O(n^2), usually there are O(n) of them. Meant for n up to some hundreds.

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/matrix.hpp>

namespace saltus {

enum class LemkeOutcome : std::uint8_t {
  solved,
  ray,
  limit,  // max_pivots; or the last basis has no solution to working precision, or q or M is not finite
};

enum class LemkeTies : std::uint8_t {
  lexicographic,
  first_row,  // may cycle; to compare with
};

struct LemkeOptions {
  /// The covering vector d >= 0, positive wherever q < 0; empty: ones.
  std::span<const double> cover;
  /// 0: 100 + 20 n.
  std::uint32_t max_pivots = 0;
  LemkeTies ties = LemkeTies::lexicographic;
};

/// If solved: w = q + M z as computed with z, where w_i is set to 0 if z_i is basic; what is negative within
/// rounding is set to 0. z is solved for anew from the final basis, so it carries no error of the path.
struct LemkeResult {
  LemkeOutcome outcome = LemkeOutcome::limit;
  std::vector<double> z;
  std::vector<double> w;
  std::uint32_t n_pivots = 0;
};

LemkeResult lemke(std::span<const double> q, const Matrix& m, const LemkeOptions& options = {});

}  // namespace saltus
