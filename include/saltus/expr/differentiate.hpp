// Exact derivatives of expressions, as expressions.
//
// Jacobians. Every row could be swept backwards on its own (good for few rows with many variables),
// or gradients could be carried forward from the variables (good if many rows share a long
// computation). Neither is safe alone: for some inputs, each builds hundreds of times more nodes
// than the other. Therefore values shared by several rows may become *cuts*. The gradient of a cut
// is computed once, by a backward sweep down to variables and other cuts; every sweep that meets
// the cut stops there and multiplies. Counting decides which shared values become cuts. "forward"
// (every value a cut) and "reverse" (none) are the two extremes, kept for comparison.
//
// Conditionals are differentiated branch by branch; the derivative carries the same switches.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <saltus/expr/graph.hpp>
#include <saltus/expr/program.hpp>
#include <saltus/numerics/sparse.hpp>

namespace saltus {

/// A sparse Jacobian: its pattern, and the expressions of its entries. Compile `entries` to get a
/// program whose outputs are the values in compressed-column order.
struct Jacobian {
  CscPattern pattern;
  std::vector<Output> entries;
};

enum class Sweep : std::uint8_t { automatic, forward, reverse };

/// Returns f'(a) * w for f = sqrt … tanh; `self` is the node f(a).
using ElementaryRule = NodeId (*)(Graph& g, Op op, NodeId self, NodeId a, NodeId w);
NodeId elementary_rule(Graph& g, Op op, NodeId self, NodeId a, NodeId w);

struct DerivativeOptions {
  Sweep sweep = Sweep::automatic;
  /// Replaceable, so that tests of derivatives can check that they notice a wrong rule.
  ElementaryRule rule = &elementary_rule;
};

/// Returns d(rows)/d(columns). Rows are in the order of the nodes (an array has as many rows as
/// lanes), columns in the order of the ranges. The pattern leaves out entries that are structurally
/// zero.
Jacobian jacobian(Graph& g, std::span<const NodeId> rows, std::span<const InputRange> columns,
                  const DerivativeOptions& options = {});

/// Returns directional derivatives d(node)/d(inputs) * seed. seed(input) is a node (a constant zero
/// for inputs that do not move).
using Seed = std::function<NodeId(Graph& g, InputId input)>;
std::vector<NodeId> tangent(Graph& g, std::span<const NodeId> nodes, const Seed& seed,
                            ElementaryRule rule = &elementary_rule);

/// Returns total time derivatives: time moves with speed one, a variable with its next derivative.
std::vector<NodeId> total_derivative(Graph& g, std::span<const NodeId> nodes);

}  // namespace saltus
