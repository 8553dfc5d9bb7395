// What a model may not ask of its contacts, said in words.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lower/compiled/contact_motion.hpp"

namespace saltus::detail {

/// A run begins where its contacts may be.
std::optional<std::string> check_start(const ContactPlan& plan, const ContactMotion& motion);
/// What sticks holds at least as much as what slips; at other velocities a law may say what it likes.
std::optional<std::string> check_coefficients(const ContactPlan& plan, const ContactMotion& motion,
                                              std::uint32_t contact, double slips_by);
/// Forces push the way of their contacts.
std::optional<std::string> check_directions(const ContactPlan& plan, const ContactMotion& motion,
                                            ContactMotion::Group group);

}  // namespace saltus::detail
