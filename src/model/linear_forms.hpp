// Which equations say the same, as far as that can be seen in how they are written.
//
// A scalar expression is a sum of numbers times terms that are no such sums themselves (an unknown, a product of
// two parameters, a sine of time). Equal terms are the same node of the graph, so a combination of equations
// in which all terms cancel is zero whatever the values are: Kirchhoff's laws of a part without a
// connection to the rest, say.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <saltus/expr.hpp>

namespace saltus::detail {

/// Factors of terms; that of `none` is a number alone.
using LinearForm = std::map<NodeId, double>;

LinearForm linear_form(const Graph& graph, NodeId node);

/// Rows that are independent, and what others are in terms of them.
class RowSpace {
 public:
  using Label = std::uint32_t;
  /// Factors of labelled rows.
  using Combination = std::map<Label, double>;

  explicit RowSpace(const Graph& graph) : graph_(&graph) {}

  enum class Kind : std::uint8_t {
    independent,
    dependent,      // it says what others say
    contradictory,  // with others it says something without any unknown
  };
  struct Added {
    Kind kind = Kind::independent;
    /// Of a dependent row: what it is in terms of labelled rows, up to those without a label.
    Combination of_others = {};
  };
  /// A row that is zero in a solution. A label of none is not traced.
  Added add(const LinearForm& row, Label label);

  struct Reduced {
    LinearForm rest;
    Combination of_rows;
  };
  /// form = rest + sum of rows.
  Reduced reduce(const LinearForm& form) const;

 private:
  bool has_unknown(NodeId term) const;

  struct Row {
    NodeId pivot = none;  // the term that occurs in no other row, with factor 1 here
    LinearForm terms;
    Combination of_rows;
  };
  const Graph* graph_;
  std::vector<Row> rows_;
  mutable std::map<NodeId, bool> has_unknown_;
};

}  // namespace saltus::detail
