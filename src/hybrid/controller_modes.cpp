// How a run goes from mode to mode.
#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/engine_settings.hpp"
#include "hybrid/variable_lookup.hpp"

namespace saltus {

namespace {

// What a declared quantity may differ by, in tolerances of its own size.
constexpr double noticeable_loss = 100.0;

JumpCause cause_of(const detail::ModeChange& change, const detail::ModeChange::Unknown& unknown,
                   bool carries_derivative) {
  if (unknown.start == UnknownStart::mapped) return JumpCause::map;
  // What has no derivative only follows.
  if (change.restart.used == RestartPolicy::impulse)
    return carries_derivative ? JumpCause::impulse : JumpCause::consistency;
  if (change.restart.used == RestartPolicy::least_squares) return JumpCause::least_squares;
  if (unknown.start == UnknownStart::free && change.by_equations) return JumpCause::equation;
  return JumpCause::consistency;
}

/// Parts of a mode's name that are others than before ("D1 blocks, D4 blocks"), if there are several: a transition is
/// called by one of them only.
std::string several_changed(const std::string& before, const std::string& after) {
  const auto parts_of = [](const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t from = 0;;) {
      const std::size_t comma = text.find(", ", from);
      parts.push_back(text.substr(from, comma - from));
      if (comma == std::string::npos) return parts;
      from = comma + 2;
    }
  };
  const std::vector<std::string> one = parts_of(before), other = parts_of(after);
  std::vector<std::string> changed;
  for (std::size_t k = 0; k < other.size() && one.size() == other.size(); ++k)
    if (one[k] != other[k]) changed.push_back(other[k]);
  return changed.size() > 1 ? join(changed, ", ") : "";
}

}  // namespace

/// A transition holds: on with the mode it leads to.
Result<void> Run::Controller::leave_mode(const detail::EventPoint& point,
                                         std::span<const detail::Crossing> crossings,
                                         const detail::InstantResult& result, bool has_history,
                                         const detail::SurfaceWay* instead_of) {
  if (auto noted = recording_.writer().leave(*here_->system, *here_->workspace, point.t, point.x,
                                             point.xdot);
      !noted)
    return noted;
  const std::vector<detail::NamedTruth> truths = named_truths(result.followed);
  const detail::LeftState left = left_.state(point, result.start.x, has_history);
  auto change = search_.run(*here_, left, result.leaving);
  if (!change) return change.failure();
  if (follower_.is_there()) {
    tell_of_change(point, result, has_history, *change);
    change = search_.run(*here_, left, result.leaving);
    if (!change) return change.failure();
  }
  ledger_.event_work().n_evaluations_iterate += change->n_evaluations;
  ledger_.event_work().n_evaluations_analyse += change->n_evaluations_analyse;
  for (const std::string& warning : change->warnings) ledger_.warn(warning);
  for (const std::string& warning : change->restart.warnings) ledger_.warn(warning);
  warn_of_dropped_equations(point.t, *change);
  warn_of_torn_values(point.t, *change);
  detail::ModeRun& target = *change->to;
  set_held_values(*target.workspace, left.held);
  target.start = change->start;
  if (target.kit) target.kit->board.set_truths(change->truths);
  (void)target.enter_stretch(point.t);
  if (auto entered =
          enter_mode(*change, change_entry(point, crossings, result, *change), instead_of);
      !entered)
    return entered;
  return point.t == options_.t_end ? Result<void>() : act_on_changes(truths);
}

/// Triggers of when-clauses and ranges of the mode that the run is in: as they are now, if not said otherwise.
std::vector<detail::NamedTruth> Run::Controller::named_truths(
    std::span<const std::uint8_t> triggers) {
  std::vector<detail::NamedTruth> truths;
  if (!here_->kit) return truths;
  detail::SwitchBoard& board = here_->kit->board;
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (is_range(board.info(w).kind))
      truths.push_back({board.info(w).name, 0, true, board.truth(w)});
  }
  if (board.actions() == nullptr) return truths;
  if (triggers.empty()) triggers = board.triggers(x(), board.discrete());
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
Result<void> Run::Controller::act_on_changes(std::span<const detail::NamedTruth> before) {
  if (!watches_events()) return {};
  const auto held_before = [&](const detail::NamedTruth& now) {
    for (const detail::NamedTruth& b : before) {
      if (!b.is_omitted && b.name == now.name && b.number == now.number &&
          b.is_range == now.is_range)
        return b.holds;
    }
    return now.holds;
  };
  std::vector<std::uint8_t> triggers;
  std::vector<std::string> firing;
  for (const detail::NamedTruth& now : named_truths()) {
    const bool held = held_before(now);
    if (!now.is_range) {
      triggers.push_back(held ? 1 : 0);
      if (now.holds && !held) firing.push_back(now.name);
      continue;
    }
    if (now.holds || !held || options_.events.range == RangePolicy::ignore) continue;
    const std::string text = "'" + now.name + "' was passed at t = " + to_text(t());
    if (options_.events.range == RangePolicy::stop) {
      end({Outcome::terminal_event, text + " (events.range = stop)"});
      return {};
    }
    ledger_.warn(text);
  }
  if (firing.empty()) return {};
  if (const auto still = limits_.stands_still(t(), firing, here_->kit->board.count()))
    return *still;
  detail::EventPoint point = here_.point();
  return pass_instant(point, {}, false, std::nullopt, triggers);
}

