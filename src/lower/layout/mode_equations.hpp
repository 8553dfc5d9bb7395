// The equations of a mode as rows to be compiled.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>

namespace saltus::detail {

/// The equations of a model, or these and time derivatives of some. A node of several lanes is as
/// many rows.
class ModeEquations {
 public:
  explicit ModeEquations(const ModelDefinition& model);
  /// Row i of the model and its derivatives up to order times[i]. Derivatives follow after all
  /// equations, order by order. They are new expressions on a copy of the model's graph.
  ModeEquations(const ModelDefinition& model, std::span<const std::uint32_t> times);

  const Graph& graph() const { return *graph_; }
  std::span<const NodeId> nodes() const { return nodes_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  /// "length", "balance[3]", "derivative 2 of length".
  std::string name(const ModelDefinition& model, std::uint32_t row) const;
  /// The row that is the derivative of this one, or none.
  std::uint32_t derivative(std::uint32_t row) const { return rows_[row].derivative; }

 private:
  struct Row {
    std::uint32_t equation;  // of the model
    std::uint32_t lane;
    std::uint32_t order;  // how often it has been differentiated
    std::uint32_t derivative = none;
  };

  std::shared_ptr<const Graph> graph_;
  std::vector<NodeId> nodes_;
  std::vector<Row> rows_;
};

}  // namespace saltus::detail
