#include "reduce/array/rank_memory.hpp"

#include <algorithm>

namespace saltus::detail {

namespace {

bool begin_alike(const std::vector<Quad>& one, const std::vector<Quad>& other) {
  const auto n = static_cast<std::ptrdiff_t>(std::min(one.size(), other.size()));
  return std::equal(one.begin(), one.begin() + n, other.begin());
}

bool same_scaling(const ArrayScaling& one, const ArrayScaling& other) {
  return one.time_exponent == other.time_exponent && one.row_exponent == other.row_exponent &&
         one.column_exponent == other.column_exponent;
}

}  // namespace

void RankMemory::recall(const ArrayCoefficients<Quad>& coefficients) {
  const bool same =
      begin_alike(coefficients.a, coefficients_.a) && begin_alike(coefficients.b, coefficients_.b);
  if (!same) known_.clear();
  if (!same || coefficients.a.size() > coefficients_.a.size()) coefficients_ = coefficients;
}

LevelRanks RankMemory::ranks(const ScaledArray<Quad>& array,
                             const ArrayCoefficients<Quad>& coefficients, int level,
                             const ArrayScaling& scaling, double tolerance) {
  recall(coefficients);
  for (const Known& k : known_) {
    if (k.ranks.level != level || !same_scaling(k.scaling, scaling)) continue;
    // What left nothing between two tolerances says the same for both.
    const bool nothing_between = k.tolerance < tolerance && k.ranks.smallest_pivot() > tolerance;
    if (k.tolerance == tolerance || nothing_between) return k.ranks;
  }
  ++n_computed_;
  const LevelRanks ranks = level_ranks(array.jacobian(coefficients, level, scaling, true),
                                       array.n_equations(), array.n_unknowns(), level, tolerance);
  known_.push_back({scaling, tolerance, ranks});
  return ranks;
}

Reading RankMemory::levels(const ScaledArray<Quad>& array,
                           const ArrayCoefficients<Quad>& coefficients, int n_levels,
                           const ArrayScaling& scaling, double tolerance) {
  Reading reading;
  for (int level = 0; level < n_levels; ++level) {
    reading.levels.push_back(ranks(array, coefficients, level, scaling, tolerance));
  }
  return reading;
}

}  // namespace saltus::detail
