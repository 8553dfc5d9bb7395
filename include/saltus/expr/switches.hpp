// The switches of a set of expressions: their tests, the contexts in which they matter, and
// programs for them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/expr/differentiate.hpp>
#include <saltus/expr/graph.hpp>
#include <saltus/expr/program.hpp>

namespace saltus {

/// One relation (an array relation is one entry with many switches).
struct SwitchEntry {
  std::uint32_t relation = 0;  // index into the graph
  SwitchId first = 0;
  std::uint32_t count = 1;
  NodeId g = none;  // switching function; an array if count > 1
  Test test = Test::positive;
  /// Branch conditions that must all hold for the relation to matter; empty: it always does.
  std::vector<Literal> context;
  /// For an array: conditions whose lane must also hold for the same lane of the relation to
  /// matter. Functions are evaluated there nevertheless, and may have no value.
  std::vector<Literal> lane_context;
  /// The conditions of conditionals that contain this relation.
  std::vector<ConditionId> conditions;
};

/// A condition that selects a branch in some expressions.
struct BranchCondition {
  ConditionId condition = 0;
  /// The common context of all its uses: the enclosing branches, outermost first; for lanes of an
  /// array, those of the same lanes.
  std::vector<Literal> context;
  std::vector<Literal> lane_context;
};

/// Returns the conditions of where, abs, sign, min and max (except those decided by value), in
/// order of their numbers. Conditions that occur only in switching functions are not included: they
/// change the test of a relation, but not the expressions.
std::vector<BranchCondition> branch_conditions(const Graph& g, std::span<const NodeId> expressions);

/// The tracked relations reachable from some expressions, in order of their switch numbers.
class SwitchTable {
 public:
  SwitchTable(const Graph& g, std::span<const NodeId> expressions);

  std::size_t size() const { return entries_.size(); }
  const SwitchEntry& operator[](std::size_t i) const { return entries_[i]; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  const SwitchEntry* find(SwitchId which) const;

  /// Returns the relation as the user wrote it: "u[3] > 0.5".
  std::string text(SwitchId which) const;

  /// Returns the switching functions as outputs, in order of the entries. A function whose context
  /// does not hold under the current locks is left at zero and never evaluated.
  std::vector<Output> functions() const;

  /// Returns gradients of the switching functions, a row per switch in order of the entries, under
  /// the same contexts. `g` must be the graph of the table.
  Jacobian gradients(Graph& g, std::span<const InputRange> columns) const;

  /// Returns whether the context of an entry holds, apart from that of its lanes. Locks do not
  /// determine conditions of relations evaluated in place (held values); these count as holding.
  bool is_active(const SwitchEntry& entry, std::span<const std::uint8_t> locks) const;

 private:
  const Graph& graph_;
  std::vector<SwitchEntry> entries_;
};

}  // namespace saltus