/// An impulse moves velocities; where it takes the derivative of one, positions jump.
void Run::Controller::warn_of_torn_values(double t_here, const detail::ModeChange& change) {
  for (const Impulse& impulse : change.restart.impulses) {
    if (impulse.order == 0) continue;
    ledger_.warn(
        "at t = " + to_text(t_here) + " mode '" + change.to->name +
        "' is entered where its constraints do not hold: it takes the derivative of an impulse "
        "(order " +
        std::to_string(impulse.order) + ") in '" + impulse.name +
        "', so that a quantity such as a position jumps; is the guard of '" +
        source_->transitions()[change.path.back().transition].name + "' the right one?");
    return;
  }
}

/// What carries a derivative does not jump unless an action or an impulse makes it.
bool Run::Controller::would_jump(const detail::EventPoint& point,
                                 const detail::InstantResult& result) const {
  if (!result.restart || result.terminal) return false;
  const bool sets_unknowns =
      std::any_of(result.set.begin(), result.set.end(),
                  [](const detail::SetValue& s) { return s.target.is_unknown; });
  if (sets_unknowns) return false;
  const auto carries = here_->system->carries_derivative();
  for (std::uint32_t i = 0; i < point.x.size(); ++i) {
    const double jump = std::abs(result.start.x[i] - point.x[i]);
    const double tolerance =
        here_->engine_options.rtol * std::abs(point.x[i]) + here_->engine_options.atol[i];
    if (carries[i] && jump > detail::noticeable_jump * tolerance) return true;
  }
  return false;
}

/// Constraints on an input that jumps, or has a kink where they contain its derivative, make unknowns jump
/// that have a history: the same mode is entered once more, from the left limit.
Result<void> Run::Controller::jump_by_impulse(const detail::EventPoint& point,
                                              detail::InstantResult& result) {
  if (!result.restart || result.terminal) return {};
  // Only what was reduced relies on its index; index 1 that ceases is noticed by whoever starts it.
  bool other_index = false;
  if (here_->visit.n_reductions > 0) {
    here_->tell_original();
    const auto original = here_->pairing->original(*here_->system, *here_->workspace, point.t,
                                                   result.start.x, result.start.xdot);
    other_index = here_->has_other_index(point.t, original.x, original.xdot);
  }
  if (!would_jump(point, result) && !other_index) return {};
  std::vector<double> x_left = point.x;
  for (const detail::SetValue& s : result.set) {
    if (s.target.is_unknown) x_left[s.target.index] = s.after;
  }
  const detail::LeftState left = left_.state(point, x_left, true);
  if (other_index) {
    ledger_.keep_work(*here_);
    here_->forget();
  }
  auto change = search_.again(*here_, left);
  if (!change) return change.failure();
  if (follower_.is_there() && !other_index) {
    tell_of_jump(point, x_left, *change);
    change = search_.again(*here_, left);
    if (!change) return change.failure();
  }
  ledger_.event_work().n_evaluations_iterate += change->n_evaluations;
  for (const std::string& warning : change->restart.warnings) ledger_.warn(warning);
  if (!here_->engine) {  // reduced anew
    here_.rest_at(point.t);
    const auto after = here_->pairing->original(*here_->system, *here_->workspace, point.t,
                                                change->start.x, change->start.xdot);
    result.written = {left.x, after.x};
    ledger_.take_over_choices(*here_, has_modes());
  }
  result.start = std::move(change->start);
  result.by_impulse = change->restart.used == RestartPolicy::impulse;
  result.impulses = detail::impulse_records(*here_->original, change->restart.impulses);
  return {};
}

