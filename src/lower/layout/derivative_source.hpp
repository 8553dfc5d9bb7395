// Derivatives in switching functions: from the equations, not from the interpolant.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <saltus/expr/graph.hpp>
#include <saltus/model/definition.hpp>

#include "lower/layout/layout.hpp"
#include "lower/layout/mode_equations.hpp"

namespace saltus::detail {

/// The derivative of a step's polynomial is an order less accurate than the polynomial. Where a row
/// contains one derivative that is no unknown, linearly, it gives that derivative as an expression
/// of unknowns: with F = slope x' + F(x' = 0),
///
///   x' = -F(t, x, 0) / slope.
class DerivativeSource {
 public:
  /// `graph` holds the rows and grows by what is found.
  DerivativeSource(Graph& graph, const Layout& layout, std::span<const NodeId> rows);

  /// Whether an input stands in x'.
  bool is_derivative(const Input& in) const;
  /// The expression, or none if no row gives it.
  NodeId expression(InputId derivative);
  /// Whether some row contains it at all.
  bool occurs(InputId derivative) const;

 private:
  NodeId solved(NodeId row, InputId derivative);

  Graph& graph_;
  const Layout& layout_;
  struct Row {
    NodeId node;
    std::uint32_t lane;
  };
  std::map<InputId, std::vector<Row>> alone_in_;  // rows with no other derivative
  std::map<InputId, NodeId> found_;
  std::vector<InputId> occurring_;  // ascending
};

/// The unknowns of a mode: those of its rows, and the derivatives that relations read and no row gives.
/// One that no equation contains is refused with the text of the relation.
Layout layout_of_mode(const ModelDefinition& model, const ModeEquations& equations);

/// Nodes of all equations, outputs, when-clauses and exits of a mode, in whose relations it switches. The
/// graph grows by one node per trigger.
struct SwitchingExpressions {
  std::vector<NodeId> equations;
  std::vector<NodeId> outputs;
  std::vector<NodeId> triggers;  // 1 where it holds, else 0
  std::vector<NodeId> all() const;
};
SwitchingExpressions switching_expressions(Graph& graph, const ModelDefinition& model,
                                           const ModeEquations& equations);

}  // namespace saltus::detail
