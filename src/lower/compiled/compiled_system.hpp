// A mode of a model as a system.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>
#include <saltus/model/mode_model.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/system.hpp>

#include "lower/plan/action_plan.hpp"
#include "lower/compiled/compiled_map.hpp"
#include "lower/plan/contact_plan.hpp"
#include "lower/plan/initial_plan.hpp"
#include "lower/layout/layout.hpp"
#include "lower/layout/mode_equations.hpp"
#include "lower/plan/mode_programs.hpp"
#include "lower/plan/switch_plan.hpp"

namespace saltus::detail {

/// All that a mode is compiled to: the same whatever the values of parameters and the start values are.
struct ModeCode {
  ModeCode(const ModelDefinition& whole, const ModeModel& mode, ModeEquations equations,
           Layout layout);

  std::shared_ptr<const ModelDefinition> model;
  ModeEquations equations;
  Layout layout;
  ModePrograms programs;
  SwitchPlan switches;
  ActionPlan actions;
  InitialPlan initial;
  std::unique_ptr<const ContactPlan> contacts;
  CompiledMap map;
  std::vector<std::uint8_t> carries_derivative;
  std::vector<std::uint32_t> tied;  // unknowns with a successor: the rows after the model's
};

class CompiledSystem final : public System {
 public:
  /// A mode of a model, which is the whole of one without modes.
  CompiledSystem(const ModelDefinition& whole, const ModeModel& mode, ModeEquations equations,
                 Layout layout);
  /// The same mode with the values of another model, which differs in nothing else.
  CompiledSystem(const CompiledSystem& compiled, std::shared_ptr<const ModelDefinition> values);

  std::uint32_t size() const override { return code_->layout.size(); }
  std::uint32_t n_equations() const override {
    return n_model_rows() + static_cast<std::uint32_t>(code_->tied.size());
  }
  const CscPattern& pattern() const override { return code_->programs.pattern; }
  std::span<const std::uint8_t> carries_derivative() const override {
    return code_->carries_derivative;
  }
  std::string unknown_name(std::uint32_t unknown) const override;
  std::string equation_name(std::uint32_t row) const override;
  double nominal(std::uint32_t unknown) const override;
  bool is_constant(std::uint32_t unknown) const override {
    return variable_of_[unknown]->is_constant;
  }
  bool has_constant_jacobian() const override { return code_->programs.jacobian_is_constant; }
  StartValues start_values() const override;
  const VariableMap& variable_map() const override { return code_->map; }
  const CompiledMap& compiled_map() const { return code_->map; }
  std::unique_ptr<Workspace> workspace() const override;

  const ModelDefinition& model() const { return *model_; }
  const Layout& layout() const { return code_->layout; }
  const ModePrograms& programs() const { return code_->programs; }
  const ModeEquations& equations() const { return code_->equations; }
  const SwitchPlan& switches() const { return code_->switches; }
  const ActionPlan& actions() const { return code_->actions; }
  const InitialPlan& initial() const { return code_->initial; }
  /// Null if the model has no contacts.
  const ContactPlan* contacts() const { return code_->contacts.get(); }
  /// Rows that are equations or derivatives of some; those that tie unknowns follow.
  std::uint32_t n_model_rows() const { return code_->equations.size(); }
  std::span<const std::uint32_t> tied() const { return code_->tied; }

 private:
  void find_variables();

  std::shared_ptr<const ModelDefinition> model_;
  std::shared_ptr<const ModeCode> code_;
  std::vector<const Variable*> variable_of_;  // by unknown
};

}  // namespace saltus::detail
