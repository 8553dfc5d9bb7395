// Under which branches a value is needed at all. Private to expr.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <saltus/expr/program.hpp>

namespace saltus {

/// For every node and condition reachable from some outputs: whether it is needed, and the set of
/// branch literals common to all its uses. A node with a non-empty guard is evaluated only if all
/// its literals hold; a relation with a non-empty guard matters only there.
class Guards {
 public:
  using SetId = std::uint32_t;
  static constexpr SetId unguarded = 0;
  /// Nested branches beyond this depth inherit the guard of their parents: less is skipped, nothing
  /// is wrong. Bounds the cost for long else-if chains.
  static constexpr std::size_t max_depth = 8;

  /// Whether the switching function of a relation has to be evaluated.
  static bool computes(const Relation& r, Locking locking) {
    return !r.tracked() || locking == Locking::unlocked;
  }

  /// Ignored branches leave every node unguarded: enough where only neededness is asked.
  enum class Branches : std::uint8_t { followed, ignored };

  Guards(const Graph& graph, std::span<const Output> outputs, Locking locking,
         Branches branches = Branches::followed);

  bool needed(NodeId id) const { return id < guard_.size() && guard_[id] != none; }
  bool condition_needed(ConditionId id) const { return condition_guard_[id] != none; }
  SetId guard(NodeId id) const { return guard_[id]; }
  SetId condition_guard(ConditionId id) const { return condition_guard_[id]; }
  const std::vector<Literal>& literals(SetId set) const { return sets_[set]; }
  /// The literals common to two sets.
  SetId meet(SetId a, SetId b);
  /// One more than the largest needed node.
  NodeId end() const { return static_cast<NodeId>(guard_.size()); }

 private:
  SetId intern(std::vector<Literal> literals);
  SetId extend(SetId set, Literal literal);
  void require(NodeId id, SetId set);
  void require_condition(ConditionId id, SetId set);

  const Graph& graph_;
  Locking locking_;
  std::size_t max_depth_;
  std::vector<SetId> guard_;
  std::vector<SetId> condition_guard_;
  std::vector<std::vector<Literal>> sets_;
  std::map<std::vector<Literal>, SetId> ids_;
};

}  // namespace saltus
