// The matrix E + dF/dx Q of (I.1) while a system is integrated: where it becomes singular, the system
// ceases to have index 1, and its solution may end, branch or change its number of freedoms.
//
// Q is the one of the start, so that the determinant is a smooth function along the solution. If Q came
// from a rank decision, its directions may age: confirm() decides with those of the point itself.
#pragma once

#include <memory>
#include <span>

#include <saltus/system/monitoring.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

/// For a system that is regular at the given consistent point; null if it is not, if the determinant
/// cannot change (x' of all unknowns with constant coefficients, as far as two points tell), or if a
/// dense decomposition would be needed for more than 100 unknowns. Keeps references to both.
std::unique_ptr<Regularity> watch_index_one(const System& system, Workspace& workspace, double t,
                                            std::span<const double> x,
                                            std::span<const double> xdot);

}  // namespace saltus
