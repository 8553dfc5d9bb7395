#include "hybrid/mode/start_policy.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/switching.hpp>
#include <saltus/system/started_system.hpp>

#include "hybrid/mode/initial_values.hpp"

namespace saltus::detail {

namespace {

RestartPolicy restart_policy_of(StartPolicy policy) {
  switch (policy) {
    case StartPolicy::check:
      return RestartPolicy::check;
    case StartPolicy::impulse:
      return RestartPolicy::impulse;
    case StartPolicy::keep:
    case StartPolicy::least_squares:
      break;
  }
  return RestartPolicy::least_squares;
}

/// How much of a stated value is rounding: what is typed has no errors of a computation. Guesses have no history.
std::vector<double> history_of(const System& system, const StartValues& stated, double rounding) {
  std::vector<double> history(system.size(), std::numeric_limits<double>::infinity());
  const auto carries = system.carries_derivative();
  for (std::uint32_t i = 0; i < system.size(); ++i)
    if (carries[i] && stated.x_given[i])
      history[i] = rounding * (std::abs(stated.x[i]) + system.nominal(i));
  return history;
}

}  // namespace

Result<ChosenStart> apply_start_policy(std::shared_ptr<const System> system,
                                       Workspace& any_workspace, const RunOptions& options,
                                       std::vector<DecisionRecord>& choices) {
  const bool is_as_stated = any_workspace.ability<InitialEquations>() == nullptr;
  if (options.start == StartPolicy::keep && is_as_stated) return ChosenStart{std::move(system)};
  const auto workspace = system->workspace();
  const double t = options.t_begin;
  if (auto* scheduled = workspace->ability<ScheduledTimes>()) {
    scheduled->enter_stretch(t, scheduled->next(t, options.t_end));
  }
  if (auto* initial = workspace->ability<InitialEquations>()) {
    auto start = values_by_initial_equations(*system, *workspace, *initial, options, choices);
    if (!start) return start.failure();
    return ChosenStart{
        std::make_shared<StartedSystem>(std::move(system), std::move(*start), HeldSnapshot{})};
  }
  RestartOptions wanted;
  wanted.policy = restart_policy_of(options.start);
  wanted.time_scale = options.t_end - t;
  StartValues start = system->start_values();
  if (options.start == StartPolicy::impulse)
    wanted.history = history_of(*system, start, wanted.check_tolerance);
  decide_locks(*workspace, t, start.x, start.xdot);
  auto found = restart(*system, *workspace, t, start, wanted);
  if (!found) return found.failure();
  if (options.start == StartPolicy::check) return ChosenStart{std::move(system)};
  if (options.start == StartPolicy::impulse && found->used == RestartPolicy::impulse)
    return ChosenStart{std::move(system), std::move(*found)};
  const std::string reason =
      options.start == StartPolicy::impulse ? "consistency, without impulses" : "least squares";
  for (const StartChange& c : found->changes) {
    if (!start.x_given[c.unknown]) continue;
    choices.push_back({"start value of " + c.name, to_text(c.given), to_text(c.used),
                       reason + " at t = " + to_text(t)});
  }
  start.x = found->x;
  start.xdot = found->xdot;
  return ChosenStart{
      std::make_shared<StartedSystem>(std::move(system), std::move(start), HeldSnapshot{})};
}

}  // namespace saltus::detail
