#include "lower/layout/gathered_program.hpp"

#include <algorithm>
#include <unordered_set>

#include <saltus/core/error.hpp>
#include <saltus/expr/needed_inputs.hpp>

namespace saltus::detail {

namespace {

/// A walk over values and the conditions that decide them.
class Reading {
 public:
  explicit Reading(const Graph& g) : g_(g) {}

  void value(NodeId id) {
    if (seen_nodes_.insert(id).second) nodes_.push_back(id);
  }
  void condition(ConditionId id) {
    if (seen_conditions_.insert(id).second) conditions_.push_back(id);
  }

  ReadSet all() {
    ReadSet found;
    while (!nodes_.empty() || !conditions_.empty()) {
      if (!conditions_.empty()) {
        const Condition& c = g_.condition(conditions_.back());
        conditions_.pop_back();
        if (c.kind == Condition::Kind::conjunction) {
          condition(condition_of(c.a));
          condition(condition_of(c.b));
        } else if (c.kind == Condition::Kind::relation && !g_.relation(c.a).tracked()) {
          value(g_.relation(c.a).g);
        }
        continue;
      }
      const Node& n = g_.node(nodes_.back());
      nodes_.pop_back();
      if (n.op == Op::input) found.inputs.push_back(n.a);
      if (n.op == Op::external) found.functions.push_back(g_.call(n.a).function.get());
      if (const ConditionId c = Graph::deciding_condition(n); c != none) condition(c);
      g_.for_each_child(n, [&](NodeId child) { value(child); });
    }
    std::sort(found.inputs.begin(), found.inputs.end());
    return found;
  }

 private:
  const Graph& g_;
  std::vector<NodeId> nodes_;
  std::vector<ConditionId> conditions_;
  std::unordered_set<NodeId> seen_nodes_;
  std::unordered_set<ConditionId> seen_conditions_;
};

std::uint32_t place_of_signal(const Layout& layout, const Input& in) {
  const auto values = layout.signal_values();
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& s) {
    return s.signal == in.index && s.order == in.order;
  });
  SALTUS_ASSERT(found != values.end());
  return static_cast<std::uint32_t>(found - values.begin());
}

}  // namespace

ReadSet read_by(const Graph& g, std::span<const Output> outputs) {
  Reading reading(g);
  for (const Output& o : outputs) {
    reading.value(o.node);
    for (const Literal l : o.context) reading.condition(condition_of(l));
  }
  return reading.all();
}

GatheredProgram gather(const Graph& g, const Layout& layout, std::span<const Output> outputs) {
  GatheredProgram made;
  std::vector<InputSegment> segments(GatheredProgram::previous + 1);
  const auto add = [&](GatheredProgram::Argument argument, const Input& in) {
    append_input(segments[argument], in);
  };
  const auto needs = [&](InputId id) {
    const std::vector<InputId> needed = needed_inputs(g, outputs);
    return std::binary_search(needed.begin(), needed.end(), id);
  };
  for (const InputId id : read_by(g, outputs).inputs) {
    const Input& in = g.input(id);
    switch (in.kind) {
      case InputKind::time:
        add(GatheredProgram::time, in);
        made.reads_time = true;
        break;
      case InputKind::state:
      case InputKind::algebraic: {
        const std::uint32_t unknown = layout.unknown_of(g, in);
        if (unknown == none && !needs(id)) break;  // read by lanes that no output needs
        if (unknown == none)
          throw ModelError("a switching function reads '" + g.input_name(id) +
                           "', which is not an unknown and does not follow from a single equation");
        add(GatheredProgram::x, in);
        made.unknowns.push_back(unknown);
        break;
      }
      case InputKind::signal:
        add(GatheredProgram::signals, in);
        made.signal_values.push_back(place_of_signal(layout, in));
        break;
      case InputKind::parameter:
        add(GatheredProgram::parameters, in);
        made.parameter_numbers.push_back(in.index);
        break;
      case InputKind::discrete:
        add(GatheredProgram::discrete, in);
        made.discrete_numbers.push_back(in.index);
        break;
      case InputKind::previous:
        add(GatheredProgram::previous, in);
        made.previous_numbers.push_back(in.index);
        break;
    }
  }
  made.reads_others = !made.signal_values.empty() || !made.parameter_numbers.empty() ||
                      !made.discrete_numbers.empty() || !made.previous_numbers.empty();
  made.program = compile(g, outputs, segments);
  return made;
}

}  // namespace saltus::detail
