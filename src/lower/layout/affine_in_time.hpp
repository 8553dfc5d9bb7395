// Expressions a time + b with held a and b.
#pragma once

#include <optional>

#include <saltus/expr/graph.hpp>

namespace saltus::detail {

struct AffineInTime {
  NodeId slope = none;
  NodeId offset = none;
};

/// As far as the way it is written shows: sums, and products and quotients with held values.
std::optional<AffineInTime> affine_in_time(Graph& graph, NodeId scalar);

}  // namespace saltus::detail
