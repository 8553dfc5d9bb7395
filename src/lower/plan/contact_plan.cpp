#include "lower/plan/contact_plan.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/expr/differentiate.hpp>

namespace saltus::detail {

ContactPlan::ContactPlan(const ModelDefinition& model, const Layout& layout,
                         const CscPattern& system_pattern, std::uint32_t n_model_rows)
    : contacts_(model.contacts().begin(), model.contacts().end()),
      rows_(model.contact_rows()),
      impact_law_(model.impact_law()) {
  const std::unique_ptr<Graph> g = model.graph().thaw();
  const std::vector<InputSegment> segments = layout.segments(*g);
  const NodeId zero = g->constant(0.0);
  const auto or_zero = [&](NodeId node) { return node == none ? zero : node; };
  std::vector<NodeId> nodes, kept, by_row(rows_.n, zero);
  for (const ContactDefinition& c : contacts_) {
    for (const NodeId node : {c.gap, c.rate, c.restitution, c.slip, c.mu_kinetic, c.mu_static})
      nodes.push_back(or_zero(node));
    for (const NodeId node : {c.gap, c.rate, c.slip}) kept.push_back(or_zero(node));
    by_row[c.row] = c.acceleration;
    if (c.has_friction()) by_row[c.friction_row] = c.slip_acceleration;
  }
  values = compile(*g, outputs_in_order(*g, nodes), segments);
  accelerations = compile(*g, outputs_in_order(*g, by_row), segments);
  const Jacobian by_xdot = jacobian(*g, by_row, layout.xdot_segment());
  gradient_pattern = by_xdot.pattern;
  gradients = compile(*g, by_xdot.entries, segments);
  const Jacobian of_kept = jacobian(*g, kept, layout.x_segment());
  kept_pattern = of_kept.pattern;
  kept_gradients = compile(*g, of_kept.entries, segments);

  for (const Layout::Unknown& u : layout.unknowns())
    carries_derivative.push_back(u.carries_derivative ? 1 : 0);
  forces.resize(rows_.n);
  for (const ContactDefinition& c : contacts_) {
    forces[c.row] = layout.unknown_of(*g, {InputKind::algebraic, c.force, 0});
    if (c.has_friction())
      forces[c.friction_row] = layout.unknown_of(*g, {InputKind::algebraic, c.friction_force, 0});
  }
  split(system_pattern, n_model_rows - rows_.n);
}

/// Rows first_row … first_row + n - 1 of the system are (C.1).
void ContactPlan::split(const CscPattern& p, std::uint32_t first_row) {
  std::vector<std::uint32_t> place(static_cast<std::size_t>(p.n_rows), none);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(p.n_rows); ++i) {
    if (i >= first_row && i < first_row + rows_.n) continue;
    place[i] = static_cast<std::uint32_t>(motion_rows.size());
    motion_rows.push_back(i);
  }
  effects.resize(rows_.n);
  std::vector<index_t> at_row, at_column;
  for (std::uint32_t j = 0; j < static_cast<std::uint32_t>(p.n_cols); ++j) {
    const auto force = std::find(forces.begin(), forces.end(), j);
    const auto column = static_cast<index_t>(motion_unknowns.size());
    for (auto s = static_cast<std::size_t>(p.column_start[j]);
         s < static_cast<std::size_t>(p.column_start[j + 1]); ++s) {
      const std::uint32_t row = place[static_cast<std::size_t>(p.row[s])];
      if (row == none) continue;
      if (force != forces.end()) {
        effects[static_cast<std::size_t>(force - forces.begin())].push_back({row, s});
        continue;
      }
      at_row.push_back(static_cast<index_t>(row));
      at_column.push_back(column);
      motion_sources.push_back({s, carries_derivative[j] != 0});
    }
    if (force == forces.end()) motion_unknowns.push_back(j);
  }
  const auto n = static_cast<index_t>(motion_rows.size());
  SALTUS_ASSERT(motion_unknowns.size() == motion_rows.size());
  // Column by column and in order: slots stay what they are.
  motion_pattern = assemble(n, n, at_row, at_column).pattern;
}

}  // namespace saltus::detail
