// The first and the last instant of a run: actions that belong to them, and conditions that become true at the start.
#include <algorithm>

#include "hybrid/controller.hpp"

namespace saltus {

/// Whether an action would set anything to another value than it has. What it refuses is a change.
bool Run::Controller::would_change(std::uint32_t action) {
  detail::SwitchBoard& board = here_->kit->board;
  const auto& targets = board.actions()->info(action).targets;
  std::vector<double> values(targets.size());
  (void)board.triggers(x(), board.discrete());
  board.actions()->compare_with({}, 0.0);
  if (!board.actions()->values(action, t(), x(), xdot(), values)) return true;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const double now =
        targets[k].is_unknown ? x()[targets[k].index] : board.discrete()[targets[k].index];
    if (values[k] != now) return true;
  }
  return false;
}

/// Actions that are carried out before any time has passed.
Result<void> Run::Controller::act_at_start() {
  const EventActions* actions = watches_events() ? here_->kit->board.actions() : nullptr;
  if (actions == nullptr) return {};
  for (std::uint32_t a = 0; a < actions->count(); ++a) {
    if (!actions->info(a).at_start) continue;
    if (!actions->info(a).lacks.empty()) {
      warn_of_left_out(t(), a);
      continue;
    }
    detail::EventPoint point = here_.point();
    const FollowedPoint here{*here_->system, *here_->workspace, point.t, point.x, point.xdot};
    const bool changes = would_change(a);
    // What it sets depends on parameters even where it has that value already.
    const bool is_followed = follower_.is_there() && (changes || !actions->info(a).by_laws);
    if (is_followed && !here_.in_motion())
      follower_.get()->goes_on(here, here_->segment_name().mode);
    if (!changes) {
      if (!is_followed) continue;
      follower_.get()->meets(here, {}, [](std::uint32_t) { return false; });
      const FollowedAction all{a, std::vector<std::uint8_t>(actions->info(a).targets.size(), 1)};
      follower_.get()->acts(*here_->kit->board.actions(), {&all, 1}, point.t, point.x, point.xdot);
      follower_.get()->goes_on(here, here_->segment_name().mode);
      continue;
    }
    // Laws of contact come after all others, and find out themselves what these have changed.
    if (auto passed = pass_instant(point, {}, false, a); !passed) return passed;
    actions = here_->kit->board.actions();
    if (actions == nullptr) return {};
  }
  return {};
}

/// Actions of the last instant; what happened there before may have led elsewhere.
Result<void> Run::Controller::act_at_end() {
  for (std::uint32_t a = 0;; ++a) {
    const EventActions* actions = watches_events() ? here_->kit->board.actions() : nullptr;
    if (actions == nullptr || a >= actions->count()) return {};
    if (!actions->info(a).at_end) continue;
    if (!actions->info(a).lacks.empty()) {
      warn_of_left_out(options_.t_end, a);
      continue;
    }
    detail::EventPoint point;
    point.t = options_.t_end;
    point.x.assign(x().begin(), x().end());
    point.xdot.assign(xdot().begin(), xdot().end());
    if (auto passed = pass_instant(point, {}, false, a); !passed || ended_) return passed;
  }
}

/// The end that was asked for.
void Run::Controller::reach_end() {
  if (const auto acted = act_at_end(); !acted) end(detail::ended_by(acted.failure()));
  if (!ended_) end({Outcome::finished, ""});
  ledger_.report().t_reached = options_.t_end;
}

/// What holds at the start, word for word: x < 1 does not where x falls from 1, although it does just after.
std::vector<std::uint8_t> Run::Controller::triggers_as_written(detail::ModeRun& mode, double t_here,
                                                               std::span<const double> at,
                                                               std::span<const double> slope) {
  detail::SwitchBoard& board = mode.kit->board;
  if (board.actions() == nullptr) return {};
  const std::vector<std::uint8_t> truths(board.truths().begin(), board.truths().end());
  std::vector<std::uint8_t> triggers;
  if (board.decide(t_here, at, slope)) {
    const auto holds = board.triggers(at, board.discrete());
    triggers.assign(holds.begin(), holds.end());
  }
  board.set_truths(truths);
  return triggers;
}

/// A condition that does not hold at the start and does just after becomes true there: its clause is carried out.
Result<void> Run::Controller::pass_first_departures() {
  if (!watches_events() || open_instant_) return {};
  detail::ModeRun& mode = here_->on_surfaces ? *here_->on_surfaces->base : *here_;
  detail::SwitchBoard& board = mode.kit->board;
  detail::EventPoint point = here_.point();
  if (!here_.is_in(mode)) {
    detail::hand_to_base(*here_);
  }
  const auto at = std::span<const double>(point.x).first(mode.system->size());
  const auto slope = std::span<const double>(point.xdot).first(mode.system->size());
  const std::vector<std::uint8_t> before = triggers_as_written(mode, point.t, at, slope);
  if (before.empty()) return {};
  const auto holds = board.triggers(at, board.discrete());
  for (std::uint32_t trigger = 0; trigger < holds.size(); ++trigger) {
    const ActionInfo& info = board.actions()->info(board.actions()->action_of(trigger));
    if (holds[trigger] && !before[trigger] && info.kind == ActionKind::assignments)
      return pass_instant(point, {}, false, std::nullopt, before);
  }
  return {};
}

}  // namespace saltus
