#include "hybrid/instant/impulses.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/stay/follower_port.hpp"

namespace saltus::detail {

Result<void> Impulses::jump(const EventPoint& point, InstantResult& result) {
  if (!result.restart || result.terminal) return {};
  const bool other_index = has_other_index(point, result);
  if (!would_jump(point, result) && !other_index) return {};
  std::vector<double> x_left = point.x;
  for (const SetValue& s : result.set) {
    if (s.target.is_unknown) x_left[s.target.index] = s.after;
  }
  const LeftState left = left_.state(point, x_left, true);
  if (other_index) {
    ledger_.keep_work(*here_);
    here_->forget();
  }
  auto change = search_.again(*here_, left);
  if (!change) return change.failure();
  if (frame_.follower.is_there() && !other_index) {
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
    ledger_.take_over_choices(*here_, frame_.has_modes());
  }
  result.start = std::move(change->start);
  result.by_impulse = change->restart.used == RestartPolicy::impulse;
  result.impulses = impulse_records(*here_->original, change->restart.impulses);
  return {};
}

/// Only what was reduced relies on its index; index 1 that ceases is noticed by whoever starts it.
bool Impulses::has_other_index(const EventPoint& point, const InstantResult& result) const {
  if (here_->visit.n_reductions == 0) return false;
  here_->tell_original();
  const auto original = here_->pairing->original(*here_->system, *here_->workspace, point.t,
                                                 result.start.x, result.start.xdot);
  return here_->has_other_index(point.t, original.x, original.xdot);
}

/// What carries a derivative does not jump unless an action or an impulse makes it.
bool Impulses::would_jump(const EventPoint& point, const InstantResult& result) const {
  if (!result.restart || result.terminal) return false;
  const bool sets_unknowns = std::any_of(result.set.begin(), result.set.end(),
                                         [](const SetValue& s) { return s.target.is_unknown; });
  if (sets_unknowns) return false;
  const auto carries = here_->system->carries_derivative();
  for (std::uint32_t i = 0; i < point.x.size(); ++i) {
    const double jump = std::abs(result.start.x[i] - point.x[i]);
    const double tolerance =
        here_->engine_options.rtol * std::abs(point.x[i]) + here_->engine_options.atol[i];
    if (carries[i] && jump > noticeable_jump * tolerance) return true;
  }
  return false;
}

/// The same for an instant after which the mode is entered once more.
void Impulses::tell_of_jump(const EventPoint& point, std::span<const double> x_left,
                            const ModeChange& change) {
  const MovedStart moved = [&](double dt,
                               std::span<const double> dx) -> std::optional<std::vector<double>> {
    EventPoint there = point;
    there.t += dt;
    std::vector<double> x_there(x_left.begin(), x_left.end());
    for (std::size_t i = 0; i < x_there.size(); ++i) x_there[i] += dx[i];
    LeftState left = left_.state(there, x_there, true);
    left.every_jump = true;
    const auto other = search_.again(*here_, left);
    if (!other) return std::nullopt;
    return other->start.x;
  };
  frame_.follower.get()->changes_mode(
      {*here_->system, *here_->workspace, point.t, change.start.x, change.start.xdot}, moved);
}

}  // namespace saltus::detail
