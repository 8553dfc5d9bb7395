// Start values by policy, before anything is integrated.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/initialize/restart.hpp>
#include <saltus/system/system.hpp>
#include <saltus/trajectory/report.hpp>

namespace saltus::detail {

struct ChosenStart {
  /// With the start values to begin from, or with those that were stated if there is a jump.
  std::shared_ptr<const System> system;
  /// Policy impulse: the stated values are those before the start, and unknowns with a derivative jump from them.
  std::optional<Restart> jump = std::nullopt;
};

/// The system itself for policy keep, and for check if the stated values pass; for least_squares and impulse, and where
/// there are initial equations, the same system with other start values, and what was changed. A workspace of it is
/// asked for what it offers.
Result<ChosenStart> apply_start_policy(std::shared_ptr<const System> system,
                                       Workspace& any_workspace, const RunOptions& options,
                                       std::vector<DecisionRecord>& choices);

}  // namespace saltus::detail
