// Actions at events that a user wrote as functions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <saltus/system/function_system.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::detail {

/// Throws ModelError unless every action has a name of its own, a trigger among the switches and
/// something to do.
void refuse_actions(std::span<const FunctionAction> actions,
                    std::span<const FunctionUnknown> unknowns,
                    std::span<const FunctionSwitch> switches);

/// What a system and its workspaces share of actions: descriptions, and triggers in the order
/// rising before falling.
struct CallbackActionList {
  struct Trigger {
    std::uint32_t action;
    std::uint32_t relation;
    bool truth;
  };

  CallbackActionList(std::vector<FunctionAction> list, std::span<const FunctionUnknown> unknowns,
                     std::span<const FunctionSwitch> switches);

  std::vector<FunctionAction> actions;
  std::vector<ActionInfo> infos;
  std::vector<Trigger> triggers;
  std::vector<std::string> trigger_texts;

  /// Some action that sets unknowns is triggered by the relation.
  bool sets_unknowns(std::uint32_t relation) const;
};

class CallbackActions final : public EventActions {
 public:
  /// Calls a user's function; anything but ok is what became of it.
  using Guard = std::function<Evaluation(const std::function<void()>& call)>;

  /// `relations` is one truth value per relation, as locked or as told (set_relations).
  CallbackActions(const CallbackActionList& list, std::size_t n_unknowns,
                  const std::vector<std::uint8_t>& relations, Guard guard);

  std::uint32_t count() const override;
  const ActionInfo& info(std::uint32_t action) const override;
  std::uint32_t n_triggers() const override;
  std::uint32_t action_of(std::uint32_t trigger) const override;
  std::string trigger_text(std::uint32_t trigger) const override;
  void triggers(std::span<const double> before_x, std::span<const double> before_discrete,
                std::span<std::uint8_t> truth) override;
  Evaluation values(std::uint32_t action, double t, std::span<const double> x,
                    std::span<const double> xdot, std::span<double> out) override;

 private:
  const CallbackActionList& list_;
  const std::vector<std::uint8_t>& relations_;
  Guard guard_;
  std::vector<double> after_;
};

}  // namespace saltus::detail
