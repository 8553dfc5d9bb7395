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
    detail::LeftState left = left_limit(there, x_there, has_history);
    left.every_jump = true;
    const auto other = search_.run(*here_, left, result.leaving);
    if (!other || other->to != change.to) return std::nullopt;
    return other->start.x;
  };
  follower_->changes_mode(
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
    detail::LeftState left = left_limit(there, x_there, true);
    left.every_jump = true;
    const auto other = search_.again(*here_, left);
    if (!other) return std::nullopt;
    return other->start.x;
  };
  follower_->changes_mode(
      {*here_->system, *here_->workspace, point.t, change.start.x, change.start.xdot}, moved);
}

/// A follower may have to move what it follows onto them: the solution need not have come through them.
void Run::Controller::tell_of_surfaces(detail::ModeRun& mode, const SurfaceWay& way) {
  if (follower_ == nullptr || way.sides.empty()) return;
  const detail::EventPoint& at = way.minus;
  const detail::KeptTruths truths(mode.kit->board);
  detail::SurfaceStudy study(mode, {at.t, at.x, at.xdot, 0.0});
  for (const Surface& surface : way.kept) study.set_side(surface, -1);
  follower_->keeps_to({*mode.system, *mode.workspace, at.t, at.x, at.xdot}, way.sides,
                      way.each_by_itself);
}

/// Relations from whose surface it has just gone on.
void Run::Controller::tell_of_relations(double t_here) {
  if (follower_ == nullptr || !watches_events()) return;
  detail::SwitchBoard& board = here_->kit->board;
  std::vector<double> g(board.count());
  const ConsistentStart& start = here_->start;
  if (!board.functions().evaluate(t_here, start.x, start.xdot, g)) return;
  double size = 0.0;
  for (std::uint32_t i = 0; i < start.x.size(); ++i)
    size = std::max(size, std::abs(start.x[i]) + here_->system->nominal(i));
  std::vector<std::uint8_t> kept(board.count(), 0);
  for (std::size_t k = 0; here_->on_surfaces && k < here_->on_surfaces->surfaces.size(); ++k)
    for (const std::uint32_t w : here_->on_surfaces->surfaces[k].switches) kept[w] = 1;
  constexpr double near = 1e-6;  // the follower knows better
  for (std::uint32_t w = 0; w < board.count(); ++w) {
    if (board.info(w).kind != SwitchKind::relation || !board.functions().is_active(w) ||
        board.functions().is_timed(w) || kept[w] != 0 || !(std::abs(g[w]) <= near * size))
      continue;
    const auto matters = [&, w] {
      const auto flip = [&] { board.set_truth(w, !board.truth(w)); };
      const detail::KeptTruths truths(board);
      const StartValues at{start.x, start.xdot, std::vector<std::uint8_t>(start.x.size(), 0)};
      bool differs = board.sets_off_actions({&w, 1}, t_here, start.x, start.xdot);
      const auto here = find_start(t_here, at);
      flip();
      differs = differs || board.sets_off_actions({&w, 1}, t_here, start.x, start.xdot);
      const auto beyond = find_start(t_here, at);
      // The solution goes on from the other side for a time that vanishes with the change of a parameter. What is integrated
      // differs by it times the difference of rates, which are known as well as the place is: that matters if it could be seen
      // at the end of the run.
      const auto carries = here_->system->carries_derivative();
      constexpr double same = 1e-9, seen = 1e-7;
      const double length = std::abs(options_.t_end - options_.t_begin);
      for (std::uint32_t i = 0; here && beyond && i < start.x.size(); ++i)
        differs = differs || (carries[i] != 0 &&
                              std::abs(here->xdot[i] - beyond->xdot[i]) >
                                  same * (std::abs(here->xdot[i]) + std::abs(beyond->xdot[i])) +
                                      seen * here_->system->nominal(i) / length);
      return differs || !here || !beyond;
    };
    follower_->stands_on({*here_->system, *here_->workspace, t_here, start.x, start.xdot}, w,
                         matters);
  }
}

}  // namespace saltus
