#include "lower/compiled/contact_checks.hpp"

#include <saltus/core/text.hpp>

namespace saltus::detail {

std::optional<std::string> check_start(const ContactPlan& plan, const ContactMotion& motion) {
  for (std::uint32_t i = 0; i < plan.contacts().size(); ++i) {
    const ContactDefinition& c = plan.contacts()[i];
    const double gap = motion.value(i, ContactPlan::gap);
    const double closed_below = motion.small(i, ContactPlan::kept_gap);
    if (gap >= -closed_below && (!c.is_joint || gap <= closed_below)) continue;
    return (c.is_joint ? "joint " : "contact ") + quote(c.name) + " begins with a gap of " +
           to_text(gap) + (c.is_joint ? ": it must be 0" : ": bodies would overlap") +
           "; change the start values of positions";
  }
  return std::nullopt;
}

std::optional<std::string> check_coefficients(const ContactPlan& plan, const ContactMotion& motion,
                                              std::uint32_t contact, double slips_by) {
  const ContactDefinition& c = plan.contacts()[contact];
  if (!c.has_friction() || slips_by != 0) return std::nullopt;
  const double kinetic = motion.value(contact, ContactPlan::mu_kinetic);
  const double held = motion.value(contact, ContactPlan::mu_static);
  constexpr double same = 1e-6;  // at rest up to the error of an event
  if (held >= (1.0 - same) * kinetic) return std::nullopt;
  return "friction " + quote(c.friction_name) + " has a mu_static of " + to_text(held) +
         " at rest, below its mu_kinetic of " + to_text(kinetic);
}

std::optional<std::string> check_directions(const ContactPlan& plan, const ContactMotion& motion,
                                            ContactMotion::Group group) {
  for (const std::uint32_t i : group) {
    const ContactDefinition& c = plan.contacts()[i];
    const auto check = [&](std::uint32_t row, const std::string& who,
                           const std::string& what) -> std::optional<std::string> {
      const double w = motion.response(row, row);
      if (w > 0) return std::nullopt;
      return who + (w < 0
                        ? " acts the wrong way: it makes the " + what + " smaller (by " +
                              to_text(-w) + " per unit of force), change its sign in the equations"
                        : " has no effect on the " + what +
                              ": does the equation of motion contain "
                              "its force?");
    };
    if (auto said = check(c.row, "contact " + quote(c.name), "acceleration of its gap"))
      return said;
    if (!c.has_friction()) continue;
    if (auto said =
            check(c.friction_row, "friction " + quote(c.friction_name), "acceleration of its slip"))
      return said;
  }
  return std::nullopt;
}

}  // namespace saltus::detail
