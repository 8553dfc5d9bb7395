// Expressions with something else in place of some inputs.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

/// What stands for an input: a scalar node, or `none` to keep it.
using Replacement = std::function<NodeId(Graph& g, InputId input)>;

/// The nodes with inputs replaced in all values they are made of. Conditions stay the same, with the
/// switches they own: what is decided by a lock is still decided by that lock. A relation that is
/// evaluated in place keeps its inputs, too.
std::vector<NodeId> substitute(Graph& g, std::span<const NodeId> nodes,
                               const Replacement& replacement);

}  // namespace saltus
