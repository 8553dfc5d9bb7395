#include <saltus/expr/transplant.hpp>

namespace saltus {

Reach::Reach(const Graph& graph)
    : graph_(graph), values_(graph.size(), 0), conditions_(graph.n_conditions(), 0) {}

void Reach::add_value(NodeId id) {
  meet_value(id);
  follow();
}

void Reach::add_condition(ConditionId id) {
  meet_condition(id);
  follow();
}

void Reach::clear() {
  for (const NodeId id : met_values_) values_[id] = 0;
  for (const ConditionId id : met_conditions_) conditions_[id] = 0;
  met_values_.clear();
  met_conditions_.clear();
  inputs_.clear();
  n_values_followed_ = n_conditions_followed_ = 0;
}

void Reach::meet_value(NodeId id) {
  if (values_[id] != 0) return;
  values_[id] = 1;
  met_values_.push_back(id);
}

void Reach::meet_condition(ConditionId id) {
  if (conditions_[id] != 0) return;
  conditions_[id] = 1;
  met_conditions_.push_back(id);
}

void Reach::follow() {
  for (;;) {
    if (n_conditions_followed_ < met_conditions_.size()) {
      const Condition& c = graph_.condition(met_conditions_[n_conditions_followed_++]);
      if (c.kind == Condition::Kind::conjunction) {
        meet_condition(condition_of(c.a));
        meet_condition(condition_of(c.b));
      } else if (c.kind == Condition::Kind::relation) {
        const Relation& r = graph_.relation(c.a);
        for (const NodeId part : {r.g, r.left, r.right}) meet_value(part);
      }
    } else if (n_values_followed_ < met_values_.size()) {
      const Node& n = graph_.node(met_values_[n_values_followed_++]);
      if (n.op == Op::input) inputs_.push_back(n.a);
      if (const ConditionId c = Graph::deciding_condition(n); c != none) meet_condition(c);
      graph_.for_each_child(n, [&](NodeId child) { meet_value(child); });
    } else {
      return;
    }
  }
}

}  // namespace saltus
