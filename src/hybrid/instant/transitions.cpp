#include "hybrid/instant/transitions.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/core/engine_settings.hpp"
#include "hybrid/stay/follower_port.hpp"
#include "hybrid/core/variable_lookup.hpp"

namespace saltus::detail {

namespace {

// What a declared quantity may differ by, in tolerances of its own size.
constexpr double noticeable_loss = 100.0;

JumpCause cause_of(const ModeChange& change, const ModeChange::Unknown& unknown,
                   bool carries_derivative) {
  if (unknown.start == UnknownStart::mapped) return JumpCause::map;
  // What has no derivative only follows.
  if (change.restart.used == RestartPolicy::impulse)
    return carries_derivative ? JumpCause::impulse : JumpCause::consistency;
  if (change.restart.used == RestartPolicy::least_squares) return JumpCause::least_squares;
  if (unknown.start == UnknownStart::free && change.by_equations) return JumpCause::equation;
  return JumpCause::consistency;
}

/// States of components that are others than before ("D1 blocks, D4 blocks"), if there are several: a transition is
/// called by one of them only.
std::string several_changed(std::span<const std::string> before,
                            std::span<const std::string> after) {
  std::vector<std::string> changed;
  for (std::size_t k = 0; k < after.size() && before.size() == after.size(); ++k)
    if (before[k] != after[k]) changed.push_back(after[k]);
  return changed.size() > 1 ? join(changed, ", ") : "";
}

/// A mode of the model stands for motion on these surfaces.
void add_replaced_slide(JournalEntry& entry, const SurfaceWay& way) {
  entry.instant.surface_candidates = way.records;
  const auto taken = std::find_if(entry.events.begin(), entry.events.end(),
                                  [](const Event& e) { return e.kind == EventKind::structural; });
  for (const SurfaceCandidateRecord& record : way.records) {
    for (const SurfaceMotion& motion : record.motions) {
      if (record.taken && !motion.truth && taken->cause.empty()) taken->cause = motion.relation;
    }
  }
}

}  // namespace

Verdict Transitions::leave(const Leaving& from) {
  const auto& [point, crossings, result, has_history, instead_of] = from;
  if (auto noted = frame_.recording.writer().leave(*here_->system, *here_->workspace, point.t,
                                                   point.x, point.xdot);
      !noted)
    return noted.failure();
  const std::vector<NamedTruth> truths = named_truths(result.followed);
  const LeftState left = left_.state(point, result.start.x, has_history);
  auto change = search_.run(*here_, left, result.leaving);
  if (!change) return change.failure();
  if (frame_.follower.is_there()) {
    tell_of_change(from, *change);
    // Its questions have moved the modes.
    change = search_.run(*here_, left, result.leaving);
    if (!change) return change.failure();
  }
  ledger_.event_work().n_evaluations_iterate += change->n_evaluations;
  ledger_.event_work().n_evaluations_analyse += change->n_evaluations_analyse;
  for (const std::string& warning : change->warnings) ledger_.warn(warning);
  for (const std::string& warning : change->restart.warnings) ledger_.warn(warning);
  warn_of_dropped_equations(point.t, *change);
  warn_of_torn_values(point.t, *change);
  ModeRun& target = *change->to;
  set_held_values(*target.workspace, left.held);
  target.start = change->start;
  if (target.kit) target.kit->board.set_truths(change->truths);
  (void)target.enter_stretch(point.t);
  if (auto entered = enter(*change, entry_of(from, *change), instead_of); !entered)
    return entered.failure();
  if (point.t == options_.t_end) return GoOn{.is_event = true};
  return act_on_changes(truths);
}

/// What a follower may ask of a change of modes: where it would lead from elsewhere.
void Transitions::tell_of_change(const Leaving& from, const ModeChange& change) {
  const MovedStart moved = [&](double dt,
                               std::span<const double> dx) -> std::optional<std::vector<double>> {
    EventPoint there = from.point;
    there.t += dt;
    std::vector<double> x_there = from.result.start.x;
    for (std::size_t i = 0; i < x_there.size(); ++i) x_there[i] += dx[i];
    LeftState left = left_.state(there, x_there, from.has_history);
    left.every_jump = true;
    const auto other = search_.run(*here_, left, from.result.leaving);
    if (!other || other->to != change.to) return std::nullopt;
    return other->start.x;
  };
  frame_.follower.get()->changes_mode(
      {*change.to->system, *change.to->workspace, from.point.t, change.start.x, change.start.xdot},
      moved);
}

/// What is written down of the change waits until it is known whether the mode begins on surfaces.
Result<void> Transitions::enter(const ModeChange& change, JournalEntry entry,
                                const SurfaceWay* instead_of) {
  const double t_here = entry.instant.t;
  const double step_before = here_->natural_step;
  motion_.enter(*change.to, t_here);
  motion_.forget_cut();
  ledger_.take_over_choices(*here_, frame_.has_modes());
  if (here_->natural_step == 0) here_->natural_step = step_before;
  const bool goes_on = t_here != options_.t_end;
  auto slides = goes_on ? sliders_.slide_from_start(t_here) : std::optional<SurfaceWay>();
  add_surfaces(entry, change.path);
  if (slides && *slides)
    entry.instant.surface_candidates = (*slides)->records;
  else if (instead_of != nullptr)
    add_replaced_slide(entry, *instead_of);
  add_jumps(entry, change);
  if (auto logged = left_.log(std::move(entry), t_here, *here_, here_->start); !logged)
    return logged;
  if (!slides) return slides.failure();
  if (!goes_on) {
    ++here_->visit.n_stays;
    return motion_.end_with_start(t_here);
  }
  StartHint hint = step_carried_over(here_->natural_step, here_->engine_kind());
  hint.derivative_known = here_->workspace->ability<ExplicitForm>() != nullptr;
  return motion_.start_stay(t_here, hint);
}

/// What led to another mode, without what its start makes jump.
JournalEntry Transitions::entry_of(const Leaving& from, const ModeChange& change) {
  JournalEntry entry;
  if (here_->kit)
    entry = journal_entry(here_->kit->board, *here_->system, here_->engine_options, here_->name,
                          from.point.t, from.point.x, from.crossings, from.result);
  EventInstant& instant = entry.instant;
  instant.t = from.point.t;
  instant.mode_before = here_->name;
  instant.mode_after = change.to->name;
  instant.restarted = true;
  instant.n_iterations += static_cast<std::uint32_t>(change.candidates.size());
  instant.candidates = change.candidates;
  for (const CandidateRecord& candidate : change.candidates) {
    if (candidate.taken) instant.impulses = candidate.impulses;
  }
  add_transitions(entry, from, change);
  compare_conserved(change, from.point, instant);
  return entry;
}

void Transitions::add_transitions(JournalEntry& entry, const Leaving& from,
                                  const ModeChange& change) const {
  // At the very start of a run nothing has led to it.
  std::uint32_t micro_step =
      from.crossings.empty() ? from.result.n_micro_steps : std::max(1U, from.result.n_micro_steps);
  for (const TakenTransition& taken : change.path) {
    Event event;
    event.kind = EventKind::structural;
    event.t = from.point.t;
    event.micro_step = micro_step++;
    event.name = source_.transitions()[taken.transition].name;
    event.cause = taken.cause;
    if (&taken == &change.path.back())
      event.note = several_changed(source_.mode_parts(here_->configuration.mode),
                                   source_.mode_parts(change.to->configuration.mode));
    entry.events.push_back(std::move(event));
  }
  entry.instant.n_micro_steps = micro_step;
}

/// Surfaces of one mode let the solution go where another one is entered, and those of that one may hold it.
void Transitions::add_surfaces(JournalEntry& entry, std::span<const TakenTransition> path) const {
  EventInstant& instant = entry.instant;
  instant.sliding_before = left_.sliding();
  if (here_->on_surfaces) instant.sliding_after = here_->on_surfaces->names;
  bool any = false;
  const auto add = [&](EventKind kind, std::span<const std::string> names,
                       std::span<const std::string> others) {
    for (const std::string& name : names) {
      if (std::find(others.begin(), others.end(), name) != others.end()) continue;
      Event event;
      event.kind = kind;
      event.t = instant.t;
      event.name = name;
      event.micro_step = instant.n_micro_steps;
      event.cause = source_.transitions()[path.back().transition].name;
      entry.events.push_back(std::move(event));
      any = true;
    }
  };
  add(EventKind::exit_sliding, instant.sliding_before, instant.sliding_after);
  add(EventKind::enter_sliding, instant.sliding_after, instant.sliding_before);
  if (any) ++instant.n_micro_steps;
}

/// Of the mode that the run is in now, on surfaces or not.
void Transitions::add_jumps(JournalEntry& entry, const ModeChange& change) const {
  const ModeRun& target = *change.to;
  EventInstant& instant = entry.instant;
  const auto at_end = here_->pairing->original(*here_->system, *here_->workspace, instant.t,
                                               here_->start.x, here_->start.xdot);
  for (std::uint32_t i = 0; i < change.unknowns.size(); ++i) {
    const ModeChange::Unknown& unknown = change.unknowns[i];
    const double after = at_end.x[i];
    const double size = std::abs(unknown.before) + target.original->nominal(i);
    if (!unknown.existed || std::abs(after - unknown.before) <= 1e-12 * size) continue;
    Jump jump;
    jump.variable = target.original->unknown_name(i);
    jump.before = unknown.before;
    jump.after = after;
    jump.cause = cause_of(change, unknown, target.original->carries_derivative()[i] != 0);
    jump.by = source_.transitions()[change.path.back().transition].name;
    jump.micro_step = instant.n_micro_steps;
    jump.unit = unit_of(*target.system, jump.variable);
    const double tolerance =
        options_.rtol * std::abs(unknown.before) + options_.atol * target.original->nominal(i);
    jump.in_tolerances = std::abs(after - unknown.before) / tolerance;
    instant.jumps.push_back(std::move(jump));
  }
}

/// Quantities that the transitions on the way declare to be the same on both sides.
void Transitions::compare_conserved(const ModeChange& change, const EventPoint& point,
                                    EventInstant& instant) {
  std::vector<double> before, after;
  for (const TakenTransition& taken : change.path) {
    for (const std::string& name : source_.transitions()[taken.transition].conserved) {
      const auto variable = find_variable(here_->system->variable_map(), name);
      if (!variable) continue;
      if (before.empty()) {
        const std::size_t n = here_->system->variable_map().variables().size();
        before.resize(n);
        after.resize(n);
        const bool known =
            here_->system->variable_map().values(*here_->workspace, point.t, point.x, point.xdot,
                                                 before) &&
            change.to->system->variable_map().values(*change.to->workspace, point.t, change.start.x,
                                                     change.start.xdot, after);
        if (!known) return;
      }
      if (!here_->system->variable_map().present(*variable) ||
          !change.to->system->variable_map().present(*variable)) {
        ledger_.warn("at t = " + to_text(point.t) + " '" + name +
                     "' cannot be compared: it does not exist on both sides of the transition");
        continue;
      }
      const double one = before[*variable], other = after[*variable];
      const double allowed =
          noticeable_loss *
          (options_.rtol * std::max(std::abs(one), std::abs(other)) + options_.atol);
      ConservedRecord record{name, one, other,
                             here_->system->variable_map().variables()[*variable].unit,
                             std::abs(one - other) <= allowed};
      if (!record.kept) {
        ledger_.warn("at t = " + to_text(point.t) + " transition '" +
                     source_.transitions()[taken.transition].name + "' should keep '" + name +
                     "', but it changed from " + to_text(one) + " to " + to_text(other));
      }
      instant.conserved.push_back(std::move(record));
    }
  }
}

/// Triggers of when-clauses and ranges of the mode that the run is in: as they are now, if not said otherwise.
std::vector<NamedTruth> Transitions::named_truths(std::span<const std::uint8_t> triggers) const {
  std::vector<NamedTruth> truths;
  if (!here_->kit) return truths;
  SwitchBoard& board = here_->kit->board;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (is_range(board.info(w).kind))
      truths.push_back({board.info(w).name, 0, true, board.truth(w)});
  }
  if (board.actions() == nullptr) return truths;
  if (triggers.empty()) triggers = board.triggers(here_.x(), board.discrete());
  const std::vector<std::uint8_t> holds(triggers.begin(), triggers.end());
  for (std::uint32_t trigger = 0, number = 0; trigger < holds.size(); ++trigger, ++number) {
    const std::uint32_t action = board.actions()->action_of(trigger);
    if (trigger > 0 && board.actions()->action_of(trigger - 1) != action) number = 0;
    const ActionInfo& info = board.actions()->info(action);
    truths.push_back({info.name, number, false, holds[trigger] != 0, !info.lacks.empty()});
  }
  return truths;
}

