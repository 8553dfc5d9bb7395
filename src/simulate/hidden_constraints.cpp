#include "simulate/hidden_constraints.hpp"

#include <saltus/expr/differentiate.hpp>

#include "simulate/readable_text.hpp"

namespace saltus {

namespace {

/// The residual and the lane of each row of the structural analysis.
struct RowOrigin {
  NodeId residual;
  std::uint32_t lane;
};

std::vector<RowOrigin> origins_of_rows(const ModelDefinition& model, ModeId mode) {
  std::vector<RowOrigin> rows;
  for (const Equation& q : model.equations()) {
    if (q.mode != none && q.mode != mode) continue;
    for (std::uint32_t lane = 0; lane < q.count; ++lane) rows.push_back({q.residual, lane});
  }
  return rows;
}

}  // namespace

void write_hidden_constraints(const ModelDefinition& model, ModeId mode,
                              const AnalyzeOptions& options, ModeAnalysis& result) {
  const auto& hidden = result.structure.hidden_constraints;
  if (hidden.empty()) return;
  const std::vector<RowOrigin> rows = origins_of_rows(model, mode);
  const std::unique_ptr<Graph> g = model.graph().thaw();  // derivatives are new expressions
  const auto max_length = static_cast<std::size_t>(options.max_length);
  const auto most = static_cast<std::size_t>(options.max_expressions);
  for (const DifferentiatedEquation& e : hidden) {
    NodeId node = rows[e.equation].residual;
    for (std::uint32_t k = 1; k <= e.times; ++k) {
      if (result.hidden_constraints.size() >= most) {
        ++result.n_hidden_not_listed;
        continue;
      }
      node = total_derivative(*g, std::vector{node}).front();
      result.hidden_constraints.push_back(
          {e.equation, k, readable_equation(*g, node, rows[e.equation].lane, max_length)});
    }
  }
}

}  // namespace saltus
