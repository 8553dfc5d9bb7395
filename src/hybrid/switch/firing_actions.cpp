#include "hybrid/switch/firing_actions.hpp"

#include <algorithm>

#include <saltus/core/text.hpp>

namespace saltus::detail {

std::vector<std::uint32_t> FiringActions::due(std::span<const std::uint8_t> before,
                                              std::span<const std::uint8_t> after,
                                              InstantResult& result,
                                              std::uint32_t micro_step) const {
  std::vector<std::uint32_t> due;
  for (std::uint32_t trigger = 0; trigger < after.size(); ++trigger) {
    if (!after[trigger] || before[trigger]) continue;
    const std::uint32_t action = board_.actions()->action_of(trigger);
    if (board_.actions()->info(action).kind != ActionKind::assignments) continue;
    // What happens where a condition becomes true in time happens backward where it ceases to hold.
    if (direction_ < 0 && !board_.actions()->info(action).targets.empty()) continue;
    if (std::find(due.begin(), due.end(), action) != due.end()) continue;
    due.push_back(action);
    result.fired.push_back({action, trigger, micro_step, {}});
  }
  // Whatever order they were declared in; the one that wins first.
  const auto by_name = [&](std::uint32_t a, std::uint32_t b) {
    const ActionInfo& one = board_.actions()->info(a);
    const ActionInfo& other = board_.actions()->info(b);
    return one.priority != other.priority ? one.priority > other.priority : one.name < other.name;
  };
  std::sort(due.begin(), due.end(), by_name);
  const auto first = result.fired.end() - static_cast<std::ptrdiff_t>(due.size());
  std::sort(first, result.fired.end(), [&](const FiredAction& a, const FiredAction& b) {
    return by_name(a.action, b.action);
  });
  return due;
}

std::vector<std::uint32_t> FiringActions::last_in_turn(std::span<const std::uint32_t> due,
                                                       std::vector<std::uint32_t>& waiting) const {
  std::vector<std::uint32_t> now;
  for (const std::uint32_t action : due) {
    if (!board_.actions()->info(action).comes_last) {
      now.push_back(action);
    } else if (std::find(waiting.begin(), waiting.end(), action) == waiting.end()) {
      waiting.push_back(action);
    }
  }
  if (now.empty()) now.swap(waiting);
  return now;
}

Result<std::vector<std::uint32_t>> FiringActions::follow_jumps(const InstantEntry& entry,
                                                               const StartValues& now,
                                                               std::uint32_t micro_step,
                                                               InstantResult& result) const {
  std::vector<std::uint32_t> follow;
  if (board_.actions() == nullptr) return follow;
  for (std::uint32_t action = 0; action < board_.actions()->count(); ++action) {
    const ActionInfo& info = board_.actions()->info(action);
    if (!info.comes_last) continue;
    std::string why = board_.actions()->jumped(action, entry.t, now.x, now.xdot);
    if (why.empty()) continue;
    if (direction_ < 0)
      return Failure{FailureCode::not_certified, "a run backward in time cannot pass '" +
                                                     info.name + "' at t = " + to_text(entry.t) +
                                                     ": " + why};
    follow.push_back(action);
    result.fired.push_back({action, FiredAction::no_trigger, micro_step + 1, std::move(why)});
  }
  return follow;
}

/// Backward in time, an action would have to be undone where its condition ceases to hold. Where it becomes true and the
/// action sets unknowns, there are two pasts: the action was carried out here and its condition ended at once (a ball that
/// has just bounced), or the condition ended by itself.
std::optional<Failure> FiringActions::cannot_be_undone(double t,
                                                       std::span<const std::uint8_t> before,
                                                       std::span<const std::uint8_t> after) const {
  if (direction_ > 0) return std::nullopt;
  for (std::uint32_t trigger = 0; trigger < after.size(); ++trigger) {
    if ((after[trigger] != 0) == (before[trigger] != 0)) continue;
    const ActionInfo& info = board_.actions()->info(board_.actions()->action_of(trigger));
    const bool sets_unknowns = std::any_of(info.targets.begin(), info.targets.end(),
                                           [](const ActionTarget& a) { return a.is_unknown; });
    if (info.targets.empty() || (after[trigger] && !sets_unknowns)) continue;
    const std::string why = after[trigger] ? "it is not known whether it was carried out there"
                                           : "the value it overwrote is not known";
    return Failure{FailureCode::not_certified, "a run backward in time cannot pass '" + info.name +
                                                   "' (" + board_.actions()->trigger_text(trigger) +
                                                   ") at t = " + to_text(t) + ": " + why +
                                                   "; end the run after it, or run forward"};
  }
  return std::nullopt;
}

Result<void> FiringActions::carry_out(const InstantEntry& entry, std::span<const std::uint32_t> due,
                                      std::uint32_t micro_step, InstantResult& result,
                                      StartValues& now) {
  EventActions& actions = *board_.actions();
  const std::span<double> discrete = board_.discrete();
  std::vector<SetValue> wanted;
  std::vector<std::vector<double>> all_values;  // per action
  for (const std::uint32_t action : due) {
    const ActionInfo& info = actions.info(action);
    if (info.terminal && !result.terminal) result.terminal = action;
    std::vector<double>& values = all_values.emplace_back(info.targets.size(), 0.0);
    if (const Evaluation done = actions.values(action, entry.t, now.x, now.xdot, values); !done) {
      if (const std::string why = actions.refusal(); !why.empty())
        return Failure{FailureCode::not_certified,
                       "at t = " + to_text(entry.t) + " '" + info.name + "': " + why};
      return Failure{FailureCode::out_of_domain, "at t = " + to_text(entry.t) + " '" + info.name +
                                                     "' gives " +
                                                     name_of(info.targets[done.row()], action) +
                                                     " a value that is not a number"};
    }
    if (const std::string said = actions.remark(); !said.empty())
      result.remarks.push_back("at t = " + to_text(entry.t) + " '" + info.name + "': " + said);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ActionTarget target = info.targets[i];
      const double before = target.is_unknown ? now.x[target.index] : discrete[target.index];
      const auto other = std::find_if(wanted.begin(), wanted.end(),
                                      [&](const SetValue& s) { return s.target == target; });
      if (other == wanted.end()) {
        wanted.push_back({target, before, values[i], action});
        continue;
      }
      const ActionInfo& rival = actions.info(other->action);
      if (rival.priority == info.priority && other->after != values[i]) {
        return Failure{FailureCode::not_certified,
                       "at t = " + to_text(entry.t) + " '" + rival.name + "' and '" + info.name +
                           "' both set '" + name_of(target, action) + "', to " +
                           to_text(other->after) + " and " + to_text(values[i]) +
                           ": give one of them the higher priority"};
      }
    }
  }
  if (follower_ != nullptr) tell_of_actions(entry, due, all_values, wanted, now);
  for (const SetValue& s : wanted) {
    (s.target.is_unknown ? now.x[s.target.index] : discrete[s.target.index]) = s.after;
    if (s.target.is_unknown) now.x_given[s.target.index] = 1;
    result.set.push_back(s);
    result.set.back().micro_step = micro_step;
  }
  return {};
}

