// From a derivative array to counts of equations.
//
// One elimination answers for all ranks of a level. Pivots are taken from M = [x_1 … x_{L+1}] first;
// what is left of N = [x_0] is then Z^T N for a basis Z of the left null space of M, so its pivots
// count the algebraic equations; with them gone, those of E count the differential ones.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <saltus/reduce/index_analysis.hpp>

#include "reduce/matrix/dense_matrix.hpp"

namespace saltus::detail {

/// Quad arithmetic leaves about 1e-30 of an entry that should vanish; rounded data leave 1e-16.
inline constexpr double fine_rank_tolerance = 1e-24;
inline constexpr double coarse_rank_tolerance = 1e-13;
/// smallest pivot that counts >= required_gap * largest that does not.
inline constexpr double required_gap = 1e3;

struct StageRank {
  std::uint32_t rank = 0;
  double smallest_pivot = 1.0;
  double largest_left = 0.0;
  /// Infinite if nothing is left.
  double gap() const;
};

/// Of a stage of an elimination.
template <class Outcome>
StageRank stage_rank(const Outcome& outcome) {
  StageRank rank;
  rank.rank = static_cast<std::uint32_t>(outcome.pivots.size());
  for (const auto& pivot : outcome.pivots) {
    rank.smallest_pivot = std::min(rank.smallest_pivot, pivot.size);
  }
  rank.largest_left = outcome.largest_left;
  return rank;
}

struct LevelRanks {
  int level = 0;
  StageRank m;  // of M
  StageRank a;  // of Z^T N: rank J - rank M
  StageRank d;  // of E on the null space of Z^T N
  std::uint32_t corank = 0;

  double gap() const;
  double smallest_pivot() const;
};

/// `array`: the Jacobian of the level with the rows of E below it.
template <class T>
LevelRanks level_ranks(DenseMatrix<T> array, std::size_t n_equations, std::size_t n_unknowns,
                       int level, double tolerance);

/// The counts of one level after the other, in one scaling.
struct Reading {
  std::vector<LevelRanks> levels;

  std::uint32_t redundant(std::size_t level) const;
  bool closes(std::size_t level, std::uint32_t n_equations) const;
  bool same_counts(std::size_t level, std::size_t other) const;
  /// At the first level whose counts close, if they are found again one level higher.
  std::optional<CharacteristicValues> values(std::uint32_t n_equations,
                                             std::uint32_t n_unknowns) const;
  /// At the first level whose counts close, without looking higher.
  std::optional<CharacteristicValues> unconfirmed_values(std::uint32_t n_equations,
                                                         std::uint32_t n_unknowns) const;
  /// Counts that close stay the same in all higher levels: these did not, so a rank is wrong.
  bool contradicts_itself(std::uint32_t n_equations) const;
  bool is_clear() const;
  /// Whether pivots were met that could be rounding of data given in double precision.
  bool has_small_pivots() const;
  /// Whether such pivots bear the answer at levels 0 or 1. In higher levels, and in the one that only
  /// confirms, small pivots are products of time constants of different size; in these a user would
  /// have to write coefficients 1e-13 of their neighbours.
  bool looks_rounded(std::uint32_t n_equations, std::uint32_t n_unknowns) const;
  /// Whether, at the level of the answer, an equation was counted as differential because of such a
  /// pivot. E is the same in all levels: its pivots are no products of time constants.
  bool finds_small_differential_parts(std::uint32_t n_equations, std::uint32_t n_unknowns) const;
};

}  // namespace saltus::detail
