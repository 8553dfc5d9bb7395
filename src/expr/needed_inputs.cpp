#include <saltus/expr/needed_inputs.hpp>

#include <algorithm>
#include <unordered_set>

#include "guards.hpp"

namespace saltus {

namespace {

class NeededInputs {
 public:
  NeededInputs(const Graph& g, Locking locking) : g_(g), locking_(locking) {}

  void value(NodeId id, std::uint32_t lane) {
    if (!g_.is_array(id)) lane = 0;
    if (seen_.insert((std::uint64_t{id} << 32) | lane).second) values_.emplace_back(id, lane);
  }

  void condition(ConditionId id) {
    if (seen_conditions_.insert(id).second) conditions_.push_back(id);
  }

  std::vector<InputId> all() {
    while (!values_.empty() || !conditions_.empty()) {
      if (!conditions_.empty()) {
        const Condition& c = g_.condition(conditions_.back());
        conditions_.pop_back();
        follow(c);
      } else {
        const auto [id, lane] = values_.back();
        values_.pop_back();
        follow(g_.node(id), lane);
      }
    }
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  void follow(const Condition& c) {
    if (c.kind == Condition::Kind::conjunction) {
      condition(condition_of(c.a));
      condition(condition_of(c.b));
    } else if (c.kind == Condition::Kind::relation) {
      const Relation& r = g_.relation(c.a);
      if (!Guards::computes(r, locking_)) return;
      for (std::uint32_t lane = 0; lane < g_.lane_count(r.g); ++lane) value(r.g, lane);
    }
  }

  void follow(const Node& n, std::uint32_t lane) {
    if (const ConditionId c = Graph::deciding_condition(n); c != none) condition(c);
    switch (n.op) {
      case Op::input:
        found_.push_back(n.a);
        return;
      case Op::lanes:
        return value(g_.table(n.a)[lane], 0);
      case Op::take:
        return value(n.a, g_.table(n.b)[lane]);
      case Op::sum:
        for (std::uint32_t j = 0; j < g_.lane_count(n.a); ++j) value(n.a, j);
        return;
      default:
        g_.for_each_child(n, [&](NodeId child) { value(child, lane); });
    }
  }

  const Graph& g_;
  Locking locking_;
  std::vector<std::pair<NodeId, std::uint32_t>> values_;
  std::vector<ConditionId> conditions_;
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_set<ConditionId> seen_conditions_;
  std::vector<InputId> found_;
};

}  // namespace

std::vector<InputId> needed_inputs(const Graph& graph, std::span<const Output> outputs,
                                   Locking locking) {
  NeededInputs needed(graph, locking);
  for (const Output& o : outputs) {
    for (const Literal l : o.context) needed.condition(condition_of(l));
    for (std::uint32_t lane = 0; lane < o.lanes; ++lane)
      if (o.slot(lane) != none) needed.value(o.node, lane);
  }
  return needed.all();
}

}  // namespace saltus
