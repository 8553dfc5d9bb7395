#include "lower/compiled_system.hpp"

#include "lower/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

std::vector<NodeId> output_nodes(const ModelDefinition& model) {
  std::vector<NodeId> nodes;
  for (const NamedExpression& o : model.outputs()) nodes.push_back(o.node);
  return nodes;
}

}  // namespace

CompiledSystem::CompiledSystem(const ModelDefinition& whole, const ModeModel& mode,
                               ModeEquations equations, Layout layout)
    : model_(mode.model),
      equations_(std::move(equations)),
      layout_(std::move(layout)),
      programs_(equations_.graph(), layout_, equations_.nodes(), output_nodes(*model_)),
      switches_(*model_, equations_, layout_),
      actions_(*model_, layout_, switches_),
      initial_(whole, mode, layout_),
      map_(whole, mode) {
  for (std::uint32_t i = 0; i < layout_.size(); ++i) {
    carries_derivative_.push_back(layout_[i].carries_derivative ? 1 : 0);
    if (layout_[i].successor != none) tied_.push_back(i);
  }
  // Of derivatives of equations (constraints that are no joints) nothing is known here: whoever asks is told.
  std::uint32_t n_rows = 0;
  for (const Equation& q : model_->equations()) n_rows += q.count;
  if (!model_->contacts().empty() && equations_.size() == n_rows)
    contacts_ = std::make_unique<ContactPlan>(*model_, layout_, programs_.pattern, n_rows);
  const std::uint32_t n_states = model_->graph().count(InputKind::state);
  std::vector<const Variable*> of_number(layout_.n_variables());
  for (const Variable& v : model_->variables()) {
    if (v.kind != InputKind::state && v.kind != InputKind::algebraic) continue;
    const std::uint32_t first = (v.kind == InputKind::state ? 0 : n_states) + v.first;
    for (std::uint32_t j = 0; j < v.count; ++j) of_number[first + j] = &v;
  }
  for (const Layout::Unknown& u : layout_.unknowns()) {
    const bool is_state = u.input.kind == InputKind::state;
    variable_of_.push_back(of_number[is_state ? u.input.index : n_states + u.input.index]);
  }
}

std::string CompiledSystem::unknown_name(std::uint32_t unknown) const {
  const Input& in = layout_[unknown].input;
  std::string name = model_->graph().variable_name(in.kind, in.index);
  for (std::uint32_t order = 0; order < in.order; ++order) name = "der(" + name + ")";
  return name;
}

std::string CompiledSystem::equation_name(std::uint32_t row) const {
  if (row < n_model_rows()) return equations_.name(*model_, row);
  const std::uint32_t unknown = tied_[row - n_model_rows()];
  return "definition of " + unknown_name(layout_[unknown].successor);
}

double CompiledSystem::nominal(std::uint32_t unknown) const {
  return variable_of_[unknown]->attributes.nominal;
}

StartValues CompiledSystem::start_values() const {
  StartValues start;
  const std::uint32_t n = layout_.size();
  start.x.assign(n, 0.0);
  start.xdot.assign(n, 0.0);
  start.x_given.assign(n, 0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Input& in = layout_[i].input;
    const Variable& v = *variable_of_[i];
    const Attributes& a = v.attributes;
    if (in.order == 0) {
      const std::optional<double> value = v.start_of(in.index - v.first);
      start.x[i] = value ? *value : a.guess.value_or(0.0);
      start.x_given[i] = value.has_value();
    } else if (in.order == 1) {
      start.x[i] = a.derivative_start ? *a.derivative_start : a.derivative_guess.value_or(0.0);
      start.x_given[i] = a.derivative_start.has_value();
    }
    if (in.order == 0) {
      start.xdot[i] = a.derivative_start ? *a.derivative_start : a.derivative_guess.value_or(0.0);
    }
  }
  return start;
}

std::unique_ptr<Workspace> CompiledSystem::workspace() const {
  return std::make_unique<CompiledWorkspace>(*this);
}

}  // namespace saltus::detail
