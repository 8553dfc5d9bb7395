// Which way relations go that begin a run on their surface and at rest, as that of x > 0 does with x = t^2.
//
// A condition holds at the start if it does just after. Where a function and its rate vanish there a higher derivative
// decides; instead of that a short, accurate motion is followed until the function is clearly off its surface. What does
// not leave it within a hundredth of the run is left as it is, and so are backward runs and relations with a hysteresis.
#pragma once

#include "hybrid/mode/mode_run.hpp"

namespace saltus::detail {

/// From mode.start at t, the start of the run. Relations of the mode get the truth they have just after (settled by motion
/// on its board); if that selects other equations, the start is searched again.
void settle_first_motion(ModeRun& mode, double t);

}  // namespace saltus::detail
