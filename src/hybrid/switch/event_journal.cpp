#include "hybrid/switch/event_journal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hybrid/core/variable_lookup.hpp"

namespace saltus::detail {

namespace {

Event event_of(const SwitchBoard& board, const Crossing& crossing, double t, EventKind kind) {
  Event event;
  event.kind = kind;
  event.t = t;
  event.name = board.info(crossing.which).name;
  event.direction = crossing.direction;
  event.guarantee = crossing.guarantee;
  event.time_width = crossing.time_width;
  event.hysteresis = board.slack(crossing.which);
  event.waited = crossing.waited;
  return event;
}

EventKind kind_of(const SwitchBoard& board, std::uint32_t which) {
  if (board.info(which).kind == SwitchKind::exit) return EventKind::exit_sliding;
  if (is_range(board.info(which).kind)) return EventKind::limit;
  return board.functions().is_timed(which) ? EventKind::scheduled : EventKind::state;
}

void add_jumps(const SwitchBoard* board, const System& system, const EngineOptions& tolerances,
               std::span<const double> x_minus, const InstantResult& result,
               EventInstant& instant) {
  const auto sized = [&](Jump jump, std::uint32_t unknown) {
    const double tolerance = tolerances.rtol * std::abs(jump.before) + tolerances.atol[unknown];
    jump.in_tolerances = std::abs(jump.after - jump.before) / tolerance;
    return jump;
  };
  std::vector<double> set(x_minus.begin(), x_minus.end());
  for (const SetValue& s : result.set) {
    const ActionInfo& action = board->actions()->info(s.action);
    const auto at = std::find(action.targets.begin(), action.targets.end(), s.target);
    Jump jump;
    jump.variable = action.target_names[static_cast<std::size_t>(at - action.targets.begin())];
    // Laws set all that they may set, and have variables of their own.
    if (action.by_laws && (s.before == s.after || jump.variable.empty())) {
      if (s.target.is_unknown && s.target.index < set.size()) set[s.target.index] = s.after;
      continue;
    }
    jump.before = s.before;
    jump.after = s.after;
    jump.cause = JumpCause::action;
    jump.by = action.name;
    jump.discrete = !s.target.is_unknown;
    jump.micro_step = s.micro_step + 1;
    jump.unit = unit_of(system, jump.variable);
    if (s.target.is_unknown && s.target.index < set.size()) {
      set[s.target.index] = s.after;
      jump = sized(std::move(jump), s.target.index);
    }
    instant.jumps.push_back(std::move(jump));
  }
  // What follows in another mode is told by that.
  if (!result.leaving.empty()) return;
  const std::vector<double>& after = result.written ? result.written->after : result.start.x;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    // What is solved for anew may differ in the last digit.
    if (std::abs(after[i] - set[i]) <= rounding * std::abs(set[i])) continue;
    Jump jump;
    jump.variable = system.unknown_name(i);
    jump.before = set[i];
    jump.after = after[i];
    jump.cause = result.by_impulse ? JumpCause::impulse : JumpCause::consistency;
    jump.unit = unit_of(system, jump.variable);
    instant.jumps.push_back(sized(std::move(jump), i));
  }
}

/// Discrete variables that an action by laws has changed: "floor.closed from 0 to 1".
std::string changed_by_laws(const SwitchBoard& board, const InstantResult& result,
                            const FiredAction& fired) {
  const ActionInfo& action = board.actions()->info(fired.action);
  if (!action.by_laws) return {};
  std::vector<std::string> changes;
  for (const SetValue& s : result.set) {
    if (s.action != fired.action || s.micro_step != fired.micro_step || s.target.is_unknown ||
        s.before == s.after)
      continue;
    const auto at = std::find(action.targets.begin(), action.targets.end(), s.target);
    const std::string& name =
        action.target_names[static_cast<std::size_t>(at - action.targets.begin())];
    if (!name.empty())
      changes.push_back(name + " from " + to_text(s.before) + " to " + to_text(s.after));
  }
  return join(changes, ", ");
}

}  // namespace

JournalEntry journal_entry(const SwitchBoard& board, const System& system,
                           const EngineOptions& tolerances, const std::string& mode, double t,
                           std::span<const double> x_minus, std::span<const Crossing> crossings,
                           const InstantResult& result) {
  JournalEntry entry;
  EventInstant& instant = entry.instant;
  instant.t = t;
  instant.mode_before = instant.mode_after = mode;
  instant.n_micro_steps = result.n_micro_steps;
  instant.n_iterations = static_cast<std::uint32_t>(result.n_searches);
  instant.restarted = result.restart;
  for (const Crossing& c : crossings) {
    instant.near_side = instant.near_side || board.info(c.which).sets_unknowns;
    const EventKind kind = c.only_flips ? EventKind::lock : kind_of(board, c.which);
    entry.events.push_back(event_of(board, c, t, kind));
  }
  for (const LockFlip& flip : result.flips) {
    const SwitchInfo& info = board.info(flip.which);
    const auto known = std::find_if(instant.locks.begin(), instant.locks.end(),
                                    [&](const LockChange& l) { return l.relation == info.name; });
    if (known != instant.locks.end()) {
      known->after = board.truth(flip.which);
      continue;
    }
    // A relation flips between two values: an even number of flips ends where it began.
    const auto n = std::count_if(result.flips.begin(), result.flips.end(),
                                 [&](const LockFlip& f) { return f.which == flip.which; });
    const bool after = board.truth(flip.which);
    instant.locks.push_back({info.name, n % 2 == 0 ? after : !after, after});
  }
  std::sort(instant.locks.begin(), instant.locks.end(),
            [](const LockChange& a, const LockChange& b) { return a.relation < b.relation; });
  for (const FiredAction& fired : result.fired) {
    const ActionInfo& action = board.actions()->info(fired.action);
    Event event;
    event.kind = EventKind::action;
    event.t = t;
    event.micro_step = fired.micro_step + 1;
    event.name = action.name;
    if (fired.trigger != FiredAction::no_trigger) {
      event.cause = board.actions()->trigger_text(fired.trigger);
    }
    event.terminal = action.terminal;
    event.note = fired.why.empty() ? action.message : fired.why;
    if (const std::string changed = changed_by_laws(board, result, fired); !changed.empty())
      event.note += (event.note.empty() ? "" : "; ") + changed;
    entry.events.push_back(std::move(event));
  }
  instant.impulses = result.impulses;
  add_jumps(&board, system, tolerances, x_minus, result, instant);
  return entry;
}

JournalEntry jump_entry(const System& system, const EngineOptions& tolerances,
                        const std::string& mode, double t, std::span<const double> x_minus,
                        const InstantResult& result) {
  JournalEntry entry;
  entry.instant.t = t;
  entry.instant.mode_before = entry.instant.mode_after = mode;
  entry.instant.restarted = true;
  entry.instant.impulses = result.impulses;
  add_jumps(nullptr, system, tolerances, x_minus, result, entry.instant);
  return entry;
}

JournalEntry flip_entry(const SwitchBoard& board, const std::string& mode, double t,
                        std::span<const Crossing> crossings) {
  JournalEntry entry;
  entry.instant.t = t;
  entry.instant.mode_before = entry.instant.mode_after = mode;
  for (const Crossing& c : crossings) {
    const bool after = board.truth(c.which);
    entry.instant.locks.push_back({board.info(c.which).name, !after, after});
    const bool of_range = is_range(board.info(c.which).kind);
    entry.events.push_back(event_of(board, c, t, of_range ? EventKind::limit : EventKind::lock));
  }
  return entry;
}

}  // namespace saltus::detail
