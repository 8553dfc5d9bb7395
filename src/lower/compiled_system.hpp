// A mode of a model as a system.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>
#include <saltus/model/mode_model.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/system.hpp>

#include "lower/action_plan.hpp"
#include "lower/compiled_map.hpp"
#include "lower/contact_plan.hpp"
#include "lower/initial_plan.hpp"
#include "lower/layout.hpp"
#include "lower/mode_equations.hpp"
#include "lower/mode_programs.hpp"
#include "lower/switch_plan.hpp"

namespace saltus::detail {

class CompiledSystem final : public System {
 public:
  /// A mode of a model, which is the whole of one without modes.
  CompiledSystem(const ModelDefinition& whole, const ModeModel& mode, ModeEquations equations,
                 Layout layout);

  std::uint32_t size() const override { return layout_.size(); }
  std::uint32_t n_equations() const override {
    return n_model_rows() + static_cast<std::uint32_t>(tied_.size());
  }
  const CscPattern& pattern() const override { return programs_.pattern; }
  std::span<const std::uint8_t> carries_derivative() const override { return carries_derivative_; }
  std::string unknown_name(std::uint32_t unknown) const override;
  std::string equation_name(std::uint32_t row) const override;
  double nominal(std::uint32_t unknown) const override;
  bool is_constant(std::uint32_t unknown) const override {
    return variable_of_[unknown]->is_constant;
  }
  StartValues start_values() const override;
  const VariableMap& variable_map() const override { return map_; }
  const CompiledMap& compiled_map() const { return map_; }
  std::unique_ptr<Workspace> workspace() const override;

  const ModelDefinition& model() const { return *model_; }
  const Layout& layout() const { return layout_; }
  const ModePrograms& programs() const { return programs_; }
  const ModeEquations& equations() const { return equations_; }
  const SwitchPlan& switches() const { return switches_; }
  const ActionPlan& actions() const { return actions_; }
  const InitialPlan& initial() const { return initial_; }
  /// Null if the model has no contacts.
  const ContactPlan* contacts() const { return contacts_.get(); }
  /// Rows that are equations or derivatives of some; those that tie unknowns follow.
  std::uint32_t n_model_rows() const { return equations_.size(); }
  std::span<const std::uint32_t> tied() const { return tied_; }

 private:
  std::shared_ptr<const ModelDefinition> model_;
  ModeEquations equations_;
  Layout layout_;
  ModePrograms programs_;
  SwitchPlan switches_;
  ActionPlan actions_;
  InitialPlan initial_;
  std::unique_ptr<const ContactPlan> contacts_;
  CompiledMap map_;
  std::vector<std::uint8_t> carries_derivative_;
  std::vector<std::uint32_t> tied_;  // unknowns with a successor: the rows after the model's
  std::vector<const Variable*> variable_of_;
};

}  // namespace saltus::detail
