#include "hybrid/stay/follower_port.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>
#include <saltus/system/initial_equations.hpp>
#include <saltus/system/started_system.hpp>

#include "hybrid/mode/first_motion.hpp"
#include "hybrid/mode/start_policy.hpp"

namespace saltus::detail {

/// What a follower may ask of the start: where the run would begin from other stated values.
void FollowerPort::begins(ConfigurationSource& source, bool jumps) const {
  if (follower_ == nullptr) return;
  FoundStart start;
  start.is_as_stated =
      here_->visit.n_reductions == 0 &&
      (options_.start == StartPolicy::keep || options_.start == StartPolicy::check) &&
      here_->original_workspace->ability<InitialEquations>() == nullptr;
  start.moved = [this, &source](const std::string& unknown,
                                double by) -> std::optional<std::vector<double>> {
    StartValues stated = here_->original->start_values();
    for (std::uint32_t i = 0; i < stated.x.size(); ++i)
      if (here_->original->unknown_name(i) == unknown) stated.x[i] += by;
    std::vector<DecisionRecord> not_reported;
    auto moved =
        apply_start_policy(std::make_shared<StartedSystem>(here_->original, std::move(stated)),
                           *here_->original_workspace, options_, not_reported);
    if (!moved) return std::nullopt;
    // Differences would not tell a start with impulses from one without.
    if (moved->jump) return std::nullopt;
    ModeRun there(source, options_, here_->configuration);
    if (!there.load() || !there.begin(options_.t_begin, moved->system, nullptr))
      return std::nullopt;
    settle_first_motion(there, options_.t_begin);
    if (there.system->size() != here_->system->size()) return std::nullopt;
    for (std::uint32_t i = 0; i < there.system->size(); ++i)
      if (there.system->unknown_name(i) != here_->system->unknown_name(i)) return std::nullopt;
    if (here_->kit && !std::ranges::equal(here_->kit->board.truths(), there.kit->board.truths()))
      return std::nullopt;
    return std::move(there.start.x);
  };
  follower_->begins(
      {*here_->system, *here_->workspace, options_.t_begin, here_->start.x, here_->start.xdot},
      start);
  if (jumps) follower_->breaks(options_.t_begin, "start values jump by impulses");
  tell_of_moved_constants();
}

/// A parameter whose derivative is asked for is an unknown, and may give way where too much is stated. What follows is
/// the solution for another value of it.
void FollowerPort::tell_of_moved_constants() const {
  constexpr double rounding = 1e-12;
  const StartValues stated = here_->original->start_values();
  for (std::uint32_t i = 0; i < stated.x.size(); ++i) {
    const std::uint32_t at = here_->pairing->integrated_as(i);
    if (!here_->original->is_constant(i) || at == UnknownPairing::none) continue;
    const double used = here_->start.x[at];
    if (std::abs(used - stated.x[i]) <= rounding * here_->original->nominal(i)) continue;
    follower_->breaks(
        options_.t_begin,
        "the stated values are not consistent, and the search for a start has moved '" +
            here_->original->unknown_name(i) + "' from " + to_text(stated.x[i]) + " to " +
            to_text(used) + "; state other values, or leave one of them as a guess");
  }
}

void FollowerPort::goes_on(double t) const {
  if (follower_ != nullptr)
    follower_->goes_on({*here_->system, *here_->workspace, t, here_->start.x, here_->start.xdot},
                       here_->segment_name().mode);
}

void FollowerPort::stands_on_surfaces(double t_here) const {
  if (follower_ == nullptr || !here_->watches_events()) return;
  SwitchBoard& board = here_->kit->board;
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
      const KeptTruths truths(board);
      const StartValues at{start.x, start.xdot, std::vector<std::uint8_t>(start.x.size(), 0)};
      bool differs = board.sets_off_actions({&w, 1}, t_here, start.x, start.xdot);
      const auto here = here_->find_start_on_side(t_here, at);
      flip();
      differs = differs || board.sets_off_actions({&w, 1}, t_here, start.x, start.xdot);
      const auto beyond = here_->find_start_on_side(t_here, at);
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

/// Whether a relation would change something just before or just after others switch.
bool FollowerPort::would_matter(std::uint32_t which, std::span<const Crossing> beside,
                                const EventPoint& at) const {
  SwitchBoard& board = here_->kit->board;
  const auto changes = [&] {
    return board.consequence({&which, 1}, at.t, at.x, at.xdot) == Consequence::equations;
  };
  const auto switch_others = [&] {
    for (const Crossing& c : beside) board.set_truth(c.which, !board.truth(c.which));
  };
  if (board.info(which).kind != SwitchKind::relation || changes()) return true;
  switch_others();
  const bool after = changes();
  switch_others();
  return after;
}

void FollowerPort::meets(const EventPoint& point, std::span<const Crossing> crossings) const {
  if (follower_ == nullptr) return;
  std::vector<FollowedCrossing> followed;
  for (const Crossing& c : crossings) {
    followed.push_back({c.which, c.guarantee, c.only_flips, c.matters_first});
    const double dwell = c.waited ? here_->kit->board.dwell(c.which) : 0.0;
    if (c.waited) followed.back().waited_since = point.t - (here_.forward() ? dwell : -dwell);
  }
  follower_->meets({*here_->system, *here_->workspace, point.t, point.x, point.xdot}, followed,
                   [&](std::uint32_t which) { return would_matter(which, crossings, point); });
}

}  // namespace saltus::detail
