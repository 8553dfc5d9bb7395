// What a run does at an instant.
#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/surface/refusals.hpp"
#include "hybrid/surface/surface_sides.hpp"
#include "hybrid/stay/excuses.hpp"
#include "hybrid/engine_settings.hpp"

namespace saltus {

namespace {

std::vector<std::string> names_of(const detail::SwitchBoard& board,
                                  std::span<const detail::Crossing> crossings) {
  std::vector<std::string> names;
  for (const detail::Crossing& c : crossings) names.push_back(board.info(c.which).name);
  return names;
}

}  // namespace

// ---- at an instant -------------------------------------------------------------------------------------

/// The end of a stretch: an input is not smooth, a relation of time changes, a dwell time is over.
Result<void> Run::Controller::pass_scheduled_time() {
  const double t_here = t();
  motion_.note_natural_step();
  detail::EventPoint point;
  point.t = t_here;
  point.x.assign(x().begin(), x().end());
  point.xdot.assign(xdot().begin(), xdot().end());
  if (!watches_events()) {
    detail::InstantResult result;
    motion_.enter_stretch(t_here);
    auto found =
        find_start(t_here, {point.x, point.xdot, std::vector<std::uint8_t>(point.x.size(), 0)});
    if (!found) return found.failure();
    result.start = std::move(*found);
    result.restart = true;
    if (auto noted = left_.note(point); !noted) return noted;
    if (auto jumped = jump_by_impulse(point, result); !jumped) return jumped;
    if (result.by_impulse) {
      if (auto logged = log_instant(point, {}, result); !logged) return logged;
    }
    return motion_.go_on_after(point, std::move(result));
  }
  std::vector<detail::Crossing> crossings;
  const bool inputs_change = add_due(crossings);
  if (crossings.empty() && !inputs_change) {  // a dwell time is over
    if (t_here != options_.t_end) motion_.enter_stretch(t_here);
    return {};
  }
  return pass_instant(point, crossings, inputs_change);
}

/// Of several relations that cross together some may change nothing that the others do not.
void Run::Controller::mark_flips(std::vector<detail::Crossing>& crossings,
                                 const detail::EventPoint& at) {
  constexpr std::size_t most = 1000;  // each is tried
  if (crossings.size() < 2 || crossings.size() > most) return;
  detail::SwitchBoard& board = here_->kit->board;
  const auto flip = [&](std::uint32_t w) { board.set_truth(w, !board.truth(w)); };
  for (detail::Crossing& c : crossings) {
    c.matters_first =
        board.consequence({&c.which, 1}, at.t, at.x, at.xdot) == detail::Consequence::equations;
  }
  for (const detail::Crossing& c : crossings) flip(c.which);
  std::size_t n_flips = 0;
  for (detail::Crossing& c : crossings) {
    flip(c.which);
    c.only_flips =
        board.info(c.which).kind == SwitchKind::relation &&
        board.consequence({&c.which, 1}, at.t, at.x, at.xdot) != detail::Consequence::equations;
    flip(c.which);
    if (c.only_flips) ++n_flips;
  }
  for (const detail::Crossing& c : crossings) flip(c.which);
  // Each may do what another does as well: then it takes all of them.
  if (n_flips < crossings.size()) return;
  for (detail::Crossing& c : crossings) c.only_flips = false;
}

/// The iteration at an instant. A function that jumps with its relation by less than its uncertainty does not jump as
/// far as anybody can tell: where neither truth is confirmed, what crossed counts as on its surface within that.
Result<detail::InstantResult> Run::Controller::settle(const detail::InstantEntry& entry) {
  auto result = here_->kit->iteration.run(entry);
  if (!result || !result->apart) return result;
  // Truths are those of before.
  detail::SwitchBoard& board = here_->kit->board;
  const std::vector<std::uint8_t> truths(board.truths().begin(), board.truths().end());
  const auto uncertainty = here_->kit->locator.uncertainties();
  std::vector<double> wide(entry.margin.begin(), entry.margin.end());
  for (const std::uint32_t w : entry.crossed) wide[w] = std::max(wide[w], uncertainty[w]);
  detail::InstantEntry doubted = entry;
  doubted.margin = wide;
  auto again = here_->kit->iteration.run(doubted);
  if (again && !again->apart && again->undecided.empty()) return again;
  board.set_truths(truths);
  return result;
}

Result<void> Run::Controller::pass_instant(const detail::EventPoint& point,
                                           std::vector<detail::Crossing> crossings,
                                           bool inputs_change, std::optional<std::uint32_t> action,
                                           std::span<const std::uint8_t> triggers_before) {
  if (const auto still = limits_.stands_still(point.t, names_of(here_->kit->board, crossings),
                                              here_->kit->board.count()))
    return *still;
  stop_watch_.forget();
  if (here_->on_surfaces)
    return pass_instant_on_surfaces(point, std::move(crossings), inputs_change, action,
                                    triggers_before);
  detail::SwitchBoard& board = here_->kit->board;
  mark_flips(crossings, point);
  order_.mark(*here_, point.t, crossings);
  std::vector<std::uint32_t> crossed;
  std::optional<std::uint32_t> left_range;
  for (const detail::Crossing& c : crossings) {
    crossed.push_back(c.which);
    if (is_range(board.info(c.which).kind) && board.truth(c.which) &&
        options_.events.range == RangePolicy::stop)
      left_range = c.which;
  }
  if (auto noted = left_.note(point, crossings); !noted) return noted;
  const auto margins = here_->kit->locator.margins(point, crossed);
  put_in_order(point, crossings);
  const detail::OrderWatch::Found order =
      order_.look(*here_, point, crossings, here_.stretch_end(), source_->transitions());
  for (const detail::Crossing& c : crossings) board.note_switched(c.which, point.t);
  std::vector<std::uint8_t> fresh(board.count());
  for (std::uint32_t w = 0; w < board.count(); ++w)
    fresh[w] = board.functions().is_active(w) ? 0 : 1;
  const std::vector<double> watched = watched_before(point, action);
  // Inputs are taken from the right from here on.
  if (point.t != options_.t_end) motion_.enter_stretch(point.t);
  here_->kit->iteration.set_at_once(1e-3 * here_->natural_step);
  here_->kit->iteration.set_follower(follower_.get(), *here_->workspace);
  auto result = settle({point.t,
                        point.x,
                        point.xdot,
                        crossed,
                        margins,
                        inputs_change,
                        action,
                        {},
                        triggers_before,
                        {},
                        false,
                        watched,
                        error_of_time(crossings)});
  if (!result) return result.failure();
  for (const std::string& said : result->remarks) ledger_.warn(said);
  ledger_.event_work().n_evaluations_iterate += result->n_evaluations + order.n_evaluations;
  tell_of_order(order, *result, crossings);
  for (const detail::Crossing& c : crossings)
    ++(c.only_flips ? here_->n_flips : here_->n_crossings)[c.which];
  for (const detail::LockFlip& flip : result->flips) {
    // A range may be left by what happened at the instant.
    const SwitchInfo& info = board.info(flip.which);
    const bool known = std::find(crossed.begin(), crossed.end(), flip.which) != crossed.end();
    if (!is_range(info.kind) || known || board.truth(flip.which)) continue;
    crossings.push_back({flip.which, -1, Guarantee::proven, 0.0, point.t});
    if (options_.events.range == RangePolicy::stop) left_range = flip.which;
    if (options_.events.range == RangePolicy::warn)
      ledger_.warn("'" + info.name + "' was passed at t = " + to_text(point.t));
  }
  if (!result->leaving.empty() && !left_range) {
    if (auto left = leave_mode(point, crossings, *result, !action); !left) return left;
    (void)within(limits_.look_at_events(t()));
    return {};
  }
  const std::vector<double> wide(margins.begin(), margins.end());
  if (result->undecided.empty() && !result->terminal && options_.events.offset) {
    detail::EventPoint settled = point;
    settled.x = result->start.x;
    settled.xdot = result->start.xdot;
    result->undecided = judge_.held_on_surface(settled, wide);
  }
  if (!result->undecided.empty()) {
    stop_watch_.note(*here_, point, crossings, *result);
    SurfaceInstant instant;
    instant.mode = &*here_;
    instant.point = instant.settled = point;
    instant.settled.x = result->start.x;
    instant.settled.xdot = result->start.xdot;
    instant.met = judge_.on_surface(*here_, instant.settled, wide);
    judge_.switch_what_must_cross(result->undecided, instant.settled);
    instant.crossings = std::move(crossings);
    instant.result = std::move(*result);
    instant.left_range = left_range;
    instant.fresh = std::move(fresh);
    if (instant.result.apart) return go_on_between_sides(std::move(instant));
    return go_on_from_surfaces(std::move(instant));
  }
  if (auto jumped = jump_by_impulse(point, *result); !jumped) return jumped;
  if (is_only_a_touch(point, crossings, *result)) {
    excursions_.mark_touches(crossings, point.t);
    if (auto gone_on = motion_.go_on_after(point, std::move(*result)); !gone_on) return gone_on;
    if (here_.in_motion()) detail::excuse_what_touched(here_, crossed);
    return {};
  }
  if (auto decided = refuse_ambiguous_reset(point, *result); !decided) return decided;
  if (auto logged = log_instant(point, crossings, *result); !logged) return logged;
  if (left_range || result->terminal) return end_at_event(point, *result, left_range);

  stop_watch_.note(*here_, point, crossings, *result);
  const bool is_new = !here_->engine;  // the mode was reduced anew: nothing of before is left of it
  if (auto gone_on = motion_.go_on_after(point, std::move(*result)); !gone_on) return gone_on;
  if (point.t == options_.t_end || is_new) return {};
  detail::look_where_crossed(here_, crossed, margins);
  if (within(limits_.look_at_events(t())) && !rest_where_stopped())
    look_for_end(point.t, crossings);
  return {};
}

/// What actions watch, while inputs and relations are still those of before. The beginning of a run has no before.
std::vector<double> Run::Controller::watched_before(const detail::EventPoint& point,
                                                    std::optional<std::uint32_t> action) {
  EventActions* actions = here_->kit->board.actions();
  if (actions == nullptr || (action && actions->info(*action).at_start)) return {};
  return actions->watched(point.t, point.x, point.xdot);
}

/// By how much relations that cross may have been located off their zero.
double Run::Controller::error_of_time(std::span<const detail::Crossing> crossings) const {
  double error = 0.0;
  for (const detail::Crossing& c : crossings) {
    if (!here_->kit->board.functions().is_timed(c.which)) error = std::max(error, c.time_width);
  }
  return error;
}

/// What was set at an instant may lie on a surface that no motion leads to: then nothing says which side it is on.
Result<void> Run::Controller::refuse_ambiguous_reset(const detail::EventPoint& point,
                                                     const detail::InstantResult& result) {
  if (result.fired.empty() || result.terminal || result.start.x == point.x) return {};
  detail::EventPoint at = point;
  at.x = result.start.x;
  at.xdot = result.start.xdot;
  const auto margins = here_->kit->locator.margins(at, {});
  const auto met = judge_.on_surface(*here_, at, margins);
  if (met.empty()) return {};
  detail::SwitchBoard& board = here_->kit->board;
  const std::vector<std::uint8_t> truths(board.truths().begin(), board.truths().end());
  const auto way = judge_.find_way(*here_, at, {met});
  board.set_truths(truths);
  if (way && way->kind == DecisionKind::several)
    return detail::no_way(point.t, *way, detail::WayOnto::reset);
  return {};
}

/// Relations that choose equations crossed and are back where they were, although nothing was set: what crossed
/// was the error of a step.
bool Run::Controller::is_only_a_touch(const detail::EventPoint& point,
                                      std::span<const detail::Crossing> crossings,
                                      const detail::InstantResult& result) {
  if (crossings.empty() || !result.fired.empty() || result.terminal || result.by_impulse)
    return false;
  detail::SwitchBoard& board = here_->kit->board;
  return std::all_of(crossings.begin(), crossings.end(), [&](const detail::Crossing& c) {
    return detail::is_turned_back(board, c, forward()) &&
           board.chooses_equations(c.which, point.t, point.x, point.xdot);
  });
}

/// In the order in which their functions pass zero, whatever order they were declared in.
void Run::Controller::put_in_order(const detail::EventPoint& point,
                                   std::vector<detail::Crossing>& crossings) {
  for (detail::Crossing& c : crossings) {
    c.t_zero = here_->kit->locator.zero_near(point, c.which);
    c.time_width = std::max(c.time_width, std::abs(point.t - c.t_zero));
  }
  std::sort(crossings.begin(), crossings.end(),
            [&](const detail::Crossing& a, const detail::Crossing& b) {
              if (a.t_zero != b.t_zero)
                return forward() ? a.t_zero < b.t_zero : a.t_zero > b.t_zero;
              return here_->kit->board.info(a.which).name < here_->kit->board.info(b.which).name;
            });
}

Result<void> Run::Controller::log_instant(const detail::EventPoint& point,
                                          std::span<const detail::Crossing> crossings,
                                          const detail::InstantResult& result) {
  const System& system = result.written ? *here_->original : *here_->system;
  const std::span<const double> before = result.written ? result.written->before : point.x;
  detail::JournalEntry entry =
      here_->kit
          ? detail::journal_entry(here_->kit->board, system, here_->engine_options, here_->name,
                                  point.t, before, crossings, result)
          : detail::jump_entry(system, here_->engine_options, here_->name, point.t, before, result);
  // Breakpoints of inputs that lead to nothing are no news. That algebraic unknowns are solved for anew moves them
  // by what was allowed.
  const auto is_correction = [](const Jump& j) {
    return j.cause == JumpCause::consistency && j.in_tolerances < 1.0;
  };
  if (entry.events.empty() && entry.instant.locks.empty() &&
      std::all_of(entry.instant.jumps.begin(), entry.instant.jumps.end(), is_correction))
    return {};
  return left_.log(std::move(entry), point.t, *here_, result.start);
}

/// As the model or an option wishes.
Result<void> Run::Controller::end_at_event(const detail::EventPoint& point,
                                           const detail::InstantResult& result,
                                           std::optional<std::uint32_t> left_range) {
  auto written = recording_.end_with_point(point.t, result.start.x, result.start.xdot);
  if (!written) return written;
  here_->start = result.start;
  here_.rest_at(point.t);
  if (left_range) {
    end({Outcome::terminal_event, "'" + here_->kit->board.info(*left_range).name +
                                      "' was passed at t = " + to_text(point.t) +
                                      " (events.range = stop)"});
  } else {
    const ActionInfo info = here_->kit->board.actions()->info(*result.terminal);
    // The end is here.
    options_.t_end = point.t;
    if (auto acted = act_at_end(); !acted || ended_) return acted;
    end({Outcome::terminal_event, "'" + info.name + "' ended the run at t = " + to_text(point.t) +
                                      (info.message.empty() ? "" : ": " + info.message)});
  }
  ledger_.report().t_reached = point.t;
  return {};
}

}  // namespace saltus
