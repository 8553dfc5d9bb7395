#include <saltus/expr/transplant.hpp>

namespace saltus {

Reach::Reach(const Graph& graph)
    : graph_(graph), values_(graph.size(), 0), conditions_(graph.n_conditions(), 0) {}

void Reach::add_value(NodeId id) {
  if (values_[id] == 0) open_values_.push_back(id);
  values_[id] = 1;
  follow();
}

void Reach::add_condition(ConditionId id) {
  if (conditions_[id] == 0) open_conditions_.push_back(id);
  conditions_[id] = 1;
  follow();
}

void Reach::follow() {
  const auto value = [&](NodeId id) {
    if (values_[id] == 0) open_values_.push_back(id);
    values_[id] = 1;
  };
  const auto condition = [&](ConditionId id) {
    if (conditions_[id] == 0) open_conditions_.push_back(id);
    conditions_[id] = 1;
  };
  while (!open_values_.empty() || !open_conditions_.empty()) {
    if (!open_conditions_.empty()) {
      const Condition& c = graph_.condition(open_conditions_.back());
      open_conditions_.pop_back();
      if (c.kind == Condition::Kind::conjunction) {
        condition(condition_of(c.a));
        condition(condition_of(c.b));
      } else if (c.kind == Condition::Kind::relation) {
        const Relation& r = graph_.relation(c.a);
        for (const NodeId part : {r.g, r.left, r.right}) value(part);
      }
      continue;
    }
    const Node& n = graph_.node(open_values_.back());
    open_values_.pop_back();
    if (n.op == Op::input) inputs_.push_back(n.a);
    if (const ConditionId c = Graph::deciding_condition(n); c != none) condition(c);
    graph_.for_each_child(n, value);
  }
}

}  // namespace saltus
