// What contacts drift by between events, since (C.1) holds accelerations only, and how it is put right.
#include <algorithm>
#include <cmath>

#include "lower/compiled_contacts.hpp"
#include "lower/compiled_workspace.hpp"

namespace saltus::detail {

std::vector<double> CompiledContacts::kept_sizes(double t, std::span<const double> x,
                                                 std::span<const double> xdot,
                                                 std::span<const double> size, Over over) {
  workspace_.run_at_event(kept_gradients_, t, x, xdot);
  const auto gradient = kept_gradients_.evaluator.outputs();
  const CscPattern& p = plan_.kept_pattern;
  std::vector<double> sizes(plan_.contacts().size() * ContactPlan::n_kept, 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto s = static_cast<std::size_t>(p.column_start[j]);
         s < static_cast<std::size_t>(p.column_start[j + 1]); ++s) {
      double& of_row = sizes[static_cast<std::size_t>(p.row[s])];
      const double part = std::abs(gradient[s]) * size[j];
      of_row = over == Over::sum ? of_row + part : std::max(of_row, part);
    }
  }
  return sizes;
}

double CompiledContacts::drift(double t, std::span<const double> x, std::span<const double> xdot,
                               std::span<const double> discrete,
                               std::span<const double> tolerance) {
  const ContactRows& rows = plan_.rows();
  const std::vector<double> now = watched(t, x, xdot);
  const std::size_t n = plan_.contacts().size();
  std::vector<double> off(n * ContactPlan::n_kept, 0.0);
  bool is_off = false;
  for (std::size_t i = 0; i < n; ++i) {
    const ContactDefinition& c = plan_.contacts()[i];
    const double* values = now.data() + i * ContactPlan::n_values;
    double* of_contact = off.data() + i * ContactPlan::n_kept;
    const auto is_held = [&](std::uint32_t row) { return discrete[rows.first_on + row] != 0; };
    if (is_held(c.row)) {
      of_contact[ContactPlan::kept_gap] = std::abs(values[ContactPlan::gap]);
      of_contact[ContactPlan::kept_rate] = std::abs(values[ContactPlan::rate]);
    }
    if (c.has_friction() && is_held(c.friction_row))
      of_contact[ContactPlan::kept_slip] = std::abs(values[ContactPlan::slip]);
    for (std::size_t k = 0; k < ContactPlan::n_kept; ++k) is_off = is_off || of_contact[k] != 0;
  }
  if (!is_off) return 0.0;
  const std::vector<double> allowed = kept_sizes(t, x, xdot, tolerance, Over::sum);
  double most = 0.0;
  for (std::size_t k = 0; k < off.size(); ++k) {
    if (allowed[k] > 0) most = std::max(most, off[k] / allowed[k]);
  }
  return std::isfinite(most) ? most : 0.0;
}

/// Velocities after positions, for they depend on them.
bool CompiledContacts::put_back(double t, std::span<const double> discrete, std::span<double> x) {
  std::vector<double> moved(x.begin(), x.end());
  Motion motion;
  if (evaluate(t, moved, motion)) return false;
  if (close_gaps(t, motion, discrete, moved)) return false;
  if (evaluate(t, moved, motion)) return false;
  remove_remains(motion, discrete, {}, moved);
  std::copy(moved.begin(), moved.end(), x.begin());
  return true;
}

}  // namespace saltus::detail
