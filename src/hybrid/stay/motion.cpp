#include "hybrid/stay/motion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hybrid/core/engine_settings.hpp"
#include "hybrid/stay/engine_policy.hpp"
#include "hybrid/stay/excuses.hpp"
#include "hybrid/stay/follower_port.hpp"

namespace saltus::detail {

// ---- begin -------------------------------------------------------------------------------------------

void Motion::enter_stretch(double t) {
  here_.enter_stretch(t);
  step_bound_ = here_.stretch_end();
}

void Motion::begin_stay(double t) {
  here_.rest_at(t);
  enter_stretch(t);
  ++here_->visit.n_stays;
  frame_.recording.writer().set_non_negative(here_->engine_options.non_negative);
}

Result<void> Motion::set_in_motion(double t, StartHint hint) {
  if (auto started = start_engine(t, hint); !started) return started;
  if (!here_->watches_events()) return {};
  excuse_what_lags(here_);
  excuse_what_left(here_, here_->kit->board.settled_by_motion());
  return {};
}

Result<void> Motion::start_stay(double t, StartHint hint) {
  begin_stay(t);
  return set_in_motion(t, hint);
}

Result<void> Motion::go_on_after(const EventPoint& point, InstantResult result) {
  if (point.t == frame_.options.t_end) {
    if (!result.restart) return {};
    here_->start = std::move(result.start);
    return end_with_start(point.t);
  }
  enter_stretch(point.t);
  if (!result.restart && !was_cut_) return {};
  was_cut_ = false;
  const bool restarted = result.restart;
  here_->start = std::move(result.start);
  if (here_->engine) {
    const std::uint64_t n_steps = ledger_.n_steps() - n_steps_at_start_;
    n_steps_at_start_ = ledger_.n_steps();
    suit_engine_to_stretches(frame_, n_steps);
  }
  StartHint hint = step_carried_over(here_->natural_step, here_->engine_kind());
  // Explicit systems are started by evaluating them.
  hint.derivative_known = restarted;
  return start_engine(point.t, hint);
}

Result<void> Motion::end_with_start(double t) {
  frame_.follower.goes_on(t);
  here_.rest_at(t);
  return frame_.recording.end_with_point(t, here_->start.x, here_->start.xdot);
}

void Motion::enter(ModeRun& part, double t) {
  here_.rest_at(t);
  here_.enter(part);
  n_steps_at_start_ = ledger_.n_steps();
}

void Motion::move_to(ModeRun& part, double t) {
  if (!here_.is_in(part)) enter(part, t);
}

/// From the consistent point in here_->start.
Result<void> Motion::start_engine(double t, StartHint hint) {
  if (!here_->engine) make_engine_of(frame_, t);
  if (here_->continued) {
    const double step = std::max(std::abs(hint.step), here_->natural_step);
    here_->continued->begin(t, here_->start.x, here_->start.xdot, here_.forward() ? step : -step);
  }
  is_growing_ = hint.step == 0;
  if (here_->kit && hint.step != 0 && traits_of(here_->engine_kind()).keeps_first_steps) {
    const double known = here_->first_steps.length(here_->kit->board.truths());
    if (known > 0) hint.step = known;
  }
  if (auto ok = begin_steps(t, hint); !ok) return ok;
  here_.set_in_motion();
  frame_.follower.goes_on(t);
  frame_.follower.stands_on_surfaces(t);
  began_ = t;
  resolution_.begin(t);
  n_steps_before_ = ledger_.n_steps();
  here_.note_sizes();
  here_->monitor.begin(*here_->system, *here_->workspace, t, here_->start.x, here_->start.xdot,
                       here_->on_surfaces.has_value());
  if (here_->kit) {
    const double step = std::max(here_->natural_step, here_->engine->work().next_step);
    here_->kit->locator.begin_stretch(t, here_->start.x, here_->start.xdot, step);
    excuse_what_begins_to_leave(here_, ledger_, t);
  }
  return frame_.recording.begin_segment(t);
}

/// An engine that begins has no step that could be asked for, and counts of its own.
Result<void> Motion::begin_steps(double t, const StartHint& hint) {
  engine_began_ = t;
  auto begun =
      here_->engine->start({t, here_->start.x, here_->start.xdot}, here_.stretch_end(), hint);
  n_refused_ = here_->engine->work().n_refused_points;
  return begun;
}

// ---- step --------------------------------------------------------------------------------------------

Result<void> Motion::step() {
  if (const auto stepped = here_->engine->step(step_bound_); !stepped) return stepped.failure();
  ledger_.count_step();
  here_.note_sizes();
  resolution_.note_step();
  note_first_step();
  return {};
}

Result<void> Motion::replace_if_stiff() {
  if (!here_->engine->finds_stiff()) return {};
  const double t = here_.t();
  StartHint hint;
  hint.step = here_->engine->work().next_step;
  if (!replace_stiff_engine(frame_)) return {};
  return begin_steps(t, hint);
}

void Motion::note_natural_step() {
  const WorkCounts work = here_->engine->work();
  here_->natural_step = std::max(work.last_step, work.next_step);
}

std::uint64_t Motion::n_newly_refused() {
  const std::uint64_t n = here_->engine->work().n_refused_points;
  return n - std::exchange(n_refused_, n);
}

/// With what the same branches may begin next time. A step that was only estimated is cautious: those that follow it and
/// grow quickly count as well.
void Motion::note_first_step() {
  if (!here_->kit || !traits_of(here_->engine_kind()).keeps_first_steps) return;
  const auto truths = here_->kit->board.truths();
  const double next = here_->engine->work().next_step;
  if (n_steps() != 1) {
    is_growing_ = is_growing_ && next > 2 * here_->first_steps.length(truths);
    if (!is_growing_) return;
  }
  here_->first_steps.note(truths, next);
}

}  // namespace saltus::detail
