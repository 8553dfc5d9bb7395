#pragma once

namespace saltus {

/// Which limit is meant at a time where something jumps.
enum class Side { left, right };

}  // namespace saltus
