// Which way relations go that begin a run on their surface and at rest, as that of x > 0 does with x = t^2.
//
// A condition holds at the start if it does just after. Where a function and its rate vanish there a higher derivative
// decides; instead of that a short, accurate motion is followed until the function is clearly off its surface.
#pragma once

#include <cstdint>
#include <vector>

#include "hybrid/mode_run.hpp"

namespace saltus::detail {

/// From mode.start at t. Relations of the mode get the truth they have just after; a start that depends on them is found
/// anew. Returns those that leave their surface.
std::vector<std::uint32_t> settle_first_motion(ModeRun& mode, double t);

}  // namespace saltus::detail
