#include "system/callback_actions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>

namespace saltus::detail {

namespace {

template <class Named>
std::uint32_t place_of_name(std::span<const Named> list, const std::string& name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const Named& item) { return item.name == name; });
  return static_cast<std::uint32_t>(found - list.begin());
}

void refuse_targets(const FunctionAction& action, std::span<const FunctionUnknown> unknowns) {
  const std::string subject = "action " + quote(action.name);
  std::set<std::string> seen;
  for (const std::string& target : action.targets) {
    if (place_of_name(unknowns, target) == unknowns.size()) {
      throw ModelError(subject, "it sets " + quote(target) + ", which is not an unknown");
    }
    if (!seen.insert(target).second) {
      throw ModelError(subject, "its target " + quote(target) + " is listed twice");
    }
  }
  if (!action.set && !action.targets.empty()) {
    throw ModelError(subject, "it has targets, but no function `set`");
  }
  if (!action.set && !action.terminal) {
    throw ModelError(subject, "it does nothing: it neither sets unknowns nor ends the run");
  }
}

}  // namespace

void refuse_actions(std::span<const FunctionAction> actions,
                    std::span<const FunctionUnknown> unknowns,
                    std::span<const FunctionSwitch> switches) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const FunctionAction& action = actions[i];
    if (action.name.empty()) throw ModelError("action " + std::to_string(i + 1), "it has no name");
    const std::string subject = "action " + quote(action.name);
    if (!names.insert(action.name).second) {
      throw ModelError(subject, "two actions have this name");
    }
    if (place_of_name(switches, action.trigger) == switches.size()) {
      throw ModelError(subject, "its trigger " + quote(action.trigger) + " is not a switch");
    }
    refuse_targets(action, unknowns);
  }
}

CallbackActionList::CallbackActionList(std::vector<FunctionAction> list,
                                       std::span<const FunctionUnknown> unknowns,
                                       std::span<const FunctionSwitch> switches)
    : actions(std::move(list)) {
  using When = FunctionAction::When;
  for (std::uint32_t a = 0; a < actions.size(); ++a) {
    const FunctionAction& action = actions[a];
    ActionInfo info{.name = action.name,
                    .targets = {},
                    .target_names = action.targets,
                    .priority = action.priority,
                    .terminal = action.terminal,
                    .message = action.message};
    if (action.set && action.targets.empty()) {
      for (const FunctionUnknown& unknown : unknowns) info.target_names.push_back(unknown.name);
    }
    for (const std::string& target : info.target_names) {
      info.targets.push_back({.is_unknown = true, .index = place_of_name(unknowns, target)});
    }
    infos.push_back(std::move(info));
    const std::uint32_t relation = place_of_name(switches, action.trigger);
    for (const bool truth : {true, false}) {
      if (action.when == (truth ? When::falling : When::rising)) continue;
      triggers.push_back({a, relation, truth});
      trigger_texts.push_back(action.trigger + (truth ? " > 0" : " <= 0"));
    }
  }
}

bool CallbackActionList::sets_unknowns(std::uint32_t relation) const {
  return std::any_of(triggers.begin(), triggers.end(), [&](const Trigger& trigger) {
    return trigger.relation == relation && !infos[trigger.action].targets.empty();
  });
}

CallbackActions::CallbackActions(const CallbackActionList& list, std::size_t n_unknowns,
                                 const std::vector<std::uint8_t>& relations, Guard guard)
    : list_(list), relations_(relations), guard_(std::move(guard)), after_(n_unknowns, 0.0) {}

std::uint32_t CallbackActions::count() const {
  return static_cast<std::uint32_t>(list_.actions.size());
}

const ActionInfo& CallbackActions::info(std::uint32_t action) const {
  return list_.infos.at(action);
}

std::uint32_t CallbackActions::n_triggers() const {
  return static_cast<std::uint32_t>(list_.triggers.size());
}

std::uint32_t CallbackActions::action_of(std::uint32_t trigger) const {
  return list_.triggers.at(trigger).action;
}

std::string CallbackActions::trigger_text(std::uint32_t trigger) const {
  return list_.trigger_texts.at(trigger);
}

void CallbackActions::triggers(std::span<const double>, std::span<const double>,
                               std::span<std::uint8_t> truth) {
  SALTUS_ASSERT(truth.size() == list_.triggers.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const CallbackActionList::Trigger& trigger = list_.triggers[i];
    truth[i] = (relations_[trigger.relation] != 0) == trigger.truth ? 1 : 0;
  }
}

Evaluation CallbackActions::values(std::uint32_t action, double t, std::span<const double> x,
                                   std::span<const double>, std::span<double> out) {
  const auto& targets = list_.infos.at(action).targets;
  SALTUS_ASSERT(x.size() == after_.size() && out.size() == targets.size());
  if (targets.empty()) return Evaluation::ok();
  std::copy(x.begin(), x.end(), after_.begin());
  const auto call = [&] { list_.actions[action].set(t, x, after_); };
  const Evaluation done = guard_(std::ref(call));  // by reference: nothing is allocated
  if (!done) return done;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    out[i] = after_[targets[i].index];
    if (!std::isfinite(out[i])) return Evaluation::out_of_domain(static_cast<std::uint32_t>(i));
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
