// What a run does at events.
#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/step_part.hpp"

namespace saltus {

// ---- along a step ------------------------------------------------------------------------------------

/// In order; relations that change nothing are passed on the way.
Run::Controller::Found Run::Controller::look_along_step() {
  double s_from = 0.0;
  kit_->board.forget_excursions();
  for (;;) {
    const StepPolynomial step = engine_->last_step();
    const auto found = kit_->search.first(step, s_from, kit_->board.watch(step_left_));
    if (found.empty()) {
      kit_->board.end_excuses(t(), x(), xdot());
      return Found::nothing;
    }
    std::vector<Departure> group(found.begin(), found.end());
    if (pardon_excursions(step, s_from, group)) continue;
    // Whatever order relations were declared in.
    std::stable_sort(group.begin(), group.end(), [&](const Departure& a, const Departure& b) {
      if (a.s_before != b.s_before) return a.s_before < b.s_before;
      return kit_->board.info(a.which).name < kit_->board.info(b.which).name;
    });
    if (options_.events.concurrency > 0) widen_group(step, group);
    const double s_here = group.front().s_after;
    const double t_here = group.front().t_after;
    if (!only_flips(group, t_here)) return meet(group);
    if (ended_) return Found::event;
    s_from = s_here;
  }
}

/// Crossings that follow soon enough to be handled together: at the last of them, for their state must
/// have passed all surfaces.
void Run::Controller::widen_group(const StepPolynomial& step, std::vector<Departure>& group) {
  const double length = std::abs(step.t_right - step.t_left);
  const double window = concurrency_bound(step, group) / length;
  if (!(window > 0)) return;
  detail::SwitchBoard& board = kit_->board;
  const WatchList watch = board.watch(step_left_);
  std::vector<std::int8_t> side(watch.side.begin(), watch.side.end());
  const double s_first = group.front().s_after;
  for (;;) {
    for (const Departure& d : group) side[d.which] = 0;
    const auto next = kit_->search.first(step, s_first, {side, watch.slack, watch.uncertainty});
    if (next.empty() || next.front().s_after > s_first + window) break;
    // The one to be met comes first.
    group.insert(group.begin(), next.begin(), next.end());
  }
  for (const Departure& d : group) {
    // What sets unknowns must not pass its surface: it is met alone.
    if (group.size() > 1 && board.info(d.which).sets_unknowns) {
      const auto first =
          std::min_element(group.begin(), group.end(),
                           [](const auto& a, const auto& b) { return a.s_after < b.s_after; });
      group = {*first};
      return;
    }
  }
}

/// Handling a crossing late by dt changes the state by |f_plus - f_minus| dt: a tenth of the tolerance
/// at most.
double Run::Controller::concurrency_bound(const StepPolynomial& step,
                                          std::span<const Departure> group) {
  detail::SwitchBoard& board = kit_->board;
  const double t_here = step.t_left + group.front().s_after * (step.t_right - step.t_left);
  x_piece_.resize(step.n);
  xdot_piece_.resize(step.n);
  step.state_at(t_here, x_piece_);
  step.derivative_at(t_here, xdot_piece_);
  const auto flip = [&] {
    for (const Departure& d : group) board.set_truth(d.which, !board.truth(d.which));
  };
  auto before = find_start(t_here, {x_piece_, xdot_piece_, std::vector<std::uint8_t>(step.n, 0)});
  flip();
  auto after = find_start(t_here, {x_piece_, xdot_piece_, std::vector<std::uint8_t>(step.n, 0)});
  flip();
  event_work_.n_evaluations_iterate += 2;
  if (!before || !after) return 0.0;
  double sum = 0.0;
  for (std::uint32_t i = 0; i < step.n; ++i) {
    const double tolerance = engine_options_.rtol * std::abs(x_piece_[i]) + engine_options_.atol[i];
    // One relation of the group stands for those that follow: each changes about as much, so the
    // largest single change counts, not their mean over all unknowns.
    sum = std::max(sum, std::abs(after->xdot[i] - before->xdot[i]) / tolerance);
  }
  const double bound = sum > 0 ? 0.1 / sum : options_.events.concurrency;
  return std::min(bound, options_.events.concurrency);
}

/// A function that leaves its side by less than its own error and is back at the end of the step cannot
/// be told from one that does not. True if there were such ones, which are not searched for again.
bool Run::Controller::pardon_excursions(const StepPolynomial& step, double s_from,
                                        std::span<const Departure> group) {
  detail::SwitchBoard& board = kit_->board;
  bool any = false;
  for (const Departure& d : group) {
    double g = 0.0;
    const double error = board.uncertainty(d.which);
    if (!(error > 0) || !options_.events.offset) continue;
    if (!board.functions().evaluate_one(d.which, t(), x(), xdot(), g)) continue;
    if (board.side(d.which) * g < 0) continue;
    std::vector<std::int8_t> side(board.count(), 0);
    std::vector<double> slack(board.count(), board.search_slack(d.which) + error);
    side[d.which] = static_cast<std::int8_t>(board.side(d.which));
    if (!kit_->search.first(step, s_from, {side, slack, {}}).empty()) continue;
    board.pardon(d.which, error);
    any = true;
  }
  return any;
}

detail::Crossing Run::Controller::crossing_of(const Departure& departure, double time_width) const {
  const int side = kit_->board.side(departure.which);
  return {departure.which, forward() ? -side : side, departure.guarantee, time_width};
}

/// Whether the step goes on as it is. If so, the relations have got their new truth.
bool Run::Controller::only_flips(std::span<const Departure> group, double t_here) {
  detail::SwitchBoard& board = kit_->board;
  std::vector<std::uint32_t> which;
  bool leaves_range = false;
  for (const Departure& d : group) {
    which.push_back(d.which);
    const bool is_range = board.info(d.which).kind != SwitchKind::relation;
    leaves_range = leaves_range || (is_range && board.truth(d.which));
  }
  if (leaves_range && options_.events.range == RangePolicy::stop) return false;
  const StepPolynomial step = engine_->last_step();
  x_piece_.resize(step.n);
  xdot_piece_.resize(step.n);
  step.state_at(t_here, x_piece_);
  step.derivative_at(t_here, xdot_piece_);
  const detail::Consequence consequence = board.consequence(which, t_here, x_piece_, xdot_piece_);
  if (consequence == detail::Consequence::equations) return false;
  const bool splits = consequence == detail::Consequence::outputs && t_here != recorded_to_;
  if (splits && !record_piece(step, t_here, x_piece_, xdot_piece_)) return false;

  std::vector<double> before_flip;
  if (options_.events.keep) {
    auto before = writer_->recorded_values(*system_, *workspace_, t_here, x_piece_, xdot_piece_);
    if (!before) return false;
    before_flip = std::move(*before);
  }
  std::vector<detail::Crossing> crossings;
  board.note_active();
  for (const Departure& d : group) {
    crossings.push_back(
        crossing_of(d, (d.s_after - d.s_before) * std::abs(step.t_right - step.t_left)));
    board.set_truth(d.which, !board.truth(d.which));
    board.note_switched(d.which, t_here);
    ++n_flips_[d.which];
  }
  board.decide_new(t_here, x_piece_, xdot_piece_);
  detail::JournalEntry entry = detail::flip_entry(board, mode_, t_here, crossings);
  if (options_.events.keep) {
    auto after = writer_->recorded_values(*system_, *workspace_, t_here, x_piece_, xdot_piece_);
    if (!after) return false;
    entry.instant.x_minus = std::move(before_flip);
    entry.instant.x_plus = std::move(*after);
  }
  log(std::move(entry));
  if (splits &&
      !writer_->begin_segment(mode_, *system_, *workspace_, t_here, x_piece_, xdot_piece_))
    return false;
  if (leaves_range) {
    for (const detail::Crossing& c : crossings) {
      const SwitchInfo& info = board.info(c.which);
      if (info.kind != SwitchKind::relation && !board.truth(c.which))
        warn("from t = " + to_text(t_here) + " on, '" + info.name + "' does not hold");
    }
  }
  return true;
}

/// An event inside the step: the engine is taken back to it.
Run::Controller::Found Run::Controller::meet(std::span<const Departure> group) {
  const WorkCounts before = engine_->work();
  natural_step_ = std::max(before.next_step, before.last_step);
  detail::EventLocator::MakeConsistent make_consistent;
  if (engine_->kind() == EngineKind::ida) {
    make_consistent = [this](double at, std::vector<double>& point, std::vector<double>& slope) {
      auto found = find_start(at, {point, slope, std::vector<std::uint8_t>(point.size(), 0)});
      if (!found) return false;
      event_work_.n_evaluations_locate += static_cast<std::uint64_t>(found->n_iterations) + 1;
      point = std::move(found->x);
      slope = std::move(found->xdot);
      return true;
    };
  }
  std::vector<detail::Crossing> crossings;
  for (const Departure& d : group) {
    crossings.push_back(crossing_of(d, 0.0));
  }
  engine_was_cut_ = true;
  detail::EventPoint point = kit_->locator.locate(*engine_, group.front(), make_consistent);
  crossings.front().guarantee = point.guarantee;
  for (const std::uint32_t w : kit_->locator.passed(point)) {
    const bool known = std::any_of(crossings.begin(), crossings.end(),
                                   [&](const detail::Crossing& c) { return c.which == w; });
    const int side = kit_->board.side(w);
    if (!known) crossings.push_back({w, forward() ? -side : side, point.guarantee, 0.0});
  }
  const bool inputs_change = join_scheduled_time(point, crossings);
  ++event_work_.n_located;
  event_work_.n_evaluations_locate += engine_->work().n_evaluations - before.n_evaluations;
  if (point.after_step_begin) {
    if (const auto loss = monitor_.look(*engine_)) {
      end_at(*loss);
      return Found::failure;
    }
    if (auto ok = record_piece(engine_->last_step(), point.t, point.x, point.xdot); !ok) {
      end(Outcome::failed, ok.failure().message, ok.failure().code);
      return Found::failure;
    }
  }
  if (!point.after_step_begin) {
    // No time has passed.
    piece_ = point.x;
    last_piece_ = {point.t, point.t, 0, static_cast<std::uint32_t>(piece_.size()), piece_};
    last_is_piece_ = true;
  }
  if (auto passed = pass_instant(point, crossings, inputs_change); !passed) {
    end(Outcome::failed, passed.failure().message, passed.failure().code);
    report_.t_reached = writer_->trajectory().t_end();
    return Found::failure;
  }
  if (point.t == options_.t_end && !ended_) {
    end(Outcome::finished, "");
    report_.t_reached = point.t;
  }
  return Found::event;
}

/// An event within a few digits of the end of the stretch, or pushed beyond it by its offset, takes place
/// there, together with what is known to happen then. True if inputs cease to be smooth.
bool Run::Controller::join_scheduled_time(detail::EventPoint& point,
                                          std::vector<detail::Crossing>& crossings) {
  constexpr double few_digits = 64 * std::numeric_limits<double>::epsilon();
  const double left = (stretch_end_ - point.t) * (forward() ? 1.0 : -1.0);
  if (left > few_digits * std::max(std::abs(point.t), std::abs(stretch_end_))) return false;
  point.t = stretch_end_;
  return add_due(crossings);
}

/// Relations of time that change at the end of the stretch. True if inputs cease to be smooth there.
bool Run::Controller::add_due(std::vector<detail::Crossing>& crossings) {
  SwitchingFunctions& functions = kit_->board.functions();
  for (std::uint32_t w = 0; w < functions.count(); ++w) {
    if (!functions.is_timed(w) || !functions.is_due(w, stretch_end_)) continue;
    const int side = kit_->board.side(w);
    crossings.push_back({w, forward() ? -side : side, Guarantee::proven, 0.0});
  }
  return scheduled_ != nullptr && stretch_end_ != options_.t_end &&
         scheduled_->next(stretch_begin_, options_.t_end) == stretch_end_;
}

Result<void> Run::Controller::record_piece(const StepPolynomial& step, double t_to,
                                           std::span<const double> at,
                                           std::span<const double> slope) {
  const double t_from = recorded_to_;
  if (t_to == t_from) return {};
  recorded_to_ = t_to;
  last_piece_ = detail::part_of(step, t_from, t_to, piece_);
  last_is_piece_ = true;
  return writer_->add_step(*system_, *workspace_, last_piece_, at, slope);
}

// ---- at an instant -------------------------------------------------------------------------------------

/// The end of a stretch: an input is not smooth, a relation of time changes, a dwell time is over.
Result<void> Run::Controller::pass_scheduled_time() {
  const double t_here = t();
  natural_step_ = std::max(engine_->work().last_step, engine_->work().next_step);
  detail::EventPoint point;
  point.t = t_here;
  point.x.assign(x().begin(), x().end());
  point.xdot.assign(xdot().begin(), xdot().end());
  if (!watches_events()) {
    detail::InstantResult result;
    enter_stretch(t_here);
    auto found =
        find_start(t_here, {point.x, point.xdot, std::vector<std::uint8_t>(point.x.size(), 0)});
    if (!found) return found.failure();
    result.start = std::move(*found);
    result.restart = true;
    return go_on_after(point, std::move(result));
  }
  std::vector<detail::Crossing> crossings;
  const bool inputs_change = add_due(crossings);
  if (crossings.empty() && !inputs_change) {  // a dwell time is over
    if (t_here != options_.t_end) enter_stretch(t_here);
    return {};
  }
  return pass_instant(point, crossings, inputs_change);
}

/// Of several relations that cross together some may change nothing that the others do not.
void Run::Controller::mark_flips(std::vector<detail::Crossing>& crossings,
                                 const detail::EventPoint& at) {
  constexpr std::size_t most = 1000;  // each is tried
  if (crossings.size() < 2 || crossings.size() > most) return;
  detail::SwitchBoard& board = kit_->board;
  const auto flip = [&](std::uint32_t w) { board.set_truth(w, !board.truth(w)); };
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

Result<void> Run::Controller::pass_instant(const detail::EventPoint& point,
                                           std::vector<detail::Crossing> crossings,
                                           bool inputs_change,
                                           std::optional<std::uint32_t> action) {
  detail::SwitchBoard& board = kit_->board;
  mark_flips(crossings, point);
  std::vector<std::uint32_t> crossed;
  bool out_of_range = false;
  for (const detail::Crossing& c : crossings) {
    crossed.push_back(c.which);
    const bool is_range = board.info(c.which).kind != SwitchKind::relation;
    out_of_range = out_of_range || (is_range && board.truth(c.which));
  }
  if (options_.events.keep) {
    auto values = writer_->recorded_values(*system_, *workspace_, point.t, point.x, point.xdot);
    if (!values) return values.failure();
    x_minus_values_ = std::move(*values);
  }
  const auto margins = kit_->locator.margins(point, crossed);
  for (detail::Crossing& c : crossings) {
    c.t_zero = kit_->locator.zero_near(point, c.which);
    c.time_width = std::max(c.time_width, std::abs(point.t - c.t_zero));
  }
  std::sort(crossings.begin(), crossings.end(),
            [&](const detail::Crossing& a, const detail::Crossing& b) {
              if (a.t_zero != b.t_zero)
                return forward() ? a.t_zero < b.t_zero : a.t_zero > b.t_zero;
              return board.info(a.which).name < board.info(b.which).name;
            });
  // Inputs are taken from the right from here on.
  if (point.t != options_.t_end) enter_stretch(point.t);
  kit_->iteration.set_at_once(1e-3 * natural_step_);
  auto result =
      kit_->iteration.run({point.t, point.x, point.xdot, crossed, margins, inputs_change, action});
  if (!result) return result.failure();
  event_work_.n_evaluations_iterate += result->n_evaluations;

  for (const detail::Crossing& c : crossings) {
    ++(c.only_flips ? n_flips_ : n_crossings_)[c.which];
    board.note_switched(c.which, point.t);
  }
  detail::JournalEntry entry = detail::journal_entry(board, *system_, engine_options_, mode_,
                                                     point.t, point.x, crossings, *result);
  if (options_.events.keep) {
    entry.instant.x_minus = x_minus_values_;
    auto values = writer_->recorded_values(*system_, *workspace_, point.t, result->start.x,
                                           result->start.xdot);
    if (!values) return values.failure();
    entry.instant.x_plus = std::move(*values);
  }
  // Breakpoints of inputs that lead to nothing are no news.
  const bool is_news =
      !entry.events.empty() || !entry.instant.locks.empty() || !entry.instant.jumps.empty();
  if (entry.events.empty()) {
    Event breakpoint;
    breakpoint.kind = EventKind::scheduled;
    breakpoint.t = point.t;
    breakpoint.name = "breakpoint of an input";
    entry.events.push_back(std::move(breakpoint));
  }
  if (is_news) log(std::move(entry));

  const std::optional<std::uint32_t> terminal = result->terminal;
  if (auto gone_on = go_on_after(point, std::move(*result)); !gone_on) return gone_on;
  if (ended_) return {};
  for (const std::uint32_t w : crossed) {
    // It switched while still before its surface, and goes on over it.
    double g = 0.0;
    if (board.functions().evaluate_one(w, t(), x(), xdot(), g) && board.side(w) * g < 0) {
      board.excuse(w, 2 * std::abs(g) + margins[w]);
    }
  }
  if (out_of_range) {
    end(Outcome::terminal_event, "at t = " + to_text(point.t) + " '" +
                                     board.info(crossed.front()).name +
                                     "' ceases to hold (events.range = stop)");
  } else if (terminal) {
    const ActionInfo& info = board.actions()->info(*terminal);
    end(Outcome::terminal_event, "'" + info.name + "' ended the run at t = " + to_text(point.t) +
                                     (info.message.empty() ? "" : ": " + info.message));
  } else if (within_event_limit()) {
    watch_accumulation(point.t, crossings);
  }
  return {};
}

/// The engine begins anew where equations or values have changed, or where it was taken back to.
Result<void> Run::Controller::go_on_after(const detail::EventPoint& point,
                                          detail::InstantResult result) {
  if (point.t == options_.t_end) {
    if (!result.restart) return {};
    start_ = std::move(result.start);
    return writer_->end_with_point(mode_, *system_, *workspace_, point.t, start_.x, start_.xdot);
  }
  enter_stretch(point.t);
  if (!result.restart && !engine_was_cut_) return {};
  engine_was_cut_ = false;
  const bool restarted = result.restart;
  const bool sets_values = !result.set.empty();
  start_ = std::move(result.start);
  suit_engine_to_stretches();
  StartHint hint;
  hint.step = natural_step_;
  if (engine_->kind() == EngineKind::ida) hint.step *= 0.05;
  // Explicit systems are started by evaluating them.
  hint.derivative_known = restarted;
  if (auto begun = start_engine(point.t, hint); !begun) return begun;
  return sets_values ? Result<void>() : no_impulse_at(point.t, point.x);
}

/// Of the implicit engines the one that suits the distance between events, if none was asked for.
void Run::Controller::suit_engine_to_stretches() {
  const std::uint64_t n_steps = n_steps_ - n_steps_at_start_;
  n_steps_at_start_ = n_steps_;
  // Factors of Radau's matrices are too large for large models.
  constexpr std::uint32_t large = 2000;
  if (engine_asked_ != EngineKind::automatic || system_->size() > large) return;
  const auto better = stretches_.ended(engine_->kind(), n_steps);
  if (!better) return;
  keep_work();
  report_.choices.push_back({"engine", std::string(name(engine_->kind())),
                             std::string(name(*better)),
                             "distance between events, from t = " + to_text(t()) + " on"});
  engine_ = make_engine(*better, *system_, *workspace_, engine_options_);
}

void Run::Controller::log(detail::JournalEntry entry) {
  log_.add(std::move(entry.instant), std::move(entry.events), options_.events.keep);
}

bool Run::Controller::within_event_limit() {
  const int most = options_.limits.max_events;
  if (most == 0 || log_.counts().n_interruptions < static_cast<std::uint64_t>(most)) return true;
  end(Outcome::event_limit, "the limit of " + to_text(most) +
                                " events (limits.max_events) is used up; t = " + to_text(t()) +
                                " was reached");
  return false;
}

// ---- events without end --------------------------------------------------------------------------------

void Run::Controller::watch_accumulation(double t_here,
                                         std::span<const detail::Crossing> crossings) {
  using Kind = detail::AccumulationWatch::Kind;
  for (const detail::Crossing& c : crossings) {
    if (kit_->board.functions().is_timed(c.which)) continue;
    const auto verdict = kit_->accumulation.note(c.which, t_here);
    const std::string& who = kit_->board.info(c.which).name;
    if (verdict.kind == Kind::chatters) {
      end(Outcome::failed,
          "at t = " + to_text(t_here) + " '" + who +
              "' switches again and again within a few digits "
              "of the time (" +
              to_text(static_cast<std::int64_t>(verdict.n_events)) +
              " events so far): it chatters; look at what its two sides do, or give it a "
              "hysteresis or a "
              "dwell time (events.hysteresis, events.dwell)",
          FailureCode::not_certified);
      return;
    }
    if (verdict.kind != Kind::accumulates) continue;
    if (forward() ? verdict.t_limit >= options_.t_end : verdict.t_limit <= options_.t_end) continue;
    continue_at_limit(c.which, verdict.t_limit);
    return;
  }
}

/// Events of a relation accumulate at t_limit, which is close.
void Run::Controller::continue_at_limit(std::uint32_t which, double t_limit) {
  const std::string who = kit_->board.info(which).name;
  const auto& wanted = options_.events.accumulation;
  const auto named = std::find_if(wanted.begin(), wanted.end(),
                                  [&](const Named<std::string>& n) { return n.name == who; });
  const std::string text = "events of '" + who + "' accumulate at t = " + to_text(t_limit);
  EventActions* actions = kit_->board.actions();
  if (named == wanted.end()) {
    end(Outcome::accumulation,
        text + ", extrapolated from " +
            to_text(static_cast<std::int64_t>(kit_->accumulation.n_events(which))) +
            " events; to go on from there name an action in events.accumulation");
    report_.choices.push_back(
        {"accumulation of '" + who + "'", "", to_text(t_limit), "the run ends"});
    return;
  }
  std::uint32_t action = 0;
  while (action < actions->count() && actions->info(action).name != named->value) ++action;
  SALTUS_ASSERT(action < actions->count());
  report_.choices.push_back({"accumulation of '" + who + "'", "", to_text(t_limit),
                             "continued with '" + named->value + "'; from t = " + to_text(t()) +
                                 " to there the solution is held"});
  // What is left of the motion is below everything that matters: it is held until the limit.
  detail::EventPoint point;
  point.t = t_limit;
  point.x.assign(x().begin(), x().end());
  point.xdot.assign(xdot().begin(), xdot().end());
  const StepPolynomial held{t(), t_limit, 0, static_cast<std::uint32_t>(point.x.size()), point.x};
  engine_was_cut_ = true;
  auto passed = record_piece(held, t_limit, point.x, point.xdot);
  if (passed) passed = pass_instant(point, {}, false, action);
  if (!passed) end(Outcome::failed, passed.failure().message, passed.failure().code);
}

}  // namespace saltus
