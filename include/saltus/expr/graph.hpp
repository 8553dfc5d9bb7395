// The expression graph: stores every value, condition and switching function of a model once.
//
// A Graph is a builder: single-threaded, growing, explicit (there is no global "current graph").
// freeze() turns it into an immutable object that any number of threads may read.
//
// Equal expressions are the same node (hash-consing), and children come before parents. Building a
// node applies only rewrites that cannot change a finite result: exact folding of constants,
// neutral elements, signs, and moving a factor into a conditional with a zero arm where it cannot
// become 0 * inf. Expressions are never re-associated: they are computed as written.
//
// Expressions point to their graph, so a graph cannot be copied or moved.
//
// Arrays. A node is a scalar or an array of lanes. Operations on arrays work lane by lane; scalars
// are repeated. An equation family of 100,000 lanes takes a handful of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <saltus/expr/condition.hpp>
#include <saltus/expr/external.hpp>
#include <saltus/expr/input.hpp>
#include <saltus/expr/op.hpp>

namespace saltus {

/// Selects whether a relation becomes a switch (its crossings are events and it can be locked).
/// Relations between held values never do. `untracked` treats a continuous relation in the same way
/// (Modelica's noEvent).
enum class Tracking : std::uint8_t { automatic, untracked };

/// A call of an external function; its outputs are nodes of their own.
struct ExternalCall {
  std::shared_ptr<const ExternalFunction> function;
  std::vector<NodeId> arguments;
  Rate rate = Rate::constant;
};

namespace detail {
class GraphCopy;
}  // namespace detail

class Graph {
 public:
  Graph();

  // ---- declaring what expressions depend on ------------------------------------------------

  /// Declares a variable and returns its number among those of its kind. Elements of an array have
  /// consecutive numbers. Messages use the name.
  std::uint32_t declare(InputKind kind, std::string name);
  std::uint32_t declare_array(InputKind kind, std::string name, std::uint32_t count);
  std::uint32_t count(InputKind kind) const { return declared_[static_cast<int>(kind)]; }

  NodeId input(InputKind kind, std::uint32_t index, std::uint32_t order = 0);
  NodeId time() { return input(InputKind::time, 0); }
  /// Returns pre(variable): one previous value per variable, declared on first use.
  NodeId previous(const Input& variable);
  /// Returns the name of a variable, or of an input as a user would write it: "x", "u[3]",
  /// "der(x)", "pre(x)".
  std::string variable_name(InputKind kind, std::uint32_t index) const;
  std::string input_name(InputId id) const;

  // ---- values ------------------------------------------------------------------------------

  NodeId constant(double value);
  NodeId add(NodeId a, NodeId b);
  NodeId sub(NodeId a, NodeId b);
  NodeId mul(NodeId a, NodeId b);
  NodeId div(NodeId a, NodeId b);
  NodeId neg(NodeId a);
  NodeId powi(NodeId a, std::int32_t exponent);
  NodeId pow(NodeId a, NodeId b);
  NodeId atan2(NodeId y, NodeId x);
  /// Builds one of sqrt … tanh.
  NodeId elementary(Op op, NodeId a);

  NodeId select(Literal condition, NodeId if_true, NodeId if_false);
  NodeId abs(NodeId a, Tracking tracking = Tracking::automatic);
  /// Returns +1 where a > 0, -1 elsewhere; the surface a = 0 belongs to the negative side.
  NodeId sign(NodeId a, Tracking tracking = Tracking::automatic);
  NodeId min(NodeId a, NodeId b, Tracking tracking = Tracking::automatic);
  NodeId max(NodeId a, NodeId b, Tracking tracking = Tracking::automatic);

  /// Returns output `which` of a call. Equal calls are made once.
  NodeId external(std::shared_ptr<const ExternalFunction> function,
                  std::span<const NodeId> arguments, std::uint32_t which);

  /// Returns the Jacobian of a function, requested once; null if there is none.
  std::shared_ptr<const ExternalFunction> jacobian_of(const ExternalFunction& function);

  // ---- conditions --------------------------------------------------------------------------

  Literal relation(NodeId left, Comparison comparison, NodeId right,
                   Tracking tracking = Tracking::automatic);
  Literal conjunction(Literal a, Literal b);
  Literal disjunction(Literal a, Literal b) { return negate(conjunction(negate(a), negate(b))); }

  // ---- arrays ------------------------------------------------------------------------------

  /// Returns an array made of scalars.
  NodeId lanes(std::span<const NodeId> scalars);
  NodeId lanes(const InputRange& range);
  /// Returns an array whose lane j is lane `lane_numbers[j]` of the given one.
  NodeId take(NodeId array, std::vector<std::uint32_t> lane_numbers);
  NodeId sum(NodeId array);
  /// Returns one lane as a scalar expression. Its conditionals share the switches of the array.
  NodeId lane(NodeId array, std::uint32_t which);
  /// Returns a scalar repeated to an array of n lanes. An array of n lanes is returned unchanged.
  NodeId broadcast(NodeId a, std::uint32_t n);

  // ---- reading -----------------------------------------------------------------------------

  std::size_t size() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  std::span<const Node> nodes() const { return nodes_; }
  bool is_constant(NodeId id) const { return nodes_[id].op == Op::constant; }
  bool is_constant(NodeId id, double value) const {
    return is_constant(id) && constants_[nodes_[id].a] == value;
  }
  double constant_value(NodeId id) const { return constants_[nodes_[id].a]; }
  bool is_array(NodeId id) const { return nodes_[id].shape != 0; }
  /// Returns the number of lanes: 1 for a scalar.
  std::uint32_t lane_count(NodeId id) const { return shapes_[nodes_[id].shape]; }
  std::uint32_t shape_length(std::uint16_t shape) const { return shapes_[shape]; }

