// Ranks that were read before are not read again.
//
// The array of a linear model is the same at all points, and so are its ranks: the analysis asks for
// them while it explores, at the consistent start and at a second point.
#pragma once

#include <vector>

#include <saltus/numerics/quad.hpp>

#include "reduce/array/level_ranks.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

class RankMemory {
 public:
  LevelRanks ranks(const ScaledArray<Quad>& array, const ArrayCoefficients<Quad>& coefficients,
                   int level, const ArrayScaling& scaling, double tolerance);
  /// Levels 0 … n_levels - 1.
  Reading levels(const ScaledArray<Quad>& array, const ArrayCoefficients<Quad>& coefficients,
                 int n_levels, const ArrayScaling& scaling, double tolerance);
  /// How often ranks were computed.
  std::size_t n_computed() const { return n_computed_; }

 private:
  struct Known {
    ArrayScaling scaling;
    double tolerance;
    LevelRanks ranks;
  };
  void recall(const ArrayCoefficients<Quad>& coefficients);

  ArrayCoefficients<Quad> coefficients_;  // of all that is known; those of a level begin with those
                                          // of the lower ones
  std::vector<Known> known_;
  std::size_t n_computed_ = 0;
};

}  // namespace saltus::detail