/// A transition may make conditions true, or take variables out of their ranges, like any other event. What
/// did not exist before waits until it has been false.
Verdict Transitions::act_on_changes(std::span<const NamedTruth> before) {
  if (!here_->watches_events()) return GoOn{.is_event = true};
  const auto held_before = [&](const NamedTruth& now) {
    for (const NamedTruth& b : before) {
      if (!b.is_omitted && b.name == now.name && b.number == now.number &&
          b.is_range == now.is_range)
        return b.holds;
    }
    return now.holds;
  };
  std::vector<std::uint8_t> triggers;
  std::vector<std::string> firing;
  for (const NamedTruth& now : named_truths()) {
    const bool held = held_before(now);
    if (!now.is_range) {
      triggers.push_back(held ? 1 : 0);
      if (now.holds && !held) firing.push_back(now.name);
      continue;
    }
    if (now.holds || !held || options_.events.range == RangePolicy::ignore) continue;
    const std::string text = "'" + now.name + "' was passed at t = " + to_text(here_.t());
    if (options_.events.range == RangePolicy::stop) {
      return Ending{Outcome::terminal_event, text + " (events.range = stop)"};
    }
    ledger_.warn(text);
  }
  if (firing.empty()) return GoOn{.is_event = true};
  if (const auto still = limits_.stands_still(here_.t(), firing, here_->kit->board.count()))
    return *still;
  return InstantRequest{
      .point = here_.point(), .triggers_before = std::move(triggers), .follows_event = true};
}

