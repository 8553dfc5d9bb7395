#include <saltus/structure/analysis.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>

namespace saltus {

namespace {

bool is_structure_unknown(const Input& in) {
  return in.kind == InputKind::state || in.kind == InputKind::algebraic;
}

/// Equations that hold in a mode, with what they contain.
struct ModeIncidence {
  std::vector<NodeId> residuals;
  Incidence occurrences;
};

ModeIncidence incidence_of_mode(const ModelDefinition& model, ModeId mode,
                                std::span<const std::uint8_t> locks, StructuralAnalysis& a) {
  const Graph& g = model.graph();
  ModeIncidence found;
  for (const Equation& q : model.equations()) {
    if (q.mode != none && q.mode != mode) continue;
    found.residuals.push_back(q.residual);
    if (!g.is_array(q.residual)) {
      a.equations.push_back(q.name);
      continue;
    }
    for (std::uint32_t lane = 0; lane < q.count; ++lane)
      a.equations.push_back(q.name + "[" + std::to_string(lane) + "]");
  }
  found.occurrences = incidence(g, found.residuals, locks);
  SALTUS_ASSERT(found.occurrences.n_rows() == a.equations.size());
  return found;
}

/// Columns of the signature by variable: states, then algebraic ones. In a model with modes those
/// that occur only.
std::vector<std::uint32_t> number_unknowns(const ModelDefinition& model,
                                           const Incidence& occurrences, StructuralAnalysis& a) {
  const Graph& g = model.graph();
  const std::uint32_t n_states = g.count(InputKind::state);
  std::vector<std::uint32_t> column(model.n_unknowns(), model.modes().empty() ? 0 : none);
  for (const Input& in : occurrences.inputs)
    if (is_structure_unknown(in))
      column[in.kind == InputKind::state ? in.index : n_states + in.index] = 0;
  for (std::uint32_t v = 0; v < column.size(); ++v) {
    if (column[v] == none) continue;
    column[v] = static_cast<std::uint32_t>(a.unknowns.size());
    const bool is_state = v < n_states;
    a.unknowns.push_back(g.variable_name(is_state ? InputKind::state : InputKind::algebraic,
                                         is_state ? v : v - n_states));
  }
  return column;
}

SignatureMatrix signature_of(const ModelDefinition& model, const Incidence& occurrences,
                             std::span<const std::uint32_t> column, std::size_t n_unknowns) {
  const std::uint32_t n_states = model.graph().count(InputKind::state);
  SignatureMatrix s;
  s.n_unknowns = static_cast<std::uint32_t>(n_unknowns);
  for (std::size_t i = 0; i < occurrences.n_rows(); ++i) {
    // Inputs of a row are sorted by kind, number and order: the last of a variable is its highest.
    const std::uint32_t first = s.row_start.back();
    for (const Input& in : occurrences.row(i)) {
      if (!is_structure_unknown(in)) continue;
      const std::uint32_t j = column[in.kind == InputKind::state ? in.index : n_states + in.index];
      if (s.entries.size() > first && s.entries.back().unknown == j) s.entries.pop_back();
      s.entries.push_back({j, in.order});
    }
    s.end_row();
  }
  return s;
}

std::vector<std::uint32_t> highest_orders(const SignatureMatrix& s) {
  std::vector<std::uint32_t> highest(s.n_unknowns, 0);
  for (const SignatureMatrix::Entry& e : s.entries)
    highest[e.unknown] = std::max(highest[e.unknown], e.order);
  return highest;
}

/// See the fields of StructuralAnalysis for what counts as a constraint.
void find_constraints(StructuralAnalysis& a) {
  const std::vector<std::uint32_t> highest = highest_orders(a.signature);
  std::uint32_t n_stated = 0;
  for (std::uint32_t i = 0; i < a.signature.n_equations(); ++i) {
    const bool is_constraint = std::ranges::all_of(a.signature.row(i), [&](const auto& e) {
      return highest[e.unknown] == 0 || e.order < highest[e.unknown];
    });
    n_stated += is_constraint ? 1 : 0;
    const DifferentiatedEquation row{i, a.offsets->equation[i]};
    if (row.times == 0) continue;
    a.differentiated.push_back(row);
    if (is_constraint) a.hidden_constraints.push_back(row);
  }
  std::uint32_t size = 0;
  for (const std::uint32_t order : highest) size += std::max(order, 1U);
  a.n_hidden_constraints = size - a.degrees_of_freedom() - n_stated;
}

void find_signal_demands(const ModelDefinition& model, const Incidence& occurrences,
                         StructuralAnalysis& a) {
  std::vector<std::optional<SignalDemand>> demands(model.graph().count(InputKind::signal));
  for (std::uint32_t i = 0; i < a.signature.n_equations(); ++i)
    for (const Input& in : occurrences.row(i)) {
      if (in.kind != InputKind::signal) continue;
      const std::uint32_t order = in.order + a.offsets->equation[i];
      std::optional<SignalDemand>& demand = demands[in.index];
      if (!demand || demand->order < order)
        demand = {in.index, order, i, model.signal(in.index).max_order()};
    }
  for (const std::optional<SignalDemand>& demand : demands)
    if (demand) a.signals.push_back(*demand);
}

std::string subject_of(const ModelDefinition& model, ModeId mode) {
  std::string subject = "model '" + model.name() + "'";
  if (model.modes().empty()) {
    if (mode != none) throw ModelError(subject, "has no modes");
    return subject;
  }
  if (mode == none)
    throw ModelError(subject, "has modes: give the mode whose structure is to be analysed");
  if (mode >= model.modes().size())
    throw ModelError(subject, "has no mode number " + std::to_string(mode));
  return subject + ", mode '" + model.modes()[mode].name + "'";
}

}  // namespace

StructuralAnalysis analyze_structure(const ModelDefinition& model, ModeId mode,
                                     std::span<const std::uint8_t> locks) {
  StructuralAnalysis a;
  a.subject = subject_of(model, mode);
  const ModeIncidence found = incidence_of_mode(model, mode, locks, a);
  const std::vector<std::uint32_t> column = number_unknowns(model, found.occurrences, a);
  a.signature = signature_of(model, found.occurrences, column, a.unknowns.size());
  for (std::uint32_t k = 0; k < model.graph().count(InputKind::signal); ++k)
    a.inputs.push_back(model.graph().variable_name(InputKind::signal, k));

  a.matching = maximum_matching(a.signature);
  a.parts = dulmage_mendelsohn(a.signature, a.matching);
  a.blocks = block_triangular_form(a.signature, a.matching);
  a.offsets = sigma_method(a.signature);
  if (a.offsets) {
    find_constraints(a);
    find_signal_demands(model, found.occurrences, a);
  }
  return a;
}

}  // namespace saltus