  std::size_t n_inputs() const { return inputs_.size(); }
  const Input& input(InputId id) const { return inputs_[id]; }
  /// Returns the variable whose previous value has this number.
  const Input& previous_variable(std::uint32_t index) const { return previous_of_[index]; }
  /// Returns the input node of a variable if some expression uses it, otherwise `none`.
  NodeId find_input(InputKind kind, std::uint32_t index, std::uint32_t order) const;

  const std::vector<std::uint32_t>& table(std::uint32_t id) const { return tables_[id]; }
  const ExternalCall& call(std::uint32_t id) const { return calls_[id]; }
  std::size_t n_calls() const { return calls_.size(); }

  std::size_t n_conditions() const { return conditions_.size(); }
  const Condition& condition(ConditionId id) const { return conditions_[id]; }
  std::size_t n_relations() const { return relations_.size(); }
  const Relation& relation(std::uint32_t id) const { return relations_[id]; }
  /// Returns the relation of a condition of kind `relation`.
  const Relation& relation_of(ConditionId id) const { return relations_[conditions_[id].a]; }

  /// Returns the number of switches of the whole graph. A lock vector has one entry for each.
  std::size_t n_switches() const { return n_switches_; }
  /// The relation that owns a switch, and its lane.
  struct SwitchOwner {
    std::uint32_t relation;
    std::uint32_t lane;
  };
  SwitchOwner owner(SwitchId id) const;

  /// Calls visit(child) for every value node an operation reads (conditions apart).
  template <class Visitor>
  void for_each_child(const Node& n, Visitor&& visit) const {
    const int k = arity(n.op);
    if (k > 0) visit(n.a);
    if (k > 1) visit(n.b);
    if (n.op == Op::lanes) {
      for (NodeId child : tables_[n.a]) visit(child);
    } else if (n.op == Op::external) {
      for (NodeId child : calls_[n.a].arguments) visit(child);
    }
  }

  /// Returns the condition that decides a select, abs, sign, min or max; `none` if the value
  /// decides.
  static ConditionId deciding_condition(const Node& n) {
    return n.op == Op::select || carries_switch(n.op) ? n.c : none;
  }

  /// Returns an immutable graph, shareable between threads, and frees the memory of the builder.
  /// Expressions of the builder cannot be used afterwards.
  std::shared_ptr<const Graph> freeze() &&;
  /// Returns a copy that can grow again, for derivatives of a frozen model.
  std::unique_ptr<Graph> thaw() const;

 private:
  friend class detail::GraphCopy;

  // Expressions point to their graph, so the graph must not move.
  Graph(const Graph&) = default;
  Graph(Graph&&) = default;

  void check_name(InputKind kind, const std::string& name);
  NodeId make(Op op, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0);
  NodeId intern(const Node& n);
  /// Returns the node holding -a, if it exists.
  NodeId find_negative(NodeId a) const;
  std::size_t hash_slot(const Node& n) const;
  void rebuild_hash_table(std::size_t size);
  std::uint16_t shape_of_length(std::uint32_t n);
  std::uint16_t common_shape(std::uint16_t a, std::uint16_t b, std::string_view whose) const;
  std::uint32_t intern_table(std::vector<std::uint32_t> table);
  bool is_zero_armed(NodeId id) const;
  bool can_sink(NodeId id) const;
  template <class F>
  NodeId sink(NodeId zero_armed, F&& operation);
  ConditionId intern_condition(const Condition& c);
  ConditionId relation_condition(const Relation& r);
  Literal find_relation(NodeId g, Test test, bool tracked) const;
  NodeId switched(Op op, NodeId a, NodeId b, Tracking tracking);
  Literal condition_lane(Literal literal, std::uint32_t which);
  Literal relation_lane(ConditionId id, std::uint32_t which);
  NodeId make_lane(const Node& n, std::uint32_t which);
  NodeId find_lane(NodeId array, std::uint32_t which) const;

  struct NameBlock {
    std::uint32_t first;
    std::uint32_t count;  // 0: a scalar
    std::string name;
  };
  struct SwitchBlock {
    SwitchId first;
    std::uint32_t relation;
  };

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> hash_table_;
  std::vector<double> constants_;
  std::unordered_map<std::uint64_t, NodeId> constant_ids_;
  std::vector<std::uint32_t> shapes_;  // shape -> lanes
  std::vector<std::vector<std::uint32_t>> tables_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> table_ids_;
  std::unordered_map<std::uint64_t, NodeId> lane_ids_;  // (array, lane) already written out

  std::uint32_t declared_[n_input_kinds] = {};
  std::vector<NameBlock> names_[n_input_kinds];
  std::unordered_set<std::string> known_names_;
  std::vector<Input> inputs_;
  std::vector<Input> previous_of_;  // number of a previous value -> the variable it belongs to
  std::unordered_map<std::uint64_t, std::uint32_t> previous_ids_;
  std::vector<std::vector<NodeId>> input_nodes_[n_input_kinds];  // [order][index] -> node

  std::vector<Condition> conditions_;
  std::unordered_map<std::uint64_t, ConditionId> conjunction_ids_;
  std::vector<Relation> relations_;
  std::unordered_map<std::uint64_t, ConditionId> relation_ids_;
  std::vector<SwitchBlock> switch_blocks_;
  std::size_t n_switches_ = 0;

  std::vector<ExternalCall> calls_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> call_ids_;
  std::unordered_map<const ExternalFunction*, std::shared_ptr<const ExternalFunction>> jacobians_;
};

}  // namespace saltus
