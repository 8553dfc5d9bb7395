// A part of a graph as a graph of its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// What expressions and conditions are made of: values, the conditions that decide them, and the
/// relations of those with both of their sides.
class Reach {
 public:
  explicit Reach(const Graph& graph);

  void add_value(NodeId id);
  void add_condition(ConditionId id);
  /// Forgets what was added; costs what was reached, not the whole graph.
  void clear();

  const Graph& graph() const { return graph_; }
  bool has_value(NodeId id) const { return values_[id] != 0; }
  bool has_condition(ConditionId id) const { return conditions_[id] != 0; }
  /// In the order in which they were met.
  const std::vector<InputId>& inputs() const { return inputs_; }

 private:
  void meet_value(NodeId id);
  void meet_condition(ConditionId id);
  void follow();

  const Graph& graph_;
  std::vector<std::uint8_t> values_;
  std::vector<std::uint8_t> conditions_;
  std::vector<InputId> inputs_;
  // What was met, and how much of it has been followed.
  std::vector<NodeId> met_values_;
  std::vector<ConditionId> met_conditions_;
  std::size_t n_values_followed_ = 0;
  std::size_t n_conditions_followed_ = 0;
};

/// Numbers of the old graph lead to those of the new one, `none` to what was left behind.
struct Transplant {
  std::unique_ptr<Graph> graph;
  std::vector<NodeId> nodes;
  std::vector<ConditionId> conditions;
  std::vector<std::uint32_t> relations;
  std::array<std::vector<std::uint32_t>, n_input_kinds> variables;
  /// Variables that are states in the new graph (their number above is the one among states), and the number
  /// under which such a variable is still of its old kind, or none. Empty if there are none.
  std::array<std::vector<std::uint8_t>, n_input_kinds> turned;
  std::array<std::vector<std::uint32_t>, n_input_kinds> as_compared;

  bool is_turned(InputKind kind, std::uint32_t index) const {
    const auto& flags = turned[static_cast<std::size_t>(kind)];
    return !flags.empty() && flags[index] != 0;
  }
  Literal literal(Literal old) const {
    return literal_of(conditions[condition_of(old)], is_negated(old));
  }
  /// Not for previous values, whose numbers nobody chose.
  Input input(const Input& old) const {
    return {is_turned(old.kind, old.index) ? InputKind::state : old.kind,
            variables[static_cast<std::size_t>(old.kind)][old.index], old.order};
  }
};

/// Whether a variable goes along; asked once per declaration with the number of its first element.
using KeptVariable = std::function<bool(InputKind kind, std::uint32_t first)>;

/// Whether a parameter or discrete variable becomes a state; asked per element.
using TurnedVariable = std::function<bool(InputKind kind, std::uint32_t index)>;

/// Copies what is reached, node by node, without rewriting: values are computed by the same operations
/// in the same order, relations keep their texts, tests and their order, so that events keep theirs. Of
/// the variables those go along that are asked for, all that is reached must be among them.
///
/// Variables that are turned come after the states there were. An array of which only some elements are is
/// declared element by element, under the names its elements have. Comparisons between held values stay such:
/// where they read what is turned, they read a variable of the old kind ("p, as compared") instead, whose value
/// is the caller's to keep equal. So nothing that was decided at events only becomes an event of its own.
Transplant transplant(const Reach& part, const KeptVariable& kept,
                      const TurnedVariable& turned = {});

}  // namespace saltus
