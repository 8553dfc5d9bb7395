#include "hybrid/start_policy.hpp"

#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/initialize/restart.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/started_system.hpp>

#include "hybrid/initial_values.hpp"

namespace saltus::detail {

Result<std::shared_ptr<const System>> apply_start_policy(std::shared_ptr<const System> system,
                                                         Workspace& any_workspace,
                                                         const RunOptions& options,
                                                         std::vector<DecisionRecord>& choices) {
  const bool is_as_stated = any_workspace.ability<InitialEquations>() == nullptr;
  if (options.start == StartPolicy::keep && is_as_stated) return system;
  const auto workspace = system->workspace();
  const double t = options.t_begin;
  if (auto* scheduled = workspace->ability<ScheduledTimes>()) {
    scheduled->enter_stretch(t, scheduled->next(t, options.t_end));
  }
  if (auto* initial = workspace->ability<InitialEquations>()) {
    auto start = values_by_initial_equations(*system, *workspace, *initial, options, choices);
    if (!start) return start.failure();
    std::shared_ptr<const System> begun =
        std::make_shared<StartedSystem>(std::move(system), std::move(*start), HeldSnapshot{});
    return begun;
  }
  RestartOptions wanted;
  wanted.policy =
      options.start == StartPolicy::check ? RestartPolicy::check : RestartPolicy::least_squares;
  wanted.time_scale = options.t_end - t;
  StartValues start = system->start_values();
  decide_locks(*workspace, t, start.x, start.xdot);
  const auto found = restart(*system, *workspace, t, start, wanted);
  if (!found) return found.failure();
  if (options.start == StartPolicy::check) return system;
  for (const StartChange& c : found->changes) {
    if (!start.x_given[c.unknown]) continue;
    choices.push_back({"start value of " + c.name, to_text(c.given), to_text(c.used),
                       "least squares at t = " + to_text(t)});
  }
  start.x = found->x;
  start.xdot = found->xdot;
  std::shared_ptr<const System> moved =
      std::make_shared<StartedSystem>(std::move(system), std::move(start), HeldSnapshot{});
  return moved;
}

}  // namespace saltus::detail
