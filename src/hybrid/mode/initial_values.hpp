// Start values of a run that has initial equations.
#pragma once

#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/system.hpp>
#include <saltus/trajectory/report.hpp>

namespace saltus::detail {

/// Found together with the truth of relations and with what actions at the start set. Unknowns with a derivative are
/// marked as given, but for those that keep a guess.
Result<StartValues> values_by_initial_equations(const System& system, Workspace& workspace,
                                                InitialEquations& equations,
                                                const RunOptions& options,
                                                std::vector<DecisionRecord>& choices);

}  // namespace saltus::detail
