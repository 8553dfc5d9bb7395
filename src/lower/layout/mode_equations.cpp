#include "lower/layout/mode_equations.hpp"

#include <algorithm>

namespace saltus::detail {

ModeEquations::ModeEquations(const ModelDefinition& model) : graph_(model.shared_graph()) {
  std::uint32_t equation = 0;
  for (const Equation& q : model.equations()) {
    nodes_.push_back(q.residual);
    for (std::uint32_t lane = 0; lane < q.count; ++lane) rows_.push_back({equation, lane, 0, none});
    ++equation;
  }
}

ModeEquations::ModeEquations(const ModelDefinition& model, std::span<const std::uint32_t> times)
    : ModeEquations(model) {
  std::unique_ptr<Graph> g = model.graph().thaw();
  const std::uint32_t most = times.empty() ? 0 : *std::max_element(times.begin(), times.end());

  // What is differentiated next: nodes whose lanes are these rows.
  struct Piece {
    NodeId node;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> times;  // of each lane
  };
  std::vector<Piece> pieces;
  std::uint32_t row = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Piece piece{nodes_[k], {}, {}};
    for (std::uint32_t lane = 0; lane < g->lane_count(nodes_[k]); ++lane, ++row) {
      piece.rows.push_back(row);
      piece.times.push_back(times[row]);
    }
    pieces.push_back(std::move(piece));
  }

  for (std::uint32_t order = 1; order <= most; ++order) {
    std::vector<Piece> next;
    std::vector<NodeId> nodes;
    for (const Piece& piece : pieces) {
      Piece kept{piece.node, {}, {}};
      std::vector<std::uint32_t> lanes;
      for (std::uint32_t lane = 0; lane < piece.rows.size(); ++lane) {
        if (piece.times[lane] < order) continue;
        lanes.push_back(lane);
        kept.rows.push_back(piece.rows[lane]);
        kept.times.push_back(piece.times[lane]);
      }
      if (lanes.empty()) continue;
      if (lanes.size() < piece.rows.size()) kept.node = g->take(piece.node, std::move(lanes));
      nodes.push_back(kept.node);
      next.push_back(std::move(kept));
    }
    const std::vector<NodeId> derivatives = total_derivative(*g, nodes);
    for (std::size_t k = 0; k < next.size(); ++k) {
      Piece& piece = next[k];
      // A derivative may have turned out the same for all lanes.
      const auto n_lanes = static_cast<std::uint32_t>(piece.rows.size());
      piece.node = n_lanes > 1 ? g->broadcast(derivatives[k], n_lanes) : derivatives[k];
      nodes_.push_back(piece.node);
      for (std::uint32_t& of : piece.rows) {
        const Row origin = rows_[of];
        rows_[of].derivative = size();
        of = size();
        rows_.push_back({origin.equation, origin.lane, order, none});
      }
    }
    pieces = std::move(next);
  }
  graph_ = std::move(*g).freeze();
}

std::string ModeEquations::name(const ModelDefinition& model, std::uint32_t row) const {
  const Row& r = rows_[row];
  const Equation& q = model.equations()[r.equation];
  std::string name = q.name;
  if (q.count > 1) name += "[" + std::to_string(r.lane) + "]";
  if (r.order > 0) name = "derivative " + std::to_string(r.order) + " of " + name;
  return name;
}

}  // namespace saltus::detail
