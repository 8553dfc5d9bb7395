#include "lower/compiled/contact_motion.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/numerics/linear_solver.hpp>

namespace saltus::detail {

namespace {

/// Rows whose matrix is conditioned worse depend on each other.
constexpr double dependent = 1e-12;

}  // namespace

std::uint32_t ContactMotion::row_of(Group group, std::size_t j) const {
  const bool is_normal = j < group.size();
  const ContactDefinition& c = plan_->contacts()[group[is_normal ? j : j - group.size()]];
  return is_normal ? c.row : c.friction_row;
}

std::vector<double> ContactMotion::free_of(Group group) const {
  std::vector<double> of_group(2 * group.size(), 0.0);
  for (std::size_t j = 0; j < of_group.size(); ++j) {
    if (const std::uint32_t row = row_of(group, j); row != none) of_group[j] = free[row];
  }
  return of_group;
}

Matrix ContactMotion::response_of(Group group) const {
  const auto n = static_cast<std::uint32_t>(2 * group.size());
  Matrix of_group(n, n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t row = row_of(group, i);
    if (row == none) continue;
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t column = row_of(group, j);
      if (column != none) of_group(i, j) = response(row, column);
    }
  }
  return of_group;
}

std::vector<ContactLaw> ContactMotion::laws_of(Group group, const ContactEvent& event) const {
  std::vector<ContactLaw> laws;
  for (const std::uint32_t i : group) {
    const ContactDefinition& c = plan_->contacts()[i];
    ContactLaw law;
    law.name = c.name;
    law.bilateral = c.is_joint;
    law.frictional = c.has_friction();
    law.mu_kinetic = value(i, ContactPlan::mu_kinetic);
    law.mu_static = std::max(law.mu_kinetic, value(i, ContactPlan::mu_static));
    const bool is_slow = std::abs(value(i, ContactPlan::rate)) < c.rest_velocity;
    law.restitution = is_slow || i == event.rest_of ? 0.0 : value(i, ContactPlan::restitution);
    laws.push_back(std::move(law));
  }
  return laws;
}

void ContactMotion::apply(std::uint32_t row, double impulse, std::span<double> x) const {
  if (impulse == 0) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (plan_->carries_derivative[i]) x[i] += impulse * effect[row][i];
  }
}

void ContactMotion::strike(Group group, const ContactSolution& impulses,
                           std::span<double> x) const {
  for (std::size_t i = 0; i < group.size(); ++i) {
    const ContactDefinition& c = plan_->contacts()[group[i]];
    apply(c.row, impulses.contacts[i].normal_force, x);
    if (c.has_friction()) apply(c.friction_row, impulses.contacts[i].tangential_force, x);
  }
}

std::optional<std::vector<double>> ContactMotion::held_back(
    std::span<const double> discrete, std::span<const std::uint32_t> further,
    std::span<const double> velocity) const {
  const ContactRows& rows = plan_->rows();
  std::vector<std::uint32_t> held;
  std::vector<double> impulse, by_row(rows.n, 0.0);
  for (std::uint32_t row = 0; row < rows.n; ++row) {
    const bool is_further = std::find(further.begin(), further.end(), row) != further.end();
    if (discrete[rows.first_on + row] == 0 && !is_further) continue;
    held.push_back(row);
    impulse.push_back(-velocity[row]);
  }
  const auto n = static_cast<index_t>(held.size());
  CscPattern full{n, n, {0}, {}};
  std::vector<double> entries;
  for (const std::uint32_t column : held) {
    for (index_t i = 0; i < n; ++i) {
      full.row.push_back(i);
      entries.push_back(response(held[static_cast<std::size_t>(i)], column));
    }
    full.column_start.push_back(full.nnz());
  }
  LinearSolver<double> solver(full, LinearSolverKind::dense);
  if (held.empty()) return by_row;
  if (!solver.factor(entries) || solver.reciprocal_condition() < dependent) return std::nullopt;
  solver.solve(impulse);
  for (std::size_t i = 0; i < held.size(); ++i) by_row[held[i]] = impulse[i];
  return by_row;
}

/// What lies on its surface as far as roundings tell is on none.
double ContactMotion::hop_time(std::uint32_t contact) const {
  const double acceleration = std::abs(free[plan_->contacts()[contact].row]);
  const double rate = value(contact, ContactPlan::rate);
  const double gap = value(contact, ContactPlan::gap);
  const double height = gap <= small(contact, ContactPlan::kept_gap) ? 0.0 : gap;
  const double fall = std::sqrt(rate * rate + 2 * acceleration * height);
  return fall == 0 ? 0.0 : 2 * fall / acceleration;
}

/// What bounces for itself does not end with others.
std::vector<std::uint8_t> ContactMotion::coupled_with(std::uint32_t contact,
                                                      std::span<const std::uint8_t> pushes) const {
  const auto rows_of = [&](std::uint32_t i) {
    const ContactDefinition& c = plan_->contacts()[i];
    return c.has_friction() ? std::vector<std::uint32_t>{c.row, c.friction_row}
                            : std::vector<std::uint32_t>{c.row};
  };
  const auto feels = [&](std::uint32_t i, std::uint32_t j) {
    return std::ranges::any_of(rows_of(i), [&](std::uint32_t row) {
      return std::ranges::any_of(rows_of(j),
                                 [&](std::uint32_t column) { return response(row, column) != 0; });
    });
  };
  const auto n = static_cast<std::uint32_t>(plan_->contacts().size());
  std::vector<std::uint8_t> coupled(n, 0);
  std::vector<std::uint32_t> open{contact};
  coupled[contact] = 1;
  while (!open.empty()) {
    const std::uint32_t j = open.back();
    open.pop_back();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (coupled[i] != 0 || !feels(i, j)) continue;
      coupled[i] = 1;
      if (pushes[i] != 0) open.push_back(i);
    }
  }
  return coupled;
}

}  // namespace saltus::detail
