// How a run finds its events along a step.
#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/text.hpp>

#include "hybrid/controller.hpp"
#include "hybrid/step_part.hpp"

namespace saltus {

/// In order; relations that change nothing are passed on the way.
Run::Controller::Found Run::Controller::look_along_step() {
  double s_from = 0.0;
  here_->kit->board.forget_excursions();
  here_->kit->locator.look_at_exits(here_->engine->last_step());
  for (;;) {
    const StepPolynomial step = here_->engine->last_step();
    const auto found =
        here_->kit->search.first(step, s_from, here_->kit->board.watch(here_.step_left()));
    std::vector<Departure> group(found.begin(), found.end());
    if (!here_->kit->search.approaches().empty()) excursions_.note_approaches(step);
    if (group.empty()) {
      here_->kit->board.end_excuses(t(), x(), xdot());
      return Found::nothing;
    }
    if (excursions_.pardon(step, s_from, group)) continue;
    // Whatever order relations were declared in.
    std::stable_sort(group.begin(), group.end(), [&](const Departure& a, const Departure& b) {
      if (a.s_before != b.s_before) return a.s_before < b.s_before;
      return here_->kit->board.info(a.which).name < here_->kit->board.info(b.which).name;
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
  detail::SwitchBoard& board = here_->kit->board;
  // Actions read the state at their own time.
  const auto acts = [&](std::span<const Departure> some) {
    std::vector<std::uint32_t> which;
    for (const Departure& d : some) which.push_back(d.which);
    return board.sets_off_actions(which, some.front().t_after, x_piece_, xdot_piece_);
  };
  if (acts(group)) return;
  const WatchList watch = board.watch(here_.step_left());
  std::vector<std::int8_t> side(watch.side.begin(), watch.side.end());
  const double s_first = group.front().s_after;
  for (;;) {
    for (const Departure& d : group) side[d.which] = 0;
    const auto next =
        here_->kit->search.first(step, s_first, {side, watch.slack, watch.uncertainty});
    if (next.empty() || next.front().s_after > s_first + window || acts(next)) break;
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
  detail::SwitchBoard& board = here_->kit->board;
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
  ledger_.event_work().n_evaluations_iterate += 2;
  if (!before || !after) return 0.0;
  double sum = 0.0;
  for (std::uint32_t i = 0; i < step.n; ++i) {
    const double tolerance =
        here_->engine_options.rtol * std::abs(x_piece_[i]) + here_->engine_options.atol[i];
    // One relation of the group stands for those that follow: each changes about as much, so the
    // largest single change counts, not their mean over all unknowns.
    sum = std::max(sum, std::abs(after->xdot[i] - before->xdot[i]) / tolerance);
  }
  const double bound = sum > 0 ? 0.1 / sum : options_.events.concurrency;
  return std::min(bound, options_.events.concurrency);
}

detail::Crossing Run::Controller::crossing_of(const Departure& departure, double time_width) const {
  const int side = here_->kit->board.side(departure.which);
  detail::Crossing crossing{departure.which, forward() ? -side : side, departure.guarantee,
                            time_width};
  crossing.waited = departure.s_before <= 0 &&
                    here_->kit->board.silent_until(departure.which) == here_.step_left();
  return crossing;
}

/// Whether the step goes on as it is. If so, the relations have got their new truth.
bool Run::Controller::only_flips(std::span<const Departure> group, double t_here) {
  detail::SwitchBoard& board = here_->kit->board;
  std::vector<std::uint32_t> which;
  bool leaves_range = false;
  for (const Departure& d : group) {
    which.push_back(d.which);
    leaves_range = leaves_range || (is_range(board.info(d.which).kind) && board.truth(d.which));
  }
  if (leaves_range && options_.events.range == RangePolicy::stop) return false;
  const StepPolynomial step = here_->engine->last_step();
  x_piece_.resize(step.n);
  xdot_piece_.resize(step.n);
  step.state_at(t_here, x_piece_);
  step.derivative_at(t_here, xdot_piece_);
  const detail::Consequence consequence = board.consequence(which, t_here, x_piece_, xdot_piece_);
  if (consequence == detail::Consequence::equations) return false;
  const bool splits =
      consequence == detail::Consequence::outputs && t_here != recording_.recorded_to();
  if (splits && !recording_.add_piece(step, t_here, x_piece_, xdot_piece_)) return false;

  std::vector<double> before_flip;
  if (options_.events.keep) {
    auto before = recording_.writer().recorded_values(*here_->system, *here_->workspace, t_here,
                                                      x_piece_, xdot_piece_);
    if (!before) return false;
    before_flip = std::move(*before);
  }
  if (follower_ != nullptr) follower_->catch_up();
  std::vector<detail::Crossing> crossings;
  board.note_active();
  for (const Departure& d : group) {
    crossings.push_back(
        crossing_of(d, (d.s_after - d.s_before) * std::abs(step.t_right - step.t_left)));
    board.set_truth(d.which, !board.truth(d.which));
    board.note_switched(d.which, t_here);
    ++here_->n_flips[d.which];
  }
  board.decide_new(t_here, x_piece_, xdot_piece_);
  detail::JournalEntry entry = detail::flip_entry(board, here_->name, t_here, crossings);
  if (options_.events.keep) {
    auto after = recording_.writer().recorded_values(*here_->system, *here_->workspace, t_here,
                                                     x_piece_, xdot_piece_);
    if (!after) return false;
    entry.instant.x_minus = std::move(before_flip);
    entry.instant.x_plus = std::move(*after);
    entry.instant.minus_present = entry.instant.plus_present =
        recording_.writer().recorded_flags(*here_->system, *here_->workspace);
  }
  ledger_.log(std::move(entry));
  if (splits &&
      !recording_.writer().begin_segment(here_->segment_name(), here_->system, *here_->workspace,
                                         t_here, x_piece_, xdot_piece_))
    return false;
  if (leaves_range) {
    for (const detail::Crossing& c : crossings) {
      const SwitchInfo& info = board.info(c.which);
      if (is_range(info.kind) && !board.truth(c.which))
        ledger_.warn("'" + info.name + "' was passed at t = " + to_text(t_here));
    }
  }
  return true;
}

/// An event inside the step: the engine is taken back to it.
Run::Controller::Found Run::Controller::meet(std::span<const Departure> group) {
  const WorkCounts before = here_->engine->work();
  here_->natural_step = std::max(before.next_step, before.last_step);
  detail::EventLocator::MakeConsistent make_consistent;
  const EngineKind kind = here_->engine->kind();
  const bool is_solved_for = here_->start.moves_combinations ||
                             std::any_of(group.begin(), group.end(), [&](const Departure& d) {
                               return here_->kit->locator.is_solved_for(d.which);
                             });
  if (kind == EngineKind::ida || (kind == EngineKind::radau && is_solved_for)) {
    make_consistent = [this](double at, std::vector<double>& point, std::vector<double>& slope) {
      auto found = find_start(at, {point, slope, std::vector<std::uint8_t>(point.size(), 0)});
      if (!found) return false;
      ledger_.event_work().n_evaluations_locate +=
          static_cast<std::uint64_t>(found->n_iterations) + 1;
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
  detail::EventPoint point =
      here_->kit->locator.locate(*here_->engine, group.front(), make_consistent);
  if (point.after_step_begin && excursions_.is_flat(point, group.front().which))
    point.guarantee = Guarantee::marginal;
  crossings.front().guarantee = point.guarantee;
  for (const std::uint32_t w :
       here_->kit->locator.passed(point, forward() ? 1.0 : -1.0, 1e-3 * here_->natural_step)) {
    const bool known = std::any_of(crossings.begin(), crossings.end(),
                                   [&](const detail::Crossing& c) { return c.which == w; });
    const int side = here_->kit->board.side(w);
    if (!known) crossings.push_back({w, forward() ? -side : side, point.guarantee, 0.0});
  }
  const bool inputs_change = join_scheduled_time(point, crossings);
  ++ledger_.event_work().n_located;
  ledger_.event_work().n_evaluations_locate +=
      here_->engine->work().n_evaluations - before.n_evaluations;
  if (point.after_step_begin) {
    if (const auto loss = here_->monitor.look(*here_->engine)) {
      end_at(*loss);
      return Found::failure;
    }
    if (auto ok = recording_.add_piece(here_->engine->last_step(), point.t, point.x, point.xdot);
        !ok) {
      end_with_outputs(ok.failure());
      return Found::failure;
    }
  }
  if (!point.after_step_begin) {
    // No time has passed.
    recording_.keep_point(point);
  }
  measure_excursions(point, crossings);
  const detail::ModeRun& here = *here_;
  if (auto passed = pass_instant(point, crossings, inputs_change); !passed) {
    fail_at_event(here, passed.failure(), crossings);
    ledger_.report().t_reached = recording_.writer().trajectory().t_end();
    return Found::failure;
  }
  if (point.t == options_.t_end && !ended_) reach_end();
  return Found::event;
}

/// An event within a few digits of the end of the stretch, or pushed beyond it by its offset, takes place
/// there, together with what is known to happen then. True if inputs cease to be smooth.
bool Run::Controller::join_scheduled_time(detail::EventPoint& point,
                                          std::vector<detail::Crossing>& crossings) {
  constexpr double few_digits = 64 * std::numeric_limits<double>::epsilon();
  const double left = (here_.stretch_end() - point.t) * (forward() ? 1.0 : -1.0);
  if (left > few_digits * std::max(std::abs(point.t), std::abs(here_.stretch_end()))) return false;
  point.t = here_.stretch_end();
  return add_due(crossings);
}

/// Relations of time that change at the end of the stretch. True if inputs cease to be smooth there.
bool Run::Controller::add_due(std::vector<detail::Crossing>& crossings) {
  SwitchingFunctions& functions = here_->kit->board.functions();
  for (std::uint32_t w = 0; w < functions.count(); ++w) {
    if (!functions.is_timed(w) || !functions.is_due(w, here_.stretch_end())) continue;
    const int side = here_->kit->board.side(w);
    crossings.push_back({w, forward() ? -side : side, Guarantee::proven, 0.0});
  }
  return here_->scheduled != nullptr && here_.stretch_end() != options_.t_end &&
         here_->scheduled->next(here_.stretch_begin(), options_.t_end) == here_.stretch_end();
}

}  // namespace saltus
