#include "hybrid/instant/instants.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/instant/crossings.hpp"
#include "hybrid/instant/event_series.hpp"
#include "hybrid/search/due.hpp"
#include "hybrid/stay/excuses.hpp"
#include "hybrid/stay/follower_port.hpp"
#include "hybrid/surface/refusals.hpp"

namespace saltus::detail {

namespace {

/// The point, as it is after actions.
EventPoint settled_at(const EventPoint& point, const InstantResult& result) {
  EventPoint settled = point;
  settled.x = result.start.x;
  settled.xdot = result.start.xdot;
  return settled;
}

}  // namespace

// ---- what makes time stand still -----------------------------------------------------------------------

Verdict Instants::pass_end_of_stretch() {
  const EventPoint point = here_.point();
  parts_.motion.note_natural_step();
  if (!here_->watches_events()) return pass_breakpoint({.point = point});
  InstantRequest request{.point = point};
  request.inputs_change = add_due(here_, options_.t_end, request.crossings);
  if (!request.crossings.empty() || request.inputs_change) return pass(request);
  // A dwell time is over.
  if (point.t != options_.t_end) parts_.motion.enter_stretch(point.t);
  return GoOn{};
}

/// An input is not smooth, and nothing else can happen.
Verdict Instants::pass_breakpoint(const InstantRequest& request) {
  const EventPoint& point = request.point;
  InstantResult result;
  if (auto noted = parts_.left.note(point); !noted) return noted.failure();
  request.set_inputs();
  parts_.motion.enter_stretch(point.t);
  auto found = here_->find_start_on_side(
      point.t, {point.x, point.xdot, std::vector<std::uint8_t>(point.x.size(), 0)});
  if (!found) return found.failure();
  result.start = std::move(*found);
  result.restart = true;
  if (auto jumped = parts_.impulses.jump(point, result); !jumped) return jumped.failure();
  if (result.by_impulse) {
    if (auto logged = log(point, {}, result); !logged) return logged.failure();
  }
  if (auto gone = parts_.motion.go_on_after(point, std::move(result)); !gone) return gone.failure();
  return GoOn{};
}

Verdict Instants::pass(InstantRequest& request) {
  if (!here_->watches_events()) return pass_breakpoint(request);
  const SwitchBoard& board = here_->kit->board;
  if (const auto still = parts_.limits.stands_still(
          request.point.t, names_of(board, request.crossings), board.count()))
    return *still;
  parts_.stop_watch.forget();
  if (here_->on_surfaces) return parts_.on_surfaces.pass(request);
  Passing now{.request = request};
  if (auto met = meet(now); !met) return met.failure();
  note_flips(now);
  if (!now.result.leaving.empty() && !now.left_range)
    return parts_.transitions.leave({std::move(now.request.point), std::move(now.request.crossings),
                                     std::move(now.result), !now.request.action});
  return go_on(now);
}

// ---- what happens --------------------------------------------------------------------------------------

/// The left limit, and what the relations and actions make of it.
Result<void> Instants::meet(Passing& now) {
  const EventPoint& point = now.request.point;
  std::vector<Crossing>& crossings = now.request.crossings;
  SwitchBoard& board = here_->kit->board;
  mark_flips(here_, crossings, point);
  order_.mark(*here_, point.t, crossings);
  for (const Crossing& c : crossings) {
    now.crossed.push_back(c.which);
    if (is_range(board.info(c.which).kind) && board.truth(c.which) &&
        options_.events.range == RangePolicy::stop)
      now.left_range = c.which;
  }
  if (auto noted = parts_.left.note(point, crossings); !noted) return noted;
  now.margins = here_->kit->locator.margins(point, now.crossed);
  put_in_order(here_, point, crossings);
  const OrderWatch::Found order =
      order_.look(*here_, point, crossings, here_.stretch_end(), frame_.source.transitions());
  for (const Crossing& c : crossings) board.note_switched(c.which, point.t);
  now.fresh.resize(board.count());
  for (std::uint32_t w = 0; w < board.count(); ++w)
    now.fresh[w] = board.functions().is_active(w) ? 0 : 1;
  auto result = carry_out(now);
  if (!result) return result.failure();
  now.result = std::move(*result);
  for (const std::string& said : now.result.remarks) ledger_.warn(said);
  ledger_.event_work().n_evaluations_iterate += now.result.n_evaluations + order.n_evaluations;
  // Where the tolerances do not tell what comes next.
  if (now.result.fired.empty() && now.result.leaving.empty()) return {};
  for (const std::string& warning : order.warnings) ledger_.warn(warning);
  for (Crossing& c : crossings)
    if (order.is_open) c.guarantee = Guarantee::marginal;
  return {};
}

Result<InstantResult> Instants::carry_out(const Passing& now) {
  const InstantRequest& request = now.request;
  const EventPoint& point = request.point;
  const std::vector<double> watched = watched_before(here_, point, request.action);
  // Inputs are taken from the right from here on.
  request.set_inputs();
  if (point.t != options_.t_end) parts_.motion.enter_stretch(point.t);
  here_->kit->iteration.set_at_once(1e-3 * here_->natural_step);
  here_->kit->iteration.actions().set_follower(frame_.follower.get(), *here_->workspace);
  return settle({.t = point.t,
                 .x = point.x,
                 .xdot = point.xdot,
                 .crossed = now.crossed,
                 .margin = now.margins,
                 .inputs_change = request.inputs_change,
                 .action = request.action,
                 .triggers_before = request.triggers_before,
                 .watched = watched,
                 .time_error = error_of_time(here_, request.crossings)});
}

/// The iteration at an instant. A function that jumps with its relation by less than its uncertainty does not jump as
/// far as anybody can tell: where neither truth is confirmed, what crossed counts as on its surface within that.
Result<InstantResult> Instants::settle(const InstantEntry& entry) {
  auto result = here_->kit->iteration.run(entry);
  if (!result || !result->apart) return result;
  // Truths are those of before.
  SwitchBoard& board = here_->kit->board;
  const std::vector<std::uint8_t> truths(board.truths().begin(), board.truths().end());
  const auto uncertainty = here_->kit->locator.uncertainties();
  std::vector<double> wide(entry.margin.begin(), entry.margin.end());
  for (const std::uint32_t w : entry.crossed) wide[w] = std::max(wide[w], uncertainty[w]);
  InstantEntry doubted = entry;
  doubted.margin = wide;
  auto again = here_->kit->iteration.run(doubted);
  if (again && !again->apart && again->undecided.empty()) return again;
  board.set_truths(truths);
  return result;
}

/// What the relations have done. A range may be left by what happened at the instant.
void Instants::note_flips(Passing& now) {
  const SwitchBoard& board = here_->kit->board;
  for (const Crossing& c : now.request.crossings)
    ++(c.only_flips ? here_->n_flips : here_->n_crossings)[c.which];
  for (const LockFlip& flip : now.result.flips) {
    const SwitchInfo& info = board.info(flip.which);
    const bool known = std::ranges::find(now.crossed, flip.which) != now.crossed.end();
    if (!is_range(info.kind) || known || board.truth(flip.which)) continue;
    now.request.crossings.push_back({flip.which, -1, Guarantee::proven, 0.0, now.request.point.t});
    if (options_.events.range == RangePolicy::stop) now.left_range = flip.which;
    if (options_.events.range == RangePolicy::warn)
      ledger_.warn("'" + info.name + "' was passed at t = " + to_text(now.request.point.t));
  }
}

// ---- what comes of it ----------------------------------------------------------------------------------

Verdict Instants::go_on(Passing& now) {
  const EventPoint& point = now.request.point;
  const std::vector<Crossing>& crossings = now.request.crossings;
  InstantResult& result = now.result;
  const std::vector<double> margins(now.margins.begin(), now.margins.end());
  if (result.undecided.empty() && !result.terminal && options_.events.offset)
    result.undecided = parts_.judge.held_on_surface(settled_at(point, result), margins);
  if (!result.undecided.empty()) return ask_surfaces(now, margins);
  if (auto jumped = parts_.impulses.jump(point, result); !jumped) return jumped.failure();
  if (is_only_a_touch(now)) {
    parts_.excursions.mark_touches(crossings, point.t);
    if (auto gone = parts_.motion.go_on_after(point, std::move(result)); !gone)
      return gone.failure();
    if (here_.in_motion()) excuse_what_touched(here_, now.crossed);
    return GoOn{};
  }
  if (auto decided = refuse_ambiguous_reset(point, result); !decided) return decided.failure();
  if (auto logged = log(point, crossings, result); !logged) return logged.failure();
  if (now.left_range || result.terminal) {
    auto ending = parts_.last_part.end_at_event(point.t, result, now.left_range);
    if (!ending) return ending.failure();
    return std::move(*ending);
  }
  parts_.stop_watch.note(*here_, point, crossings, result);
  const bool is_new = !here_->engine;  // the mode was reduced anew: nothing of before is left of it
  if (auto gone = parts_.motion.go_on_after(point, std::move(result)); !gone) return gone.failure();
  if (point.t == options_.t_end || is_new) return GoOn{};
  look_where_crossed(here_, now.crossed, now.margins);
  return GoOn{.is_event = true, .series = GoOn::Series{point.t, crossings}};
}

/// Both sides of some surfaces lead to them.
Verdict Instants::ask_surfaces(Passing& now, std::span<const double> margins) {
  const EventPoint& point = now.request.point;
  parts_.stop_watch.note(*here_, point, now.request.crossings, now.result);
  SurfaceInstant instant;
  instant.mode = &*here_;
  instant.point = point;
  instant.settled = settled_at(point, now.result);
  instant.met = parts_.judge.on_surface(*here_, instant.settled, margins);
  parts_.judge.switch_what_must_cross(now.result.undecided, instant.settled);
  instant.crossings = std::move(now.request.crossings);
  instant.result = std::move(now.result);
  instant.left_range = now.left_range;
  instant.fresh = std::move(now.fresh);
  return instant;
}

/// What was set at an instant may lie on a surface that no motion leads to: then nothing says which side it is on.
Result<void> Instants::refuse_ambiguous_reset(const EventPoint& point,
                                              const InstantResult& result) {
  if (result.fired.empty() || result.terminal || result.start.x == point.x) return {};
  const EventPoint at = settled_at(point, result);
  const auto margins = here_->kit->locator.margins(at, {});
  const auto met = parts_.judge.on_surface(*here_, at, margins);
  if (met.empty()) return {};
  SwitchBoard& board = here_->kit->board;
  const std::vector<std::uint8_t> truths(board.truths().begin(), board.truths().end());
  const auto way = parts_.judge.find_way(*here_, at, {met});
  board.set_truths(truths);
  if (way && way->kind == DecisionKind::several) return no_way(point.t, *way, WayOnto::reset);
  return {};
}

/// Relations that choose equations crossed and are back where they were, although nothing was set: what crossed
/// was the error of a step.
bool Instants::is_only_a_touch(const Passing& now) const {
  const EventPoint& point = now.request.point;
  const InstantResult& result = now.result;
  const std::vector<Crossing>& crossings = now.request.crossings;
  if (crossings.empty() || !result.fired.empty() || result.terminal || result.by_impulse)
    return false;
  SwitchBoard& board = here_->kit->board;
  return std::all_of(crossings.begin(), crossings.end(), [&](const Crossing& c) {
    return is_turned_back(board, c, here_.forward()) &&
           board.chooses_equations(c.which, point.t, point.x, point.xdot);
  });
}

Result<void> Instants::log(const EventPoint& point, std::span<const Crossing> crossings,
                           const InstantResult& result) {
  const System& system = result.written ? *here_->original : *here_->system;
  const std::span<const double> before = result.written ? result.written->before : point.x;
  JournalEntry entry =
      here_->kit ? journal_entry(here_->kit->board, system, here_->engine_options, here_->name,
                                 point.t, before, crossings, result)
                 : jump_entry(system, here_->engine_options, here_->name, point.t, before, result);
  // Breakpoints of inputs that lead to nothing are no news. That algebraic unknowns are solved for anew moves them
  // by what was allowed.
  const auto is_correction = [](const Jump& j) {
    return j.cause == JumpCause::consistency && j.in_tolerances < 1.0;
  };
  if (entry.events.empty() && entry.instant.locks.empty() &&
      std::all_of(entry.instant.jumps.begin(), entry.instant.jumps.end(), is_correction))
    return {};
  return parts_.left.log(std::move(entry), point.t, *here_, result.start);
}

}  // namespace saltus::detail
