// Watches the matrix E + dF/dx Q of (I.1) during integration. If it becomes singular, the system no
// longer has index 1; its solution may end, branch or change its number of freedoms.
//
// Q is the projector of the start, so that the determinant is a smooth function along the solution.
// If Q came from a rank decision, its directions may become outdated. confirm() decides with the
// projector of the point itself.
#pragma once

#include <memory>
#include <span>

#include <saltus/system/monitoring.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

/// Returns the watch for a system that is regular at the given consistent point. Returns null if it
/// is not, if the determinant cannot change (x' of all unknowns with constant coefficients, judged
/// from two points), or if more than 100 unknowns would need a dense decomposition. Keeps
/// references to system and workspace.
std::unique_ptr<Regularity> watch_index_one(const System& system, Workspace& workspace, double t,
                                            std::span<const double> x,
                                            std::span<const double> xdot);

}  // namespace saltus
