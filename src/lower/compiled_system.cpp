#include "lower/compiled_system.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>

#include "lower/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

std::vector<NodeId> output_nodes(const ModelDefinition& model) {
  std::vector<NodeId> nodes;
  for (const NamedExpression& o : model.outputs()) nodes.push_back(o.node);
  return nodes;
}

std::string element_name(const std::string& name, bool is_array, std::uint32_t element) {
  return is_array ? name + "[" + std::to_string(element) + "]" : name;
}

}  // namespace

CompiledMap::CompiledMap(const ModelDefinition& model, const Layout& layout) {
  const std::uint32_t n_states = model.graph().count(InputKind::state);
  for (const Variable& v : model.variables()) {
    if (v.kind != InputKind::state && v.kind != InputKind::algebraic) continue;
    for (std::uint32_t j = 0; j < v.count; ++j) {
      variables_.push_back(
          {element_name(v.name, v.is_array, j), v.attributes.unit, v.attributes.description});
      unknown_.push_back((v.kind == InputKind::state ? 0 : n_states) + v.first + j);
    }
  }
  SALTUS_ASSERT(unknown_.size() == layout.n_variables());
  for (const Variable& v : model.variables()) {
    if (v.kind != InputKind::discrete || v.hidden) continue;
    for (std::uint32_t j = 0; j < v.count; ++j) {
      variables_.push_back(
          {element_name(v.name, v.is_array, j), v.attributes.unit, v.attributes.description});
      discrete_.push_back(v.first + j);
    }
  }
  for (const NamedExpression& o : model.outputs()) {
    for (std::uint32_t j = 0; j < o.count; ++j) {
      variables_.push_back(
          {element_name(o.name, o.is_array, j), o.unit, o.description, o.is_invariant});
    }
  }
}

std::optional<std::uint32_t> CompiledMap::unknown(std::uint32_t variable) const {
  if (variable >= unknown_.size()) return std::nullopt;
  return unknown_[variable];
}

Evaluation CompiledMap::values(Workspace& workspace, double t, std::span<const double> x,
                               std::span<const double> xdot, std::span<double> out) const {
  auto& compiled = static_cast<CompiledWorkspace&>(workspace);
  for (std::size_t v = 0; v < unknown_.size(); ++v) out[v] = x[unknown_[v]];
  for (std::size_t v = 0; v < discrete_.size(); ++v) {
    out[unknown_.size() + v] = compiled.discrete()[discrete_[v]];
  }
  const std::size_t n_known = unknown_.size() + discrete_.size();
  if (n_known == variables_.size()) return Evaluation::ok();
  const Evaluation evaluated = compiled.outputs(t, x, xdot, out.subspan(n_known));
  if (evaluated) return evaluated;
  return Evaluation::out_of_domain(static_cast<std::uint32_t>(n_known) + evaluated.row());
}

CompiledSystem::CompiledSystem(std::shared_ptr<const ModelDefinition> model,
                               ModeEquations equations, Layout layout)
    : model_(std::move(model)),
      equations_(std::move(equations)),
      layout_(std::move(layout)),
      programs_(equations_.graph(), layout_, equations_.nodes(), output_nodes(*model_)),
      switches_(*model_, equations_, layout_),
      actions_(*model_, layout_, switches_),
      map_(*model_, layout_) {
  for (std::uint32_t i = 0; i < layout_.size(); ++i) {
    carries_derivative_.push_back(layout_[i].carries_derivative ? 1 : 0);
    if (layout_[i].successor != none) tied_.push_back(i);
  }
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