/// Those that lost to a higher priority set nothing. Of those with the same one all set the same value here.
void FiringActions::tell_of_actions(const InstantEntry& entry, std::span<const std::uint32_t> due,
                                    std::span<const std::vector<double>> values,
                                    std::span<const SetValue> wanted,
                                    const StartValues& now) const {
  EventActions& actions = *board_.actions();
  std::vector<FollowedAction> together;
  for (std::size_t k = 0; k < due.size(); ++k) {
    const ActionInfo& info = actions.info(due[k]);
    FollowedAction followed{due[k], std::vector<std::uint8_t>(info.targets.size(), 0)};
    for (std::size_t i = 0; i < info.targets.size(); ++i) {
      const auto set = std::find_if(wanted.begin(), wanted.end(),
                                    [&](const SetValue& s) { return s.target == info.targets[i]; });
      followed.sets[i] =
          actions.info(set->action).priority == info.priority && set->after == values[k][i] ? 1 : 0;
    }
    together.push_back(std::move(followed));
  }
  follower_->acts(actions, together, entry.t, now.x, now.xdot);
}

std::string FiringActions::name_of(ActionTarget target, std::uint32_t action) const {
  const ActionInfo& info = board_.actions()->info(action);
  for (std::size_t i = 0; i < info.targets.size(); ++i) {
    if (info.targets[i] == target) return info.target_names[i];
  }
  return {};
}

std::vector<FiredAction> FiringActions::holding(ActionKind kind,
                                                std::span<const std::uint8_t> triggers,
                                                std::uint32_t micro_step) const {
  std::vector<FiredAction> found;
  for (std::uint32_t trigger = 0; trigger < triggers.size(); ++trigger) {
    if (!triggers[trigger]) continue;
    const std::uint32_t action = board_.actions()->action_of(trigger);
    if (board_.actions()->info(action).kind != kind) continue;
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const FiredAction& f) { return f.action == action; });
    if (!known) found.push_back({action, trigger, micro_step});
  }
  return found;
}

std::vector<FiredAction> FiringActions::holding(ActionKind kind, std::span<const double> x) const {
  if (board_.actions() == nullptr) return {};
  return holding(kind, board_.triggers(x, board_.discrete()), 0);
}

std::optional<Failure> FiringActions::failed_requirement(double t,
                                                         std::span<const double> x) const {
  const auto failed = holding(ActionKind::requirement, x);
  if (failed.empty()) return std::nullopt;
  const ActionInfo& first = board_.actions()->info(failed.front().action);
  if (!first.message.empty())
    return Failure{FailureCode::not_certified,
                   "at t = " + to_text(t) + " '" + first.name + "' fails: " + first.message};
  return Failure{FailureCode::not_certified,
                 "at t = " + to_text(t) + " mode '" + mode_ + "' requires " + first.name +
                     ", which does not hold, and no transition leads out of it: write one, correct "
                     "the guard of the one that should have been taken, or begin in another mode"};
}

}  // namespace saltus::detail
