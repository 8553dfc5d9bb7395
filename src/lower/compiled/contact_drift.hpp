// What contacts drift by between events, since (C.1) holds accelerations only, and how it is put right.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lower/compiled/contact_reading.hpp"

namespace saltus::detail {

/// How far gaps that are held closed, and velocities that are held at zero, have drifted: the largest, in what it would
/// be if unknowns were off by their tolerances.
double contact_drift(ContactReading& reading, double t, std::span<const double> x,
                     std::span<const double> xdot, std::span<const double> discrete,
                     std::span<const double> tolerance);
/// Positions, then velocities, go the way on which impulses would send them. False if there is no such way.
bool put_contacts_back(ContactReading& reading, double t, std::span<const double> discrete,
                       std::span<double> x);

/// Velocities that (C.1) keeps as they are begin at zero: what integration and location of the event have left of
/// them goes by impulses, in the directions of the forces.
void remove_remains(const ContactPlan& plan, const ContactMotion& motion,
                    std::span<const double> discrete, std::span<const std::uint32_t> from_rest,
                    std::span<double> x);
/// Where a contact touches, or impacts have accumulated, a gap is left that nobody can tell from none. Positions go the
/// way on which impulses would send them; else what is left would add up from touch to touch.
std::optional<std::string> close_gaps(ContactReading& reading, double t,
                                      const ContactMotion& motion, std::span<const double> discrete,
                                      std::span<double> x);

}  // namespace saltus::detail
