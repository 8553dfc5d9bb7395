#include "guards.hpp"

#include <algorithm>

namespace saltus {

Guards::Guards(const Graph& graph, std::span<const Output> outputs, Locking locking,
               Branches branches)
    : graph_(graph),
      locking_(locking),
      branches_(branches),
      condition_guard_(graph.n_conditions(), none),
      sets_{{unguarded, literal_true, 0, unguarded, unguarded}} {
  NodeId end = 0;
  for (const Output& o : outputs) {
    end = std::max(end, o.node + 1);
    // The relations of a context may be newer than the output itself.
    if (!o.context.empty()) end = static_cast<NodeId>(graph.size());
  }
  guard_.assign(end, none);
  for (const Output& o : outputs) {
    for (Literal literal : o.context) require_condition(condition_of(literal), unguarded);
    // Families are not skipped with a branch, so what arrays read is always there.
    const bool always = graph.is_array(o.node) || branches == Branches::ignored;
    require(o.node, always ? unguarded : path(o.context));
  }
  // Parents come after children, so by the time a node is met all its uses are known.
  for (NodeId id = end; id-- > 0;) {
    const SetId set = guard_[id];
    if (set == none) continue;
    const Node& n = graph.node(id);
    const ConditionId c = Graph::deciding_condition(n);
    if (c != none) require_condition(c, set);
    const bool splits = n.op == Op::select && branches_ != Branches::ignored &&
                        (n.shape == 0 || branches_ == Branches::contexts);
    if (splits) {
      require(n.a, extend(set, literal_of(c)));
      require(n.b, extend(set, literal_of(c, true)));
    } else {
      const bool always = n.op == Op::sum && branches_ == Branches::followed;
      // From here on lanes are others.
      const bool mixes = n.op == Op::take || n.op == Op::sum || n.op == Op::lanes;
      const SetId below = always ? unguarded : mixes ? scalar_part(set) : set;
      graph.for_each_child(n, [&](NodeId child) { require(child, below); });
    }
  }
}

Guards::SetId Guards::extend(SetId set, Literal literal) {
  const std::uint64_t key = (std::uint64_t{set} << 32) | literal;
  const auto [it, is_new] = ids_.try_emplace(key, static_cast<SetId>(sets_.size()));
  if (is_new) {
    // Myers' skew-binary jump pointers: an ancestor is found in O(log depth) steps.
    const SetId j = sets_[set].jump;
    const SetId jj = sets_[j].jump;
    const bool equal_strides =
        sets_[set].depth - sets_[j].depth == sets_[j].depth - sets_[jj].depth;
    const bool is_scalar = graph_.condition(condition_of(literal)).shape == 0;
    const bool all_scalar = is_scalar && sets_[set].scalar == set;
    const SetId scalar = all_scalar ? it->second : sets_[set].scalar;
    sets_.push_back({set, literal, sets_[set].depth + 1, equal_strides ? jj : set, scalar});
  }
  return it->second;
}

Guards::SetId Guards::path(std::span<const Literal> literals) {
  SetId set = unguarded;
  for (Literal literal : literals) set = extend(set, literal);
  return set;
}

std::vector<Literal> Guards::literals(SetId set) const {
  std::vector<Literal> all;
  for (; set != unguarded; set = sets_[set].parent) all.push_back(sets_[set].literal);
  std::reverse(all.begin(), all.end());
  return all;
}

Guards::SetId Guards::ancestor(SetId set, std::uint32_t depth) const {
  while (sets_[set].depth > depth)
    set = sets_[sets_[set].jump].depth >= depth ? sets_[set].jump : sets_[set].parent;
  return set;
}

Guards::SetId Guards::meet(SetId a, SetId b) const {
  a = ancestor(a, sets_[b].depth);
  b = ancestor(b, sets_[a].depth);
  while (a != b) {
    const bool far = sets_[a].jump != sets_[b].jump;
    a = far ? sets_[a].jump : sets_[a].parent;
    b = far ? sets_[b].jump : sets_[b].parent;
  }
  return a;
}

void Guards::require(NodeId id, SetId set) {
  if (!graph_.is_array(id)) set = scalar_part(set);
  guard_[id] = guard_[id] == none ? set : meet(guard_[id], set);
}

void Guards::require_condition(ConditionId id, SetId set) {
  pending_.emplace_back(id, set);
  while (!pending_.empty()) {
    auto [next, wanted] = pending_.back();
    pending_.pop_back();
    if (graph_.condition(next).shape == 0) wanted = scalar_part(wanted);
    SetId& known = condition_guard_[next];
    const SetId met = known == none ? wanted : meet(known, wanted);
    if (met == known) continue;  // nothing new below either
    known = met;
    const Condition& c = graph_.condition(next);
    if (c.kind == Condition::Kind::conjunction) {
      pending_.emplace_back(condition_of(c.a), met);
      pending_.emplace_back(condition_of(c.b), met);
    } else if (c.kind == Condition::Kind::relation) {
      const Relation& r = graph_.relation(c.a);
      const bool always = c.shape != 0 && branches_ == Branches::followed;
      if (computes(r, locking_)) require(r.g, always ? unguarded : met);
    }
  }
}

}  // namespace saltus
