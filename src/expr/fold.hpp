// Walking conditions: their relations, and values found from those upwards. Private to expr.
#pragma once

#include <unordered_set>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// combine(a, b) over the conjunctions below a condition, leaf(id) for relations and constants,
/// each condition once. Conditions may be shared a thousandfold and nested a hundred thousand deep,
/// hence the memory and the explicit stack. `known(id)` returns a pointer to the stored value or
/// null, `store(id, value)` keeps it.
template <class Known, class Store, class Leaf, class Combine>
auto fold_condition(const Graph& g, ConditionId root, Known&& known, Store&& store, Leaf&& leaf,
                    Combine&& combine) {
  std::vector<ConditionId> stack{root};
  while (!stack.empty()) {
    const ConditionId id = stack.back();
    if (known(id) != nullptr) {
      stack.pop_back();
      continue;
    }
    const Condition c = g.condition(id);
    if (c.kind != Condition::Kind::conjunction) {
      store(id, leaf(id));
    } else {
      const std::size_t depth = stack.size();
      for (Literal literal : {c.b, c.a})
        if (known(condition_of(literal)) == nullptr) stack.push_back(condition_of(literal));
      if (stack.size() > depth) continue;
      store(id, combine(c.a, c.b));
    }
    stack.pop_back();
  }
  return *known(root);
}

/// Visits the relation conditions a condition is made of, each once.
template <class Visitor>
void for_each_relation(const Graph& g, ConditionId root, Visitor&& visit) {
  std::unordered_set<ConditionId> seen;
  std::vector<ConditionId> stack{root};
  while (!stack.empty()) {
    const ConditionId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) continue;
    const Condition& c = g.condition(id);
    if (c.kind == Condition::Kind::relation) {
      visit(id);
    } else if (c.kind == Condition::Kind::conjunction) {
      stack.push_back(condition_of(c.a));
      stack.push_back(condition_of(c.b));
    }
  }
}

}  // namespace saltus
