// What a follower of a run is told besides steps and left limits, and what it may ask.
#include <algorithm>
#include <cmath>

#include "hybrid/controller.hpp"

namespace saltus {

/// What a follower may ask of a change of modes: where it would lead from elsewhere.
void Run::Controller::tell_of_change(const detail::EventPoint& point,
                                     const detail::InstantResult& result, bool has_history,
                                     const detail::ModeChange& change) {
  const MovedStart moved = [&](double dt,
                               std::span<const double> dx) -> std::optional<std::vector<double>> {
    detail::EventPoint there = point;
    there.t += dt;
    std::vector<double> x_there = result.start.x;
    for (std::size_t i = 0; i < x_there.size(); ++i) x_there[i] += dx[i];
    detail::LeftState left = left_.state(there, x_there, has_history);
    left.every_jump = true;
    const auto other = search_.run(*here_, left, result.leaving);
    if (!other || other->to != change.to) return std::nullopt;
    return other->start.x;
  };
  follower_.get()->changes_mode(
      {*change.to->system, *change.to->workspace, point.t, change.start.x, change.start.xdot},
      moved);
}

/// The same for an instant after which the mode is entered once more.
void Run::Controller::tell_of_jump(const detail::EventPoint& point, std::span<const double> x_left,
                                   const detail::ModeChange& change) {
  const MovedStart moved = [&](double dt,
                               std::span<const double> dx) -> std::optional<std::vector<double>> {
    detail::EventPoint there = point;
    there.t += dt;
    std::vector<double> x_there(x_left.begin(), x_left.end());
    for (std::size_t i = 0; i < x_there.size(); ++i) x_there[i] += dx[i];
    detail::LeftState left = left_.state(there, x_there, true);
    left.every_jump = true;
    const auto other = search_.again(*here_, left);
    if (!other) return std::nullopt;
    return other->start.x;
  };
  follower_.get()->changes_mode(
      {*here_->system, *here_->workspace, point.t, change.start.x, change.start.xdot}, moved);
}

}  // namespace saltus
