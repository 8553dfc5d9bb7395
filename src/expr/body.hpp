// The body of an equation family: straight code over leaves. Private to expr.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "image.hpp"

namespace saltus {

/// Straight-line code in single-assignment form. Operands are leaves (bit 31 set) or earlier
/// operations. Two bodies with equal `operations` differ in their leaves and conditions only: they
/// are lanes of one family.
struct Body {
  struct Operation {
    Op op;
    bool by_value;           // a conditional decided by its operands
    std::uint32_t a = 0;     // operand
    std::uint32_t b = 0;     // operand, or the exponent of powi
    std::uint32_t mode = 0;  // index into conditions
    friend bool operator==(const Operation&, const Operation&) = default;
  };
  static constexpr std::uint32_t leaf_bit = 0x80000000U;

  std::vector<Operation> operations;
  std::vector<NodeId> leaves;
  std::vector<ConditionId> conditions;
  std::vector<std::uint32_t> roots;  // operand per requested root

  void clear() {
    operations.clear();
    leaves.clear();
    conditions.clear();
    roots.clear();
  }
};

/// Writes bodies for roots of a graph; keeps its bookkeeping between calls because it is called
/// once per equation.
class BodyBuilder {
 public:
  /// `is_leaf(node)` ends the descent; leaves of the graph itself always do. Roots are expanded
  /// even if is_leaf would stop there.
  using LeafTest = std::function<bool(NodeId)>;

  BodyBuilder(const Graph& graph, LeafTest is_leaf);

  /// False if the body would exceed `max_operations`.
  bool build(std::span<const NodeId> roots, std::size_t max_operations, Body& body);

 private:
  std::uint32_t leaf(NodeId id, Body& body);

  const Graph& graph_;
  LeafTest is_leaf_;
  std::vector<std::uint32_t> stamp_;
  std::vector<std::uint32_t> operand_;
  std::vector<std::uint32_t> condition_stamp_;
  std::vector<std::uint32_t> condition_index_;
  std::vector<NodeId> stack_;
  std::uint32_t round_ = 0;
};

/// Final code: products fused with the sums they go into, registers reused after their last
/// reading. Register k < leaves.size() is leaf k. `held(leaf)` says which leaves do not change.
struct FinishedBody {
  FamilyBody body;
  std::vector<std::uint32_t> roots;  // register per root
};
FinishedBody finish(const Body& body, const std::vector<bool>& held_leaves);

/// One operation with its operands placed; `mode` is only read by conditionals.
struct PlacedOperation {
  Op op;
  bool by_value = false;
  std::uint32_t to = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;  // register, or the exponent of powi
  std::uint32_t mode = 0;
  bool held_a = false;
  bool held_b = false;
};
void append(std::vector<std::uint32_t>& code, const PlacedOperation& o);

/// A sum or difference (`op`) of `rest` and the product a * b.
struct PlacedProductSum {
  Op op;
  bool product_first = false;
  std::uint32_t to = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t rest = 0;
  bool held_a = false;
  bool held_b = false;
};
void append(std::vector<std::uint32_t>& code, const PlacedProductSum& o);

}  // namespace saltus
