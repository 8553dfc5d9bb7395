#include "reduce/array/level_ranks.hpp"

#include <algorithm>
#include <limits>

#include <saltus/numerics/quad.hpp>

#include "reduce/matrix/elimination.hpp"

namespace saltus::detail {

double StageRank::gap() const {
  if (largest_left == 0.0) return std::numeric_limits<double>::infinity();
  return smallest_pivot / largest_left;
}

double LevelRanks::gap() const { return std::min({m.gap(), a.gap(), d.gap()}); }

double LevelRanks::smallest_pivot() const {
  return std::min({m.smallest_pivot, a.smallest_pivot, d.smallest_pivot});
}

template <class T>
LevelRanks level_ranks(DenseMatrix<T> array, std::size_t n_equations, std::size_t n_unknowns,
                       int level, double tolerance) {
  const std::size_t n_rows = (static_cast<std::size_t>(level) + 1) * n_equations;
  const std::size_t n_all_rows = array.n_rows(), n_columns = array.n_cols();
  Elimination<T> elimination(std::move(array));
  LevelRanks ranks;
  ranks.level = level;
  ranks.m = stage_rank(elimination.run({0, n_rows, n_unknowns, n_columns}, tolerance));
  ranks.a = stage_rank(elimination.run({0, n_rows, 0, n_unknowns}, tolerance));
  ranks.d = stage_rank(elimination.run({n_rows, n_all_rows, 0, n_unknowns}, tolerance));
  ranks.corank = static_cast<std::uint32_t>(n_rows) - ranks.m.rank - ranks.a.rank;
  return ranks;
}

template LevelRanks level_ranks(DenseMatrix<double>, std::size_t, std::size_t, int, double);
template LevelRanks level_ranks(DenseMatrix<Quad>, std::size_t, std::size_t, int, double);

std::uint32_t Reading::redundant(std::size_t level) const {
  return levels[level].corank - (level == 0 ? 0 : levels[level - 1].corank);
}

bool Reading::closes(std::size_t level, std::uint32_t n_equations) const {
  // The combinations that vanish in a level still do in the next one.
  if (level > 0 && levels[level].corank < levels[level - 1].corank) return false;
  return levels[level].d.rank + levels[level].a.rank + redundant(level) == n_equations;
}

bool Reading::same_counts(std::size_t level, std::size_t other) const {
  const LevelRanks &one = levels[level], &two = levels[other];
  return one.a.rank == two.a.rank && one.d.rank == two.d.rank &&
         redundant(level) == redundant(other);
}

std::optional<CharacteristicValues> Reading::values(std::uint32_t n_equations,
                                                    std::uint32_t n_unknowns) const {
  const auto found = unconfirmed_values(n_equations, n_unknowns);
  if (!found) return std::nullopt;
  const auto level = static_cast<std::size_t>(found->mu);
  const bool confirmed = level + 1 < levels.size() && same_counts(level, level + 1);
  return confirmed ? found : std::nullopt;
}

bool Reading::contradicts_itself(std::uint32_t n_equations) const {
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    if (closes(l, n_equations)) return !same_counts(l, l + 1);
  }
  return false;
}

std::optional<CharacteristicValues> Reading::unconfirmed_values(std::uint32_t n_equations,
                                                                std::uint32_t n_unknowns) const {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (!closes(l, n_equations)) continue;
    return CharacteristicValues{levels[l].level, levels[l].d.rank, levels[l].a.rank, redundant(l),
                                n_unknowns - levels[l].d.rank - levels[l].a.rank};
  }
  return std::nullopt;
}

bool Reading::is_clear() const {
  return std::all_of(levels.begin(), levels.end(),
                     [](const LevelRanks& l) { return l.gap() >= required_gap; });
}

bool Reading::has_small_pivots() const {
  return std::any_of(levels.begin(), levels.end(), [](const LevelRanks& l) {
    return l.smallest_pivot() <= coarse_rank_tolerance;
  });
}

bool Reading::looks_rounded(std::uint32_t n_equations, std::uint32_t n_unknowns) const {
  const auto found = values(n_equations, n_unknowns);
  const int highest = std::min(found ? found->mu : 1, 1);
  return std::any_of(levels.begin(), levels.end(), [&](const LevelRanks& l) {
    return l.level <= highest && l.smallest_pivot() <= coarse_rank_tolerance;
  });
}

bool Reading::finds_small_differential_parts(std::uint32_t n_equations,
                                             std::uint32_t n_unknowns) const {
  const auto found = values(n_equations, n_unknowns);
  return found &&
         levels[static_cast<std::size_t>(found->mu)].d.smallest_pivot <= coarse_rank_tolerance;
}

}  // namespace saltus::detail
