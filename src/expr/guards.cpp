#include "guards.hpp"

#include <algorithm>
#include <iterator>

namespace saltus {

Guards::Guards(const Graph& graph, std::span<const Output> outputs, Locking locking,
               Branches branches)
    : graph_(graph),
      locking_(locking),
      max_depth_(branches == Branches::followed ? max_depth : 0),
      condition_guard_(graph.n_conditions(), none),
      sets_{{}},
      ids_{{{}, unguarded}} {
  NodeId end = 0;
  for (const Output& o : outputs) {
    end = std::max(end, o.node + 1);
    // The relations of a context may be newer than the output itself.
    if (!o.context.empty()) end = static_cast<NodeId>(graph.size());
  }
  guard_.assign(end, none);
  for (const Output& o : outputs) {
    std::vector<Literal> context = o.context;
    for (Literal literal : context) require_condition(condition_of(literal), unguarded);
    std::sort(context.begin(), context.end());
    require(o.node, intern(std::move(context)));
  }
  // Parents come after children, so by the time a node is met all its uses are known.
  for (NodeId id = end; id-- > 0;) {
    const SetId set = guard_[id];
    if (set == none) continue;
    const Node& n = graph.node(id);
    const ConditionId c = Graph::deciding_condition(n);
    if (c != none) require_condition(c, set);
    if (n.op == Op::select && n.shape == 0) {
      require(n.a, extend(set, literal_of(c)));
      require(n.b, extend(set, literal_of(c, true)));
    } else {
      graph.for_each_child(n, [&](NodeId child) { require(child, set); });
    }
  }
}

Guards::SetId Guards::intern(std::vector<Literal> literals) {
  const auto [it, inserted] =
      ids_.try_emplace(std::move(literals), static_cast<SetId>(sets_.size()));
  if (inserted) sets_.push_back(it->first);
  return it->second;
}

Guards::SetId Guards::meet(SetId a, SetId b) {
  if (a == b) return a;
  if (a == unguarded || b == unguarded) return unguarded;
  std::vector<Literal> both;
  std::set_intersection(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                        std::back_inserter(both));
  return intern(std::move(both));
}

Guards::SetId Guards::extend(SetId set, Literal literal) {
  const std::vector<Literal>& old = sets_[set];
  if (old.size() >= max_depth_) return set;
  const auto place = std::lower_bound(old.begin(), old.end(), literal);
  if (place != old.end() && *place == literal) return set;
  std::vector<Literal> longer(old.begin(), place);
  longer.push_back(literal);
  longer.insert(longer.end(), place, old.end());
  return intern(std::move(longer));
}

void Guards::require(NodeId id, SetId set) {
  guard_[id] = guard_[id] == none ? set : meet(guard_[id], set);
}

void Guards::require_condition(ConditionId id, SetId set) {
  SetId& known = condition_guard_[id];
  const SetId met = known == none ? set : meet(known, set);
  if (met == known) return;  // nothing new below either
  known = met;
  const Condition& c = graph_.condition(id);
  if (c.kind == Condition::Kind::conjunction) {
    require_condition(condition_of(c.a), met);
    require_condition(condition_of(c.b), met);
  } else if (c.kind == Condition::Kind::relation) {
    const Relation& r = graph_.relation(c.a);
    if (computes(r, locking_)) require(r.g, met);
  }
}

}  // namespace saltus
