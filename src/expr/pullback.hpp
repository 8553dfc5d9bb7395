// Local derivative rules. Private to expr.
#pragma once

#include <saltus/expr/differentiate.hpp>

namespace saltus {

/// w times the partial derivative of node `id` with respect to its operand number `which` (for an
/// external function: its argument). Linear in w, so the same rule serves backward sweeps (w an
/// adjoint) and forward ones (w the derivative of the operand).
NodeId pull(Graph& g, NodeId id, std::uint32_t which, NodeId w, ElementaryRule rule);

/// For the operands of a conditional: the branch in which this one is the value, so that the partial
/// derivative is one there and zero elsewhere. Always true for every other operation.
Literal live_branch(Graph& g, NodeId id, std::uint32_t which);

/// The number of operands `pull` knows for a node.
std::uint32_t operand_count(const Graph& g, const Node& n);
NodeId operand(const Graph& g, const Node& n, std::uint32_t which);

}  // namespace saltus
