// Whether equations are linear in what a relation chooses.
//
// `where(y > 0, -1, 1)` as one number u: an equation that is affine in all such u of a relation says the same whether
// u is averaged between its two values or the equation is. In u * u, sin(u) or 1 / u it does not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <saltus/expr/graph.hpp>

namespace saltus::detail {

struct ChoiceOf {
  std::uint32_t relation;  // of the graph
  /// Not affine in choices and derivatives of unknowns together counts, too.
  bool and_derivatives;
};

/// The first of the nodes (an equation, or an array of them) that is not affine in what a relation of the graph
/// chooses. On/off choices (one branch is 0) that are multiplied with each other are one choice to the graph.
std::optional<std::size_t> first_not_averaged(const Graph& graph, std::span<const NodeId> nodes,
                                              const ChoiceOf& choice);

}  // namespace saltus::detail
