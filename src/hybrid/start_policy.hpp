// Start values by policy, before anything is integrated.
#pragma once

#include <memory>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/system/system.hpp>
#include <saltus/trajectory/report.hpp>

namespace saltus::detail {

/// The system itself for policy keep, and for check if the stated values pass; for least_squares, and where there are
/// initial equations, the same system with other start values, and what was changed. A workspace of it is asked for what it
/// offers.
Result<std::shared_ptr<const System>> apply_start_policy(std::shared_ptr<const System> system,
                                                         Workspace& any_workspace,
                                                         const RunOptions& options,
                                                         std::vector<DecisionRecord>& choices);

}  // namespace saltus::detail
