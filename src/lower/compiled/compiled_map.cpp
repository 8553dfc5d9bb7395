#include "lower/compiled/compiled_map.hpp"

#include <cmath>

#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

std::string element_name(const std::string& name, bool is_array, std::uint32_t element) {
  return is_array ? name + "[" + std::to_string(element) + "]" : name;
}

VariableInfo info_of_element(const Variable& v, std::uint32_t element) {
  return {element_name(v.name, v.is_array, element), v.attributes.unit, v.attributes.description};
}

}  // namespace

CompiledMap::CompiledMap(const ModelDefinition& whole, const ModeModel& mode) {
  const auto n_states = static_cast<std::uint32_t>(mode.whole_states.size());
  for (const Variable& v : whole.variables()) {
    if ((v.kind != InputKind::state && v.kind != InputKind::algebraic) || v.hidden) continue;
    for (std::uint32_t j = 0; j < v.count; ++j) {
      std::uint32_t place = mode.in_mode({v.kind, v.first + j, 0}).index;
      if (v.kind == InputKind::algebraic && place != none) place += n_states;
      add(info_of_element(v, j), place);
      ++n_unknowns_;
    }
  }
  for (const Variable& v : whole.variables()) {
    if (v.kind != InputKind::discrete || v.hidden) continue;
    for (std::uint32_t j = 0; j < v.count; ++j) {
      add(info_of_element(v, j), v.first + j);
      ++n_discrete_;
    }
  }
  std::uint32_t next = 0;
  for (std::size_t k = 0; k < whole.outputs().size(); ++k) {
    const NamedExpression& o = whole.outputs()[k];
    const bool is_there = mode.outputs[k] != none;
    for (std::uint32_t j = 0; j < o.count; ++j) {
      add({element_name(o.name, o.is_array, j), o.unit, o.description, o.is_invariant},
          is_there ? next++ : none);
    }
  }
}

std::optional<std::uint32_t> CompiledMap::unknown(std::uint32_t variable) const {
  if (variable >= n_unknowns_ || place_[variable] == none) return std::nullopt;
  return place_[variable];
}

Evaluation CompiledMap::values(Workspace& workspace, double t, std::span<const double> x,
                               std::span<const double> xdot, std::span<double> out) const {
  auto& compiled = static_cast<CompiledWorkspace&>(workspace);
  const auto fetch = [&](std::size_t first, std::size_t n, std::span<const double> from) {
    for (std::size_t v = first; v < first + n; ++v) {
      if (place_[v] != none) out[v] = from[place_[v]];
    }
  };
  fetch(0, n_unknowns_, x);
  fetch(n_unknowns_, n_discrete_, compiled.discrete());
  const std::size_t n_known = n_unknowns_ + n_discrete_;
  if (n_known == variables_.size()) return Evaluation::ok();
  fetch(n_known, variables_.size() - n_known, compiled.outputs(t, x, xdot));
  for (std::size_t v = n_known; v < variables_.size(); ++v) {
    if (place_[v] != none && !std::isfinite(out[v]))
      return Evaluation::out_of_domain(static_cast<std::uint32_t>(v));
  }
  return Evaluation::ok();
}

void CompiledMap::place(std::span<const double> of_unknowns, std::span<const double> of_outputs,
                        std::span<double> out) const {
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    if (place_[v] == none) continue;
    if (v < n_unknowns_) {
      out[v] = of_unknowns[place_[v]];
    } else {
      out[v] = v < n_unknowns_ + n_discrete_ ? 0.0 : of_outputs[place_[v]];
    }
  }
}

}  // namespace saltus::detail
