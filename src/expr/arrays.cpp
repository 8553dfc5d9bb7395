// Array nodes: leaves, taking lanes, sums, and one lane written out as a scalar expression.
#include <algorithm>
#include <unordered_map>

#include <saltus/core/error.hpp>
#include <saltus/expr/graph.hpp>

#include "fold.hpp"
#include "relation_keys.hpp"

namespace saltus {

NodeId Graph::lanes(std::span<const NodeId> scalars) {
  if (scalars.empty()) throw ModelError("an array needs at least one element");
  for (NodeId id : scalars)
    if (is_array(id)) throw ModelError("an element of an array must be a scalar");
  return make(Op::lanes, intern_table({scalars.begin(), scalars.end()}));
}

NodeId Graph::lanes(const InputRange& range) {
  std::vector<NodeId> elements(range.count);
  for (std::uint32_t i = 0; i < range.count; ++i)
    elements[i] = input(range.kind, range.first + i, range.order);
  return lanes(elements);
}

NodeId Graph::broadcast(NodeId a, std::uint32_t n) {
  if (is_array(a)) {
    SALTUS_ASSERT(lane_count(a) == n);
    return a;
  }
  return lanes(std::vector<NodeId>(n, a));
}

NodeId Graph::take(NodeId array, std::vector<std::uint32_t> lane_numbers) {
  const Node n = nodes_[array];
  SALTUS_ASSERT(n.shape != 0 && !lane_numbers.empty());
  const std::uint32_t length = lane_count(array);
  for (std::uint32_t j : lane_numbers)
    if (j >= length)
      throw ModelError("there is no element " + std::to_string(j) +
                       ": the array has elements 0 to " + std::to_string(length - 1));
  if (n.op == Op::lanes || n.op == Op::take) {
    // Compose the two tables instead of stacking the operations.
    const auto& inner = tables_[n.op == Op::lanes ? n.a : n.b];
    for (std::uint32_t& j : lane_numbers) j = inner[j];
    if (n.op == Op::lanes) return lanes(lane_numbers);
    return take(n.a, std::move(lane_numbers));
  }
  bool whole = lane_numbers.size() == length;
  for (std::uint32_t j = 0; whole && j < length; ++j) whole = lane_numbers[j] == j;
  if (whole) return array;
  return make(Op::take, array, intern_table(std::move(lane_numbers)));
}

NodeId Graph::sum(NodeId array) {
  const Node n = nodes_[array];
  SALTUS_ASSERT(n.shape != 0);
  if (lane_count(array) == 1) return lane(array, 0);
  if (n.op == Op::neg) return neg(sum(n.a));
  return make(Op::sum, array);
}

/// The same condition on one lane: the same tests with the same switches, no new event, no new lock.
Literal Graph::condition_lane(Literal literal, std::uint32_t which) {
  std::unordered_map<ConditionId, Literal> made;
  auto known = [&](ConditionId id) {
    const auto it = made.find(id);
    return it == made.end() ? nullptr : &it->second;
  };
  auto of = [&](Literal l) {
    const Literal lane_literal = *known(condition_of(l));
    return is_negated(l) ? negate(lane_literal) : lane_literal;
  };
  fold_condition(
      *this, condition_of(literal), known, [&](ConditionId id, Literal l) { made.emplace(id, l); },
      [&](ConditionId id) { return relation_lane(id, which); },
      [&](Literal a, Literal b) { return conjunction(of(a), of(b)); });
  return of(literal);
}

Literal Graph::relation_lane(ConditionId id, std::uint32_t which) {
  const Condition c = conditions_[id];
  if (c.shape == 0) return literal_of(id);
  const std::uint64_t key = relation_lane_key(c.a, which);
  if (const auto found = relation_ids_.find(key); found != relation_ids_.end())
    return literal_of(found->second);
  const Relation whole = relations_[c.a];
  Relation r = whole;
  r.g = lane(whole.g, which);
  r.left = lane(whole.left, which);
  r.right = lane(whole.right, which);
  r.shape = 0;
  if (whole.tracked()) r.first_switch = whole.first_switch + which;
  const ConditionId made = relation_condition(r);
  relation_ids_.emplace(key, made);
  return literal_of(made);
}

NodeId Graph::find_lane(NodeId array, std::uint32_t which) const {
  for (;;) {
    const Node& n = nodes_[array];
    if (n.shape == 0) return array;
    if (n.op == Op::lanes) return tables_[n.a][which];
    if (n.op != Op::take) break;
    which = tables_[n.b][which];
    array = n.a;
  }
  const auto found = lane_ids_.find((std::uint64_t{array} << 32) | which);
  return found == lane_ids_.end() ? none : found->second;
}

NodeId Graph::lane(NodeId array, std::uint32_t which) {
  SALTUS_ASSERT(nodes_[array].shape == 0 || which < lane_count(array));
  // An explicit stack: arrays can be nested deeper than the call stack.
  std::vector<std::pair<NodeId, std::uint32_t>> stack{{array, which}};
  while (!stack.empty()) {
    NodeId id = stack.back().first;
    std::uint32_t at = stack.back().second;
    if (find_lane(id, at) != none) {
      stack.pop_back();
      continue;
    }
    while (nodes_[id].op == Op::take) {
      at = tables_[nodes_[id].b][at];
      id = nodes_[id].a;
    }
    const std::size_t depth = stack.size();
    const Node n = nodes_[id];
    auto need = [&](NodeId child) {
      if (find_lane(child, at) == none) stack.emplace_back(child, at);
    };
    need(n.a);
    if (arity(n.op) == 2) need(n.b);
    if (const ConditionId c = deciding_condition(n); c != none)
      for_each_relation(*this, c, [&](ConditionId relation) {
        const Relation& r = relation_of(relation);
        if (r.shape != 0)
          for (NodeId part : {r.g, r.left, r.right}) need(part);
      });
    if (stack.size() > depth) continue;
    lane_ids_.emplace((std::uint64_t{id} << 32) | at, make_lane(n, at));
    stack.pop_back();
  }
  return find_lane(array, which);
}

NodeId Graph::make_lane(const Node& n, std::uint32_t which) {
  const NodeId a = lane(n.a, which);
  const NodeId b = arity(n.op) == 2 ? lane(n.b, which) : n.b;
  switch (n.op) {
    case Op::add:
      return add(a, b);
    case Op::sub:
      return sub(a, b);
    case Op::mul:
      return mul(a, b);
    case Op::div:
      return div(a, b);
    case Op::neg:
      return neg(a);
    case Op::sqr:
      return mul(a, a);
    case Op::powi:
      return powi(a, static_cast<std::int32_t>(n.b));
    case Op::pow:
      return pow(a, b);
    case Op::atan2:
      return atan2(a, b);
    case Op::select:
      return select(condition_lane(literal_of(n.c), which), a, b);
    case Op::abs:
    case Op::sign:
    case Op::min:
    case Op::max:
      // The lane's own switch must be kept even where another scalar relation would fold it away.
      return make(n.op, a, b,
                  n.c == none ? none : condition_of(condition_lane(literal_of(n.c), which)));
    default:
      return elementary(n.op, a);
  }
}

}  // namespace saltus
