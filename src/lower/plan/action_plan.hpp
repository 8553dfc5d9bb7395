// The when-clauses of a mode, and what leads out of it: what every workspace shares.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>
#include <saltus/system/switching.hpp>

#include "lower/layout/condition_truth.hpp"
#include "lower/layout/layout.hpp"
#include "lower/plan/switch_plan.hpp"

namespace saltus::detail {

class ActionPlan {
 public:
  /// Refuses (ModelError) a clause whose condition cannot become an event, or that sets what is no
  /// unknown of the mode.
  ActionPlan(const ModelDefinition& model, const Layout& layout, const SwitchPlan& switches);

  struct Trigger {
    std::uint32_t action = 0;
    std::string text;
    Literal place = literal_true;  // the condition by its place
  };
  std::span<const Trigger> triggers() const { return triggers_; }
  const ConditionPlan& conditions() const { return *conditions_; }

  struct Action {
    ActionInfo info;
    std::shared_ptr<const Program> values;  // null: it sets nothing
    /// Relations in the values that decide nothing else are looked at when the action is carried out:
    /// this program tells on which side they are. Null if there are none.
    std::shared_ptr<const Program> decide;
    std::vector<SwitchId> decided_here;
    /// What it sets is found by the laws of contact (CompiledContacts).
    bool by_contacts = false;
    std::uint32_t rest_of_contact = none;
  };
  std::span<const Action> actions() const { return actions_; }

 private:
  void add(const ModelDefinition& model, const Layout& layout, const SwitchPlan& switches,
           const WhenClause& clause);
  void add(const Graph& graph, const SwitchPlan& switches, const ModeExit& exit);
  void add_trigger(Literal condition, std::string text);

  std::vector<Trigger> triggers_;
  std::vector<Action> actions_;
  std::unique_ptr<ConditionPlan> conditions_;
};

}  // namespace saltus::detail
