// Whether the counts of a derivative array can be relied on.
#pragma once

#include <array>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/numerics/quad.hpp>

#include "reduce/array/level_ranks.hpp"
#include "reduce/array/rank_memory.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

/// Ranks are read at h / 8, h and 8 h for the time scale h of the scaling: a rank that is a matter of
/// units changes among them.
inline constexpr std::array<int, 3> time_shifts = {-3, 0, 3};

struct Certificate {
  CharacteristicValues values;
  std::vector<RankDecision> decisions;
  /// At level mu, in the scaling itself.
  LevelRanks ranks;
};

/// The values that all three scales agree on with clear ranks, or all candidates. If pivots are met
/// that rounding of data in double precision could have made (1e-24 … 1e-13), ranks are decided above
/// these too; where the two answers differ, equations are redundant up to rounding and taken as
/// redundant. `only_up_to_rounding`: the path meets the equations no better than that.
Result<Certificate> certify(RankMemory& memory, const ScaledArray<Quad>& array,
                            const ArrayCoefficients<Quad>& coefficients, int n_levels,
                            const ArrayScaling& scaling, bool only_up_to_rounding,
                            const std::string& where);

}  // namespace saltus::detail
