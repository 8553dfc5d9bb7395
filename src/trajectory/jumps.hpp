// Jumps in words.
#pragma once

#include <string>
#include <vector>

#include <saltus/trajectory/events.hpp>

namespace saltus::detail {

/// "'v' from -4.43 to 3.987 m/s".
std::string jump_text(const Jump& jump);

/// Less than a hundredth of the tolerance, as far as that is known: rounding of a search for consistent
/// values, no news to anybody.
inline bool is_unnoticeable(const Jump& jump) {
  return jump.in_tolerances > 0 && jump.in_tolerances < 0.01;
}

/// Jumps of one cause, in units of the tolerance where these are known, else relative to the value.
std::vector<const Jump*> largest_first(const std::vector<Jump>& jumps, JumpCause cause);

}  // namespace saltus::detail
