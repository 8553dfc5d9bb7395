// Mistakes of callers that are refused by name wherever they can be made. Private to expr.
#pragma once

#include <saltus/expr/graph.hpp>

namespace saltus {

/// A node of this graph.
void check_node(const Graph& g, NodeId id);
/// A range of declared variables.
void check_range(const Graph& g, const InputRange& range);

}  // namespace saltus
