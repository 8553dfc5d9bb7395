#include "hybrid/search/step_search.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

void StepSearch::begin() {
  s_from_ = 0.0;
  here_->kit->board.forget_excursions();
  here_->kit->locator.look_at_exits(here_->engine->last_step());
}

std::vector<Departure> StepSearch::next() {
  for (;;) {
    const StepPolynomial step = here_->engine->last_step();
    const auto found =
        here_->kit->search.first(step, s_from_, here_->kit->board.watch(here_.step_left()));
    std::vector<Departure> group(found.begin(), found.end());
    if (!here_->kit->search.approaches().empty()) excursions_.note_approaches(step);
    if (group.empty()) {
      here_->kit->board.end_excuses(here_.t(), here_.x(), here_.xdot());
      return {};
    }
    if (excursions_.pardon(step, s_from_, group)) continue;
    // Whatever order relations were declared in.
    std::stable_sort(group.begin(), group.end(), [&](const Departure& a, const Departure& b) {
      if (a.s_before != b.s_before) return a.s_before < b.s_before;
      return here_->kit->board.info(a.which).name < here_->kit->board.info(b.which).name;
    });
    if (options_.events.concurrency > 0) widen(step, group);
    return group;
  }
}

void StepSearch::widen(const StepPolynomial& step, std::vector<Departure>& group) {
  const double length = std::abs(step.t_right - step.t_left);
  const double window = concurrency_bound(step, group) / length;
  if (!(window > 0)) return;
  SwitchBoard& board = here_->kit->board;
  // Actions read the state at their own time.
  const auto acts = [&](std::span<const Departure> some) {
    std::vector<std::uint32_t> which;
    for (const Departure& d : some) which.push_back(d.which);
    return board.sets_off_actions(which, some.front().t_after, x_, xdot_);
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

double StepSearch::concurrency_bound(const StepPolynomial& step, std::span<const Departure> group) {
  SwitchBoard& board = here_->kit->board;
  const double t_here = step.t_left + group.front().s_after * (step.t_right - step.t_left);
  x_.resize(step.n);
  xdot_.resize(step.n);
  step.state_at(t_here, x_);
  step.derivative_at(t_here, xdot_);
  const auto flip = [&] {
    for (const Departure& d : group) board.set_truth(d.which, !board.truth(d.which));
  };
  auto before =
      here_->find_start_on_side(t_here, {x_, xdot_, std::vector<std::uint8_t>(step.n, 0)});
  flip();
  auto after = here_->find_start_on_side(t_here, {x_, xdot_, std::vector<std::uint8_t>(step.n, 0)});
  flip();
  ledger_.event_work().n_evaluations_iterate += 2;
  if (!before || !after) return 0.0;
  double sum = 0.0;
  for (std::uint32_t i = 0; i < step.n; ++i) {
    const double tolerance =
        here_->engine_options.rtol * std::abs(x_[i]) + here_->engine_options.atol[i];
    // One relation of the group stands for those that follow: each changes about as much, so the
    // largest single change counts, not their mean over all unknowns.
    sum = std::max(sum, std::abs(after->xdot[i] - before->xdot[i]) / tolerance);
  }
  const double bound = sum > 0 ? 0.1 / sum : options_.events.concurrency;
  return std::min(bound, options_.events.concurrency);
}

Crossing StepSearch::crossing_of(const Departure& departure, double time_width) const {
  const int side = here_->kit->board.side(departure.which);
  Crossing crossing{departure.which, here_->forward() ? -side : side, departure.guarantee,
                    time_width};
  crossing.waited = departure.s_before <= 0 &&
                    here_->kit->board.silent_until(departure.which) == here_.step_left();
  return crossing;
}

bool StepSearch::pass(std::span<const Departure> group) {
  if (!turn(group, group.front().t_after)) return false;
  s_from_ = group.front().s_after;
  return true;
}

bool StepSearch::turn(std::span<const Departure> group, double t_here) {
  SwitchBoard& board = here_->kit->board;
  std::vector<std::uint32_t> which;
  bool leaves_range = false;
  for (const Departure& d : group) {
    which.push_back(d.which);
    leaves_range = leaves_range || (is_range(board.info(d.which).kind) && board.truth(d.which));
  }
  if (leaves_range && options_.events.range == RangePolicy::stop) return false;
  const StepPolynomial step = here_->engine->last_step();
  x_.resize(step.n);
  xdot_.resize(step.n);
  step.state_at(t_here, x_);
  step.derivative_at(t_here, xdot_);
  const Consequence consequence = board.consequence(which, t_here, x_, xdot_);
  if (consequence == Consequence::equations) return false;
  const bool splits = consequence == Consequence::outputs && t_here != recording_.recorded_to();
  if (splits && !recording_.add_piece(step, t_here, x_, xdot_)) return false;

  std::vector<double> before_flip;
  if (options_.events.keep) {
    auto before =
        recording_.writer().recorded_values(*here_->system, *here_->workspace, t_here, x_, xdot_);
    if (!before) return false;
    before_flip = std::move(*before);
  }
  if (follower_ != nullptr) follower_->catch_up();
  std::vector<Crossing> crossings;
  board.note_active();
  for (const Departure& d : group) {
    crossings.push_back(
        crossing_of(d, (d.s_after - d.s_before) * std::abs(step.t_right - step.t_left)));
    board.set_truth(d.which, !board.truth(d.which));
    board.note_switched(d.which, t_here);
    ++here_->n_flips[d.which];
  }
  board.decide_new(t_here, x_, xdot_);
  JournalEntry entry = flip_entry(board, here_->name, t_here, crossings);
  if (options_.events.keep) {
    auto after =
        recording_.writer().recorded_values(*here_->system, *here_->workspace, t_here, x_, xdot_);
    if (!after) return false;
    entry.instant.x_minus = std::move(before_flip);
    entry.instant.x_plus = std::move(*after);
    entry.instant.minus_present = entry.instant.plus_present =
        recording_.writer().recorded_flags(*here_->system, *here_->workspace);
  }
  ledger_.log(std::move(entry));
  if (splits && !recording_.writer().begin_segment(here_->segment_name(), here_->system,
                                                   *here_->workspace, t_here, x_, xdot_))
    return false;
  if (leaves_range) {
    for (const Crossing& c : crossings) {
      const SwitchInfo& info = board.info(c.which);
      if (is_range(info.kind) && !board.truth(c.which))
        ledger_.warn("'" + info.name + "' was passed at t = " + to_text(t_here));
    }
  }
  return true;
}

}  // namespace saltus::detail
