// What a factorisation of a sparse matrix costs, without doing it.
#pragma once

#include <saltus/numerics/sparse.hpp>

namespace saltus::detail {

/// Multiplications of a symmetric elimination in the order of minimum degree, sum of d², d being the
/// number of neighbours when an unknown is eliminated; a full matrix has n³/3. Stops once `limit` is
/// exceeded, so its own cost is bounded by about that.
double elimination_cost(const CscPattern& pattern, double limit);

}  // namespace saltus::detail
