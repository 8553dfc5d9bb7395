// The switches of a set of expressions: what they test, where they matter, and programs for them.
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
  /// Of an array: conditions whose lane must hold besides for the same lane of the relation to matter.
  /// Functions are evaluated there all the same, and may have no value.
  std::vector<Literal> lane_context;
  /// The conditions of conditionals this relation takes part in.
  std::vector<ConditionId> conditions;
};

/// A condition that chooses a branch somewhere in some expressions.
struct BranchCondition {
  ConditionId condition = 0;
  /// What all its uses have in common: the branches it stands in, outermost first; for lanes of an
  /// array, those of the same lanes.
  std::vector<Literal> context;
  std::vector<Literal> lane_context;
};

/// Conditions of where, abs, sign, min and max (those decided by value apart), in order of their
/// numbers. Those that occur in switching functions only are not among them: a relation may then test
/// something else, but the expressions stay what they are.
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

  /// The relation as the user wrote it: "u[3] > 0.5".
  std::string text(SwitchId which) const;

  /// Switching functions as outputs in order of the entries. With contexts, a function whose
  /// context does not hold under the current locks is left at zero and never evaluated.
  std::vector<Output> functions() const;

  /// Gradients of the switching functions, a row per switch in order of the entries, under the same
  /// contexts. `g` is the graph of the table.
  Jacobian gradients(Graph& g, std::span<const InputRange> columns) const;

  /// Whether the context of an entry holds, that of its lanes apart. Conditions of relations evaluated in place (held
  /// values) are not known from locks alone and count as holding.
  bool is_active(const SwitchEntry& entry, std::span<const std::uint8_t> locks) const;

 private:
  const Graph& graph_;
  std::vector<SwitchEntry> entries_;
};

}  // namespace saltus
