#include "lower/compiled/compiled_system.hpp"

#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

std::vector<NodeId> output_nodes(const ModelDefinition& model) {
  std::vector<NodeId> nodes;
  for (const NamedExpression& o : model.outputs()) nodes.push_back(o.node);
  return nodes;
}

}  // namespace

ModeCode::ModeCode(const ModelDefinition& whole, const ModeModel& mode, ModeEquations its_equations,
                   Layout its_layout)
    : model(mode.model),
      equations(std::move(its_equations)),
      layout(std::move(its_layout)),
      programs(equations.graph(), layout, equations.nodes(), output_nodes(*model)),
      switches(*model, equations, layout),
      actions(*model, layout, switches),
      initial(whole, mode, layout),
      map(whole, mode) {
  for (std::uint32_t i = 0; i < layout.size(); ++i) {
    carries_derivative.push_back(layout[i].carries_derivative ? 1 : 0);
    if (layout[i].successor != none) tied.push_back(i);
  }
  // Of derivatives of equations (constraints that are no joints) nothing is known here: whoever asks is told.
  std::uint32_t n_rows = 0;
  for (const Equation& q : model->equations()) n_rows += q.count;
  if (!model->contacts().empty() && equations.size() == n_rows)
    contacts = std::make_unique<ContactPlan>(*model, layout, programs.pattern, n_rows);
}

CompiledSystem::CompiledSystem(const ModelDefinition& whole, const ModeModel& mode,
                               ModeEquations equations, Layout layout)
    : model_(mode.model),
      code_(std::make_shared<ModeCode>(whole, mode, std::move(equations), std::move(layout))) {
  find_variables();
}
CompiledSystem::CompiledSystem(const CompiledSystem& compiled,
                               std::shared_ptr<const ModelDefinition> values)
    : model_(std::move(values)), code_(compiled.code_) {
  find_variables();
}

void CompiledSystem::find_variables() {
  const std::uint32_t n_states = model_->graph().count(InputKind::state);
  std::vector<const Variable*> of_number(layout().n_variables());
  for (const Variable& v : model_->variables()) {
    if (v.kind != InputKind::state && v.kind != InputKind::algebraic) continue;
    const std::uint32_t first = (v.kind == InputKind::state ? 0 : n_states) + v.first;
    for (std::uint32_t j = 0; j < v.count; ++j) of_number[first + j] = &v;
  }
  for (const Layout::Unknown& u : layout().unknowns()) {
    const bool is_state = u.input.kind == InputKind::state;
    variable_of_.push_back(of_number[is_state ? u.input.index : n_states + u.input.index]);
  }
}

std::string CompiledSystem::unknown_name(std::uint32_t unknown) const {
  const Input& in = layout()[unknown].input;
  std::string name = model_->graph().variable_name(in.kind, in.index);
  for (std::uint32_t order = 0; order < in.order; ++order) name = "der(" + name + ")";
  return name;
}

std::string CompiledSystem::equation_name(std::uint32_t row) const {
  if (row < n_model_rows()) return equations().name(*model_, row);
  const std::uint32_t unknown = tied()[row - n_model_rows()];
  return "definition of " + unknown_name(layout()[unknown].successor);
}

double CompiledSystem::nominal(std::uint32_t unknown) const {
  return variable_of_[unknown]->attributes.nominal;
}

StartValues CompiledSystem::start_values() const {
  StartValues start;
  const std::uint32_t n = size();
  start.x.assign(n, 0.0);
  start.xdot.assign(n, 0.0);
  start.x_given.assign(n, 0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Input& in = layout()[i].input;
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