/// An impulse moves velocities; where it takes the derivative of one, positions jump.
void Transitions::warn_of_torn_values(double t_here, const ModeChange& change) {
  for (const Impulse& impulse : change.restart.impulses) {
    if (impulse.order == 0) continue;
    ledger_.warn(
        "at t = " + to_text(t_here) + " mode '" + change.to->name +
        "' is entered where its constraints do not hold: it takes the derivative of an impulse "
        "(order " +
        std::to_string(impulse.order) + ") in '" + impulse.name +
        "', so that a quantity such as a position jumps; is the guard of '" +
        source_.transitions()[change.path.back().transition].name + "' the right one?");
    return;
  }
}

/// What equations between both limits find out about a mode has no effect if that mode lasts no time.
void Transitions::warn_of_dropped_equations(double t_here, const ModeChange& change) {
  for (auto d = change.dropped.rbegin(); d != change.dropped.rend(); ++d) {
    ledger_.warn_once(
        "equations of " + d->transition + " into " + d->mode,
        "at t = " + to_text(t_here) + " transition " + quote(d->transition) + " led into mode " +
            quote(d->mode) + ", which was left at once: " +
            (d->equations.size() == 1 ? "its equation " : "its equations ") +
            join(d->equations, ", ") + " had no effect, and mode " + quote(change.to->name) +
            " starts from the values before; to keep their effect, write them as a map");
  }
}

}  // namespace saltus::detail
