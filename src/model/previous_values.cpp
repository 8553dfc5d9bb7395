#include "model/previous_values.hpp"

#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/expr/transplant.hpp>

namespace saltus::detail {

namespace {

bool is_continuous(InputKind kind) {
  return kind == InputKind::state || kind == InputKind::algebraic || kind == InputKind::signal;
}

/// For every value and condition one pre(continuous variable) that it reads when it is evaluated under
/// locks, or none.
class PreviousRead {
 public:
  explicit PreviousRead(const Graph& g)
      : g_(g), of_node_(g.size(), none), of_condition_(g.n_conditions(), none) {
    // Parts have smaller numbers than wholes; a condition is needed after all it is made of.
    ConditionId next_condition = 0;
    for (NodeId id = 0; id < g.size(); ++id) {
      const Node& n = g.node(id);
      if (n.op == Op::input) {
        const Input& in = g.input(n.a);
        if (in.kind == InputKind::previous && is_continuous(g.previous_variable(in.index).kind))
          of_node_[id] = n.a;
      }
      g.for_each_child(n, [&](NodeId child) { merge(of_node_[id], of_node_[child]); });
      if (const ConditionId c = Graph::deciding_condition(n); c != none) {
        for (; next_condition <= c; ++next_condition) look_at(next_condition);
        merge(of_node_[id], of_condition_[c]);
      }
    }
  }

  InputId by_value(NodeId id) const { return of_node_[id]; }

 private:
  static void merge(InputId& to, InputId from) {
    if (to == none) to = from;
  }
  void look_at(ConditionId id) {
    const Condition& c = g_.condition(id);
    if (c.kind == Condition::Kind::conjunction) {
      merge(of_condition_[id], of_condition_[condition_of(c.a)]);
      merge(of_condition_[id], of_condition_[condition_of(c.b)]);
    } else if (c.kind == Condition::Kind::relation && !g_.relation(c.a).tracked()) {
      merge(of_condition_[id], of_node_[g_.relation(c.a).g]);
    }
  }

  const Graph& g_;
  std::vector<InputId> of_node_;
  std::vector<InputId> of_condition_;
};

/// All but the maps and equations of transitions.
Reach watched_part(const ModelDefinition& model) {
  Reach watched(model.graph());
  for (const Equation& q : model.equations()) watched.add_value(q.residual);
  for (const NamedExpression& o : model.outputs()) watched.add_value(o.node);
  for (const WhenClause& w : model.when_clauses()) {
    for (const Literal l : w.conditions) watched.add_condition(condition_of(l));
    for (const Assignment& a : w.assignments) {
      if (a.value != none) watched.add_value(a.value);
    }
  }
  for (const Transition& t : model.transitions()) watched.add_condition(condition_of(t.guard));
  for (const Mode& mode : model.modes())
    for (const Literal l : mode.requirements) watched.add_condition(condition_of(l));
  return watched;
}

}  // namespace

void check_previous_values(const ModelDefinition& model) {
  const Graph& g = model.graph();
  if (g.count(InputKind::previous) == 0) return;
  for (std::uint32_t k = 0; k < g.count(InputKind::previous); ++k) {
    const Input& variable = g.previous_variable(k);
    if (variable.kind == InputKind::signal)
      throw ModelError("model '" + model.name() + "' reads pre(" +
                       g.variable_name(variable.kind, variable.index) +
                       "): an input has no separate value before an event");
  }
  const PreviousRead read(g);
  const auto check = [&](NodeId node, const std::string& where) {
    const InputId id = read.by_value(node);
    if (id == none) return;
    throw ModelError("model '" + model.name() + "', " + where + " reads " + g.input_name(id) +
                     ": the value of a continuous variable before an event has a meaning in "
                     "when-clauses and transitions only");
  };
  for (const Equation& q : model.equations()) check(q.residual, "equation '" + q.name + "'");
  for (const NamedExpression& o : model.outputs()) check(o.node, "output '" + o.name + "'");
  // Relations that occur only between two modes are decided there and then.
  const Reach watched = watched_part(model);
  for (ConditionId c = 0; c < g.n_conditions(); ++c) {
    if (g.condition(c).kind != Condition::Kind::relation || !watched.has_condition(c)) continue;
    const std::uint32_t r = g.condition(c).a;
    if (g.relation(r).tracked()) check(g.relation(r).g, "relation '" + relation_text(g, r) + "'");
  }
}

}  // namespace saltus::detail
