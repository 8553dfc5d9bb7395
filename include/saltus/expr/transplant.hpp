// Copies a part of a graph into a new graph.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// The parts that expressions and conditions consist of: values, the conditions that decide them,
/// and the relations of those, with both sides.
class Reach {
 public:
  explicit Reach(const Graph& graph);

  void add_value(NodeId id);
  void add_condition(ConditionId id);
  /// Forgets everything added. The cost is that of the reached part, not of the whole graph.
  void clear();

  const Graph& graph() const { return graph_; }
  bool has_value(NodeId id) const { return values_[id] != 0; }
  bool has_condition(ConditionId id) const { return conditions_[id] != 0; }
  /// Returns the inputs in the order in which they were found.
  const std::vector<InputId>& inputs() const { return inputs_; }

 private:
  void meet_value(NodeId id);
  void meet_condition(ConditionId id);
  void follow();

  const Graph& graph_;
  std::vector<std::uint8_t> values_;
  std::vector<std::uint8_t> conditions_;
  std::vector<InputId> inputs_;
  // The nodes found, and how many of them have been followed.
  std::vector<NodeId> met_values_;
  std::vector<ConditionId> met_conditions_;
  std::size_t n_values_followed_ = 0;
  std::size_t n_conditions_followed_ = 0;
};

/// Maps numbers of the old graph to those of the new one; `none` for parts left behind.
struct Transplant {
  std::unique_ptr<Graph> graph;
  std::vector<NodeId> nodes;
  std::vector<ConditionId> conditions;
  std::vector<std::uint32_t> relations;
  std::array<std::vector<std::uint32_t>, n_input_kinds> variables;
  /// `turned` flags variables that become states in the new graph; their number in `variables` is
  /// then the one among states. `as_compared` holds the number under which such a variable also
  /// keeps its old kind, or none. Both are empty if no variable is turned.
  std::array<std::vector<std::uint8_t>, n_input_kinds> turned;
  std::array<std::vector<std::uint32_t>, n_input_kinds> as_compared;

  bool is_turned(InputKind kind, std::uint32_t index) const {
    const auto& flags = turned[static_cast<std::size_t>(kind)];
    return !flags.empty() && flags[index] != 0;
  }
  Literal literal(Literal old) const {
    return literal_of(conditions[condition_of(old)], is_negated(old));
  }
  /// Not for previous values, whose numbers are assigned automatically.
  Input input(const Input& old) const {
    return {is_turned(old.kind, old.index) ? InputKind::state : old.kind,
            variables[static_cast<std::size_t>(old.kind)][old.index], old.order};
  }
};

/// Returns whether a variable is copied. Called once per declaration, with the number of its first
/// element.
using KeptVariable = std::function<bool(InputKind kind, std::uint32_t first)>;

/// Returns whether a parameter or discrete variable becomes a state. Called per element.
using TurnedVariable = std::function<bool(InputKind kind, std::uint32_t index)>;

/// Copies the reached part node by node, without rewriting. Values are computed by the same
/// operations in the same order, and relations keep their texts, tests and order, so that events
/// keep theirs. `kept` selects the variables to copy; it must include all that are reached.
///
/// Turned variables come after the existing states. An array with only some turned elements is
/// declared element by element, under the names of its elements. Comparisons between held values
/// stay such: where they read a turned variable, they read a variable of the old kind instead ("p,
/// as compared"), whose value the caller must keep equal. So no comparison decided only at events
/// becomes an event itself.
Transplant transplant(const Reach& part, const KeptVariable& kept,
                      const TurnedVariable& turned = {});

}  // namespace saltus
