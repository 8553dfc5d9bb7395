// Under which branches a value is needed at all. Private to expr.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <saltus/expr/program.hpp>

namespace saltus {

/// For every node and condition reachable from some outputs: whether it is needed, and the nest of
/// branches common to all its uses. A node with a guard is evaluated only if all its literals hold;
/// a relation with a guard matters only there.
///
/// A guard is a path of literals from the outermost branch inwards. Paths share their beginnings,
/// so else-if chains of any length stay linear; what two paths have in common is where they part.
class Guards {
 public:
  using SetId = std::uint32_t;
  static constexpr SetId unguarded = 0;

  /// Whether the switching function of a relation has to be evaluated.
  static bool computes(const Relation& r, Locking locking) {
    return !r.tracked() || locking == Locking::unlocked;
  }

  enum class Branches : std::uint8_t {
    followed,  // for programs: scalar code is skipped with its branch, families never are
    ignored,   // every node unguarded: enough where only neededness is asked
    contexts,  // where a value matters, whether or not it would be skipped: arrays too, by lanes
  };

  Guards(const Graph& graph, std::span<const Output> outputs, Locking locking,
         Branches branches = Branches::followed);

  bool needed(NodeId id) const { return id < guard_.size() && guard_[id] != none; }
  bool condition_needed(ConditionId id) const { return condition_guard_[id] != none; }
  SetId guard(NodeId id) const { return guard_[id]; }
  SetId condition_guard(ConditionId id) const { return condition_guard_[id]; }

  /// The path of a guard, outermost literal first.
  std::vector<Literal> literals(SetId set) const;
  SetId parent(SetId set) const { return sets_[set].parent; }
  Literal last(SetId set) const { return sets_[set].literal; }
  SetId extend(SetId set, Literal literal);
  SetId path(std::span<const Literal> literals);
  /// Where two paths part.
  SetId meet(SetId a, SetId b) const;
  /// The beginning of a path up to the first condition of an array: what holds for all lanes alike.
  SetId scalar_part(SetId set) const { return sets_[set].scalar; }

  /// One more than the largest needed node.
  NodeId end() const { return static_cast<NodeId>(guard_.size()); }

 private:
  struct Set {
    SetId parent;
    Literal literal;
    std::uint32_t depth;
    SetId jump;    // some ancestor; makes the search for the common one logarithmic
    SetId scalar;  // see scalar_part()
  };
  /// The ancestor of a given depth.
  SetId ancestor(SetId set, std::uint32_t depth) const;
  void require(NodeId id, SetId set);
  void require_condition(ConditionId id, SetId set);

  const Graph& graph_;
  Locking locking_;
  Branches branches_;
  std::vector<SetId> guard_;
  std::vector<SetId> condition_guard_;
  std::vector<Set> sets_;
  std::unordered_map<std::uint64_t, SetId> ids_;
  std::vector<std::pair<ConditionId, SetId>> pending_;
};

}  // namespace saltus
