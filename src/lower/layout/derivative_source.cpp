#include "lower/layout/derivative_source.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/expr/differentiate.hpp>
#include <saltus/expr/incidence.hpp>
#include <saltus/expr/needed_inputs.hpp>
#include <saltus/expr/substitute.hpp>
#include <saltus/expr/switches.hpp>

namespace saltus::detail {

namespace {

/// The number of an input that some row contains.
InputId number_of_input(const Graph& g, const Input& in) {
  return g.node(g.find_input(in.kind, in.index, in.order)).a;
}

std::vector<InputId> inputs_read(const Graph& g, NodeId node) {
  const Output o{.node = node, .lanes = g.lane_count(node)};
  return needed_inputs(g, std::span(&o, 1));
}

}  // namespace

DerivativeSource::DerivativeSource(Graph& g, const Layout& layout, std::span<const NodeId> rows)
    : graph_(g), layout_(layout) {
  const Incidence read = incidence(g, rows);
  std::size_t i = 0;
  for (const NodeId node : rows) {
    for (std::uint32_t lane = 0; lane < g.lane_count(node); ++lane, ++i) {
      InputId derivative = none;
      int n_derivatives = 0;
      for (const Input& in : read.row(i)) {
        if (!is_derivative(in)) continue;
        derivative = number_of_input(g, in);
        occurring_.push_back(derivative);
        ++n_derivatives;
      }
      if (n_derivatives == 1) alone_in_[derivative].push_back({node, lane});
    }
  }
  std::sort(occurring_.begin(), occurring_.end());
}

bool DerivativeSource::is_derivative(const Input& in) const {
  if (in.kind != InputKind::state && in.kind != InputKind::algebraic) return false;
  return layout_.unknown_of(graph_, in) == none;
}

bool DerivativeSource::occurs(InputId derivative) const {
  return std::binary_search(occurring_.begin(), occurring_.end(), derivative);
}

NodeId DerivativeSource::solved(NodeId row, InputId derivative) {
  const Input in = graph_.input(derivative);
  const InputRange column[] = {{in.kind, in.index, 1, in.order}};
  const Jacobian by_it = jacobian(graph_, std::span(&row, 1), column);
  if (by_it.entries.size() != 1) return none;
  const NodeId slope = by_it.entries.front().node;
  if (graph_.is_constant(slope, 0.0)) return none;
  const std::vector<InputId> in_slope = inputs_read(graph_, slope);
  const bool linear = std::none_of(in_slope.begin(), in_slope.end(),
                                   [&](InputId id) { return is_derivative(graph_.input(id)); });
  if (!linear) return none;
  const NodeId rest = substitute(graph_, std::span(&row, 1), [&](Graph& g, InputId id) {
    return id == derivative ? g.constant(0.0) : none;
  })[0];
  return graph_.div(graph_.neg(rest), slope);
}

NodeId DerivativeSource::expression(InputId derivative) {
  if (const auto known = found_.find(derivative); known != found_.end()) return known->second;
  NodeId found = none;
  for (const Row& row : alone_in_[derivative]) {
    const NodeId node = graph_.is_array(row.node) ? graph_.lane(row.node, row.lane) : row.node;
    found = solved(node, derivative);
    if (found != none) break;
  }
  found_.emplace(derivative, found);
  return found;
}

std::vector<NodeId> SwitchingExpressions::all() const {
  std::vector<NodeId> nodes = equations;
  nodes.insert(nodes.end(), outputs.begin(), outputs.end());
  nodes.insert(nodes.end(), triggers.begin(), triggers.end());
  return nodes;
}

SwitchingExpressions switching_expressions(Graph& g, const ModelDefinition& model,
                                           const ModeEquations& equations) {
  SwitchingExpressions found;
  found.equations.assign(equations.nodes().begin(), equations.nodes().end());
  for (const NamedExpression& o : model.outputs()) found.outputs.push_back(o.node);
  // What holds a surface is looked at like an output: it chooses no equation.
  for (const HoldingRelation& h : model.holding_relations()) {
    found.outputs.push_back(h.ratio);
    found.outputs.push_back(h.normal);
  }
  for (const WhenClause& w : model.when_clauses()) {
    for (const Literal condition : w.conditions) {
      found.triggers.push_back(g.select(condition, g.constant(1.0), g.constant(0.0)));
    }
  }
  for (const ModeExit& exit : model.exits()) {
    found.triggers.push_back(g.select(exit.condition, g.constant(1.0), g.constant(0.0)));
  }
  return found;
}

Layout layout_of_mode(const ModelDefinition& model, const ModeEquations& equations) {
  Layout layout = Layout::of_rows(model, equations.graph(), equations.nodes(), {});
  const std::unique_ptr<Graph> g = equations.graph().thaw();
  const std::vector<NodeId> nodes = switching_expressions(*g, model, equations).all();
  const SwitchTable table(*g, nodes);
  if (table.size() == 0) return layout;
  DerivativeSource source(*g, layout, equations.nodes());
  std::vector<Input> more;
  const auto look_at = [&](NodeId function, const auto& who) {
    for (const InputId id : inputs_read(*g, function)) {
      const Input in = g->input(id);
      if (!source.is_derivative(in)) continue;
      if (!source.occurs(id))
        throw ModelError(who(),
                         "reads " + g->input_name(id) +
                             ", which no equation contains: give it a variable and an equation");
      if (source.expression(id) == none) more.push_back(in);
    }
  };
  for (const SwitchEntry& e : table)
    look_at(e.g, [&] { return "relation '" + table.text(e.first) + "'"; });
  for (const HoldingRelation& h : model.holding_relations()) {
    for (const NodeId function : {h.ratio, h.normal})
      look_at(function, [&] { return "friction '" + h.name + "'"; });
  }
  if (more.empty()) return layout;
  return Layout::of_rows(model, equations.graph(), equations.nodes(), more);
}

}  // namespace saltus::detail
