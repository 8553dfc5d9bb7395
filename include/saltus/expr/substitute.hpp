// Replaces inputs of expressions.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// Returns the replacement of an input: a scalar node, or `none` to keep it.
using Replacement = std::function<NodeId(Graph& g, InputId input)>;

/// Returns the nodes with inputs replaced in all their values. Conditions stay the same, with the
/// switches they own, so the same locks decide them. A relation that is evaluated in place keeps
/// its inputs, too.
std::vector<NodeId> substitute(Graph& g, std::span<const NodeId> nodes,
                               const Replacement& replacement);

}  // namespace saltus
