#include "lower/compiled/contact_jumps.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/text.hpp>

namespace saltus::detail {

/// Between the two evaluations no time has passed and nothing was integrated, so drift is in both. Where branches meet
/// without a jump, an event that is located late by a time d finds a gap that is off by d times the jump of its rate, and
/// a velocity that is off by d times that of its acceleration.
ContactJump ContactJumps::of(const ContactMotion& motion, std::uint32_t contact) const {
  ContactJump jump;
  if (before_.empty()) return jump;
  const auto difference = [&](ContactPlan::Value which) {
    return motion.value(contact, which) - before_[contact * ContactPlan::n_values + which];
  };
  double acceleration = 0.0;
  for (const double a : motion.free) acceleration = std::max(acceleration, std::abs(a));
  constexpr double safety = 2.0;
  const double late = safety * time_error_;
  // Smaller jumps are none, as gaps of this size are.
  const auto unless_explained = [&](ContactPlan::Kept which, double by, double explained) {
    return std::abs(by) > motion.small(contact, which) + explained ? by : 0.0;
  };
  const double rate = difference(ContactPlan::rate);
  jump.gap = unless_explained(ContactPlan::kept_gap, difference(ContactPlan::gap),
                              late * (std::abs(rate) + time_error_ * acceleration));
  jump.rate = unless_explained(ContactPlan::kept_rate, rate, late * acceleration);
  jump.slip =
      unless_explained(ContactPlan::kept_slip, difference(ContactPlan::slip), late * acceleration);
  return jump;
}

std::string ContactJumps::text(const ContactMotion& motion, std::uint32_t contact,
                               ContactPlan::Value which) const {
  const ContactDefinition& c = plan_.contacts()[contact];
  const std::string what = which == ContactPlan::gap ? "gap of " + quote(c.name)
                           : which == ContactPlan::rate
                               ? "rate of the gap of " + quote(c.name)
                               : "slip velocity of " + quote(c.friction_name);
  // What is left of zero by rounding and integration would hide what is meant.
  const double least = motion.small(contact, which == ContactPlan::gap    ? ContactPlan::kept_gap
                                             : which == ContactPlan::rate ? ContactPlan::kept_rate
                                                                          : ContactPlan::kept_slip);
  const auto rounded = [&](double v) { return std::abs(v) <= least ? 0.0 : v; };
  return "the " + what + " jumps from " +
         to_text(rounded(before_[contact * ContactPlan::n_values + which])) + " to " +
         to_text(rounded(motion.value(contact, which)));
}

std::string ContactJumps::felt(const ContactMotion& motion, std::uint32_t contact,
                               const ContactJump& jump, std::span<const double> discrete) const {
  const ContactDefinition& c = plan_.contacts()[contact];
  const bool is_closed = c.is_joint || discrete[c.closed] != 0;
  // One that is open does not feel anything unless it touches now; or touched, if nothing had jumped.
  const double gap = motion.value(contact, ContactPlan::gap);
  const double closed_below = motion.small(contact, ContactPlan::kept_gap);
  const bool meets = gap <= closed_below || gap - jump.gap <= closed_below;
  if (jump.gap != 0 && (is_closed || meets)) return text(motion, contact, ContactPlan::gap);
  if (!is_closed) return {};
  if (jump.rate != 0) return text(motion, contact, ContactPlan::rate);
  if (!c.has_friction() || jump.slip == 0) return {};
  const double onward = discrete[c.direction] * motion.value(contact, ContactPlan::slip);
  if (discrete[c.sticks] == 0 && onward > motion.small(contact, ContactPlan::kept_slip)) return {};
  return text(motion, contact, ContactPlan::slip);
}

std::optional<std::string> ContactJumps::check_overlap(const ContactMotion& motion,
                                                       std::span<const ContactJump> jumps) const {
  for (std::uint32_t i = 0; i < jumps.size(); ++i) {
    const ContactDefinition& c = plan_.contacts()[i];
    const double gap = motion.value(i, ContactPlan::gap);
    const bool overlaps = jumps[i].gap < 0 && gap < -motion.small(i, ContactPlan::kept_gap);
    if (c.is_joint ? jumps[i].gap == 0 : !overlaps) continue;
    return text(motion, i, ContactPlan::gap) +
           (c.is_joint ? ": a joint keeps it at 0" : ": bodies would overlap");
  }
  return std::nullopt;
}

}  // namespace saltus::detail
