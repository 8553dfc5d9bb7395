// Side: left and right limits in time.
#pragma once

namespace saltus {

/// Selects a limit at a time where something jumps.
enum class Side { left, right };

}  // namespace saltus