/// What is written down of the change waits until it is known whether the mode begins on surfaces.
Result<void> Run::Controller::enter_mode(const detail::ModeChange& change,
                                         detail::JournalEntry entry,
                                         const detail::SurfaceWay* instead_of) {
  const double t_here = entry.instant.t;
  const double step_before = here_->natural_step;
  motion_.enter(*change.to, t_here);
  motion_.forget_cut();
  ledger_.take_over_choices(*here_, has_modes());
  if (here_->natural_step == 0) here_->natural_step = step_before;
  const bool goes_on = t_here != options_.t_end;
  auto slides = goes_on ? sliders_.slide_from_start(t_here) : std::optional<detail::SurfaceWay>();
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
  StartHint hint = detail::step_carried_over(here_->natural_step, here_->engine_kind());
  hint.derivative_known = here_->workspace->ability<ExplicitForm>() != nullptr;
  return motion_.start_stay(t_here, hint);
}

/// What led to another mode, without what its start makes jump.
detail::JournalEntry Run::Controller::change_entry(const detail::EventPoint& point,
                                                   std::span<const detail::Crossing> crossings,
                                                   const detail::InstantResult& result,
                                                   const detail::ModeChange& change) {
  detail::ModeRun& target = *change.to;
  detail::JournalEntry entry;
  if (here_->kit) {
    entry = detail::journal_entry(here_->kit->board, *here_->system, here_->engine_options,
                                  here_->name, point.t, point.x, crossings, result);
  }
  EventInstant& instant = entry.instant;
  instant.t = point.t;
  instant.mode_before = here_->name;
  instant.mode_after = target.name;
  instant.restarted = true;
  instant.n_iterations += static_cast<std::uint32_t>(change.candidates.size());
  instant.candidates = change.candidates;
  for (const CandidateRecord& candidate : change.candidates) {
    if (candidate.taken) instant.impulses = candidate.impulses;
  }
  // At the very start of a run nothing has led to it.
  std::uint32_t micro_step =
      crossings.empty() ? result.n_micro_steps : std::max(1U, result.n_micro_steps);
  for (const detail::TakenTransition& taken : change.path) {
    Event event;
    event.kind = EventKind::structural;
    event.t = point.t;
    event.micro_step = micro_step++;
    event.name = source_->transitions()[taken.transition].name;
    event.cause = taken.cause;
    if (&taken == &change.path.back()) event.note = several_changed(here_->name, target.name);
    entry.events.push_back(std::move(event));
  }
  instant.n_micro_steps = micro_step;
  compare_conserved(change, point, instant);
  return entry;
}

/// Of the mode that the run is in now, on surfaces or not.
void Run::Controller::add_jumps(detail::JournalEntry& entry, const detail::ModeChange& change) {
  const detail::ModeRun& target = *change.to;
  EventInstant& instant = entry.instant;
  const auto at_end = here_->pairing->original(*here_->system, *here_->workspace, instant.t,
                                               here_->start.x, here_->start.xdot);
  for (std::uint32_t i = 0; i < change.unknowns.size(); ++i) {
    const detail::ModeChange::Unknown& unknown = change.unknowns[i];
    const double after = at_end.x[i];
    const double size = std::abs(unknown.before) + target.original->nominal(i);
    if (!unknown.existed || std::abs(after - unknown.before) <= 1e-12 * size) continue;
    Jump jump;
    jump.variable = target.original->unknown_name(i);
    jump.before = unknown.before;
    jump.after = after;
    jump.cause = cause_of(change, unknown, target.original->carries_derivative()[i] != 0);
    jump.by = source_->transitions()[change.path.back().transition].name;
    jump.micro_step = instant.n_micro_steps;
    jump.unit = detail::unit_of(*target.system, jump.variable);
    const double tolerance =
        options_.rtol * std::abs(unknown.before) + options_.atol * target.original->nominal(i);
    jump.in_tolerances = std::abs(after - unknown.before) / tolerance;
    instant.jumps.push_back(std::move(jump));
  }
}

/// Quantities that the transitions on the way declare to be the same on both sides.
void Run::Controller::compare_conserved(const detail::ModeChange& change,
                                        const detail::EventPoint& point, EventInstant& instant) {
  std::vector<double> before, after;
  for (const detail::TakenTransition& taken : change.path) {
    for (const std::string& name : source_->transitions()[taken.transition].conserved) {
      const auto variable = detail::find_variable(here_->system->variable_map(), name);
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
                     source_->transitions()[taken.transition].name + "' should keep '" + name +
                     "', but it changed from " + to_text(one) + " to " + to_text(other));
      }
      instant.conserved.push_back(std::move(record));
    }
  }
}

}  // namespace saltus
