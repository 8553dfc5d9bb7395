#include "model/mode_unknowns.hpp"

namespace saltus::detail {

ModeUnknowns unknowns_of_mode(const ModelDefinition& model, ModeId mode) {
  ModeUnknowns found(model.graph());
  std::vector<NodeId> rows;
  for (const Equation& q : model.equations())
    if (holds_in(q, mode)) rows.push_back(q.residual);
  for (const Input& in : incidence(model.graph(), rows).inputs)
    if (is_unknown_kind(in.kind)) found.meet(in);
  return found;
}

bool exists_in(const ModeUnknowns& mode, const NamedExpression& output, Reach& reach) {
  const Graph& g = reach.graph();
  reach.clear();
  reach.add_value(output.node);
  return std::ranges::all_of(
      reach.inputs(), [&](InputId id) { return mode.has_value(variable_behind(g, g.input(id))); });
}

namespace {

/// A derivative that no equation contains can be no event.
bool is_watched(const ModeUnknowns& mode, const WhenClause& clause, Reach& reach) {
  const Graph& g = reach.graph();
  reach.clear();
  for (const Literal l : clause.conditions) reach.add_condition(condition_of(l));
  return std::ranges::all_of(reach.inputs(), [&](InputId id) {
    return mode.has_derivative(variable_behind(g, g.input(id)));
  });
}

}  // namespace

std::string lack_of(const ModeUnknowns& mode, const WhenClause& clause, Reach& reach) {
  const Graph& g = reach.graph();
  // Laws of contact belong to all modes or to none.
  if (clause.by_contacts || !is_watched(mode, clause, reach)) return {};
  for (const Assignment& a : clause.assignments)
    if (is_unknown_kind(a.target.kind) && !mode.is_own_unknown(a.target))
      return "it sets '" + input_text(g, a.target) + "'";
  for (const Assignment& a : clause.assignments) reach.add_value(a.value);
  for (const InputId id : reach.inputs()) {
    const Input& in = variable_behind(g, g.input(id));
    if (!mode.has_value(in)) return "it reads '" + input_text(g, in) + "'";
  }
  return {};
}

bool exists_in(const ModeUnknowns& mode, const WhenClause& clause, Reach& reach) {
  const Graph& g = reach.graph();
  const auto sets_it = [&](const Assignment& a) {
    return !is_unknown_kind(a.target.kind) || mode.is_own_unknown(a.target);
  };
  if (!std::ranges::all_of(clause.assignments, sets_it)) return false;
  if (!is_watched(mode, clause, reach)) return false;
  for (const Assignment& a : clause.assignments) reach.add_value(a.value);
  return std::ranges::all_of(
      reach.inputs(), [&](InputId id) { return mode.has_value(variable_behind(g, g.input(id))); });
}

}  // namespace saltus::detail
