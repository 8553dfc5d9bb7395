// Jumps in words.
#pragma once

#include <string>
#include <vector>

#include <saltus/trajectory/events.hpp>

namespace saltus::detail {

/// "'v' from -4.43 to 3.987 m/s".
std::string jump_text(const Jump& jump);

/// Jumps of one cause, in units of the tolerance where these are known, else relative to the value.
std::vector<const Jump*> largest_first(const std::vector<Jump>& jumps, JumpCause cause);

}  // namespace saltus::detail
