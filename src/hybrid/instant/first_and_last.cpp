#include "hybrid/instant/first_and_last.hpp"

#include <algorithm>

#include <saltus/core/text.hpp>

#include "hybrid/stay/follower_port.hpp"
#include "hybrid/surface/sliders.hpp"

namespace saltus::detail {

namespace {

const EventActions* actions_of(const ModeRun& mode) {
  return mode.watches_events() ? mode.kit->board.actions() : nullptr;
}

}  // namespace

// ---- the first instant ---------------------------------------------------------------------------------

std::optional<InstantRequest> FirstAndLast::next_at_start(std::uint32_t& action) const {
  const EventActions* actions = actions_of(*here_);
  for (; actions != nullptr && action < actions->count(); ++action) {
    if (!actions->info(action).at_start || is_left_out(here_.t(), action)) continue;
    const bool changes = would_change(action);
    if (frame_.follower.is_there()) tell_of(action, changes);
    // Laws of contact come after all others, and find out themselves what these have changed.
    if (changes) return InstantRequest{.point = here_.point(), .action = action++};
  }
  return std::nullopt;
}

/// Whether an action would set anything to another value than it has. What it refuses is a change.
bool FirstAndLast::would_change(std::uint32_t action) const {
  const SwitchBoard& board = here_->kit->board;
  EventActions& actions = *here_->kit->board.actions();
  const auto& targets = actions.info(action).targets;
  const auto x = here_.x();
  std::vector<double> values(targets.size());
  (void)here_->kit->board.triggers(x, board.discrete());
  actions.compare_with({}, 0.0);
  if (!actions.values(action, here_.t(), x, here_.xdot(), values)) return true;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const double now =
        targets[k].is_unknown ? x[targets[k].index] : board.discrete()[targets[k].index];
    if (values[k] != now) return true;
  }
  return false;
}

/// What an action sets depends on parameters even where it has that value already.
void FirstAndLast::tell_of(std::uint32_t action, bool changes) const {
  RunFollower& follower = *frame_.follower.get();
  EventActions& actions = *here_->kit->board.actions();
  const EventPoint point = here_.point();
  const FollowedPoint here{*here_->system, *here_->workspace, point.t, point.x, point.xdot};
  const std::string mode = here_->segment_name().mode;
  if (!changes && actions.info(action).by_laws) return;
  if (!here_.in_motion()) follower.goes_on(here, mode);
  if (changes) return;
  follower.meets(here, {}, [](std::uint32_t) { return false; });
  const FollowedAction all{action,
                           std::vector<std::uint8_t>(actions.info(action).targets.size(), 1)};
  follower.acts(actions, {&all, 1}, point.t, point.x, point.xdot);
  follower.goes_on(here, mode);
}

std::optional<InstantRequest> FirstAndLast::first_departures() const {
  if (!here_->watches_events()) return std::nullopt;
  ModeRun& mode = here_->on_surfaces ? *here_->on_surfaces->base : *here_;
  SwitchBoard& board = mode.kit->board;
  EventPoint point = here_.point();
  if (!here_.is_in(mode)) hand_to_base(*here_);
  const auto x = std::span<const double>(point.x).first(mode.system->size());
  const auto xdot = std::span<const double>(point.xdot).first(mode.system->size());
  std::vector<std::uint8_t> before = triggers_as_written(mode, point.t, x, xdot);
  if (before.empty()) return std::nullopt;
  const auto holds = board.triggers(x, board.discrete());
  for (std::uint32_t trigger = 0; trigger < holds.size(); ++trigger) {
    const ActionInfo& info = board.actions()->info(board.actions()->action_of(trigger));
    if (holds[trigger] && !before[trigger] && info.kind == ActionKind::assignments)
      return InstantRequest{.point = std::move(point), .triggers_before = std::move(before)};
  }
  return std::nullopt;
}

std::vector<std::uint8_t> triggers_as_written(const ModeRun& mode, double t,
                                              std::span<const double> x,
                                              std::span<const double> xdot) {
  SwitchBoard& board = mode.kit->board;
  if (board.actions() == nullptr) return {};
  const KeptTruths truths(board);
  std::vector<std::uint8_t> triggers;
  if (board.decide(t, x, xdot)) {
    const auto holds = board.triggers(x, board.discrete());
    triggers.assign(holds.begin(), holds.end());
  }
  return triggers;
}

// ---- the last instant ----------------------------------------------------------------------------------

std::optional<InstantRequest> FirstAndLast::next_at_end(std::uint32_t& action) const {
  const EventActions* actions = actions_of(*here_);
  const double t_end = frame_.options.t_end;
  for (; actions != nullptr && action < actions->count(); ++action) {
    if (!actions->info(action).at_end || is_left_out(t_end, action)) continue;
    InstantRequest request{.point = here_.point(), .action = action++};
    request.point.t = t_end;
    return request;
  }
  return std::nullopt;
}

/// In a mode in which it cannot be carried out: that is said.
bool FirstAndLast::is_left_out(double t, std::uint32_t action) const {
  const ActionInfo& info = here_->kit->board.actions()->info(action);
  if (info.lacks.empty()) return false;
  frame_.ledger.warn("at t = " + to_text(t) + " when-clause " + quote(info.name) +
                     " was not carried out in mode " + quote(here_->name) + ": " + info.lacks);
  return true;
}

}  // namespace saltus::detail
