#include "lower/compiled/contact_drift.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

double contact_drift(ContactReading& reading, double t, std::span<const double> x,
                     std::span<const double> xdot, std::span<const double> discrete,
                     std::span<const double> tolerance) {
  const ContactPlan& plan = reading.plan();
  const ContactRows& rows = plan.rows();
  const std::vector<double> now = reading.values(t, x, xdot);
  const std::size_t n = plan.contacts().size();
  std::vector<double> off(n * ContactPlan::n_kept, 0.0);
  bool is_off = false;
  for (std::size_t i = 0; i < n; ++i) {
    const ContactDefinition& c = plan.contacts()[i];
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
  const std::vector<double> allowed =
      reading.kept_sizes(t, x, xdot, tolerance, ContactReading::Over::sum);
  double most = 0.0;
  for (std::size_t k = 0; k < off.size(); ++k) {
    if (allowed[k] > 0) most = std::max(most, off[k] / allowed[k]);
  }
  return std::isfinite(most) ? most : 0.0;
}

/// Velocities after positions, for they depend on them.
bool put_contacts_back(ContactReading& reading, double t, std::span<const double> discrete,
                       std::span<double> x) {
  std::vector<double> moved(x.begin(), x.end());
  ContactMotion motion(reading.plan());
  if (reading.evaluate(t, moved, motion)) return false;
  if (close_gaps(reading, t, motion, discrete, moved)) return false;
  if (reading.evaluate(t, moved, motion)) return false;
  remove_remains(reading.plan(), motion, discrete, {}, moved);
  std::copy(moved.begin(), moved.end(), x.begin());
  return true;
}

void remove_remains(const ContactPlan& plan, const ContactMotion& motion,
                    std::span<const double> discrete, std::span<const std::uint32_t> from_rest,
                    std::span<double> x) {
  std::vector<double> velocity(plan.rows().n, 0.0);
  for (std::uint32_t i = 0; i < plan.contacts().size(); ++i) {
    const ContactDefinition& c = plan.contacts()[i];
    velocity[c.row] = motion.value(i, ContactPlan::rate);
    if (c.has_friction()) velocity[c.friction_row] = motion.value(i, ContactPlan::slip);
  }
  auto impulse = motion.held_back(discrete, from_rest, velocity);
  // They may depend on what is held.
  if (!impulse) impulse = motion.held_back(discrete, {}, velocity);
  for (std::uint32_t row = 0; impulse && row < impulse->size(); ++row)
    motion.apply(row, (*impulse)[row], x);
}

std::optional<std::string> close_gaps(ContactReading& reading, double t,
                                      const ContactMotion& motion, std::span<const double> discrete,
                                      std::span<double> x) {
  const ContactPlan& plan = reading.plan();
  std::vector<double> gaps(plan.rows().n, 0.0);
  for (std::uint32_t i = 0; i < plan.contacts().size(); ++i)
    gaps[plan.contacts()[i].row] = motion.value(i, ContactPlan::gap);
  const auto impulse = motion.held_back(discrete, {}, gaps);
  if (!impulse) return std::nullopt;
  std::vector<double> moved(x.begin(), x.end());
  for (std::uint32_t row = 0; row < impulse->size(); ++row)
    motion.apply(row, (*impulse)[row], moved);
  ContactMotion other(plan);
  if (auto said = reading.evaluate(t, x, other)) return said;
  const std::vector<double> rest(reading.xdot().begin(), reading.xdot().end());
  if (auto said = reading.evaluate(t, moved, other)) return said;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_position =
        plan.carries_derivative[i] &&
        std::all_of(motion.effect.begin(), motion.effect.end(),
                    [&](const std::vector<double>& effect) { return effect[i] == 0; });
    if (is_position) x[i] += reading.xdot()[i] - rest[i];
  }
  return std::nullopt;
}

}  // namespace saltus::detail
