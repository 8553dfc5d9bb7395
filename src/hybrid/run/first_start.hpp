// The start of the mode that a run begins in.
#pragma once

#include <optional>

#include <saltus/initialize/restart.hpp>

#include "hybrid/mode/mode_search.hpp"
#include "hybrid/stay/frame.hpp"

namespace saltus::detail {

/// Opens what is recorded, and makes the mode that the run is in ready to start; what is decided is reported. Values that
/// were stated may have to jump before any time has passed: `jump`, if that is known already.
Result<void> begin_first_mode(const Frame& frame, const ModeSet& modes,
                              std::optional<Restart> jump);
/// Transitions that hold there: the mode may be left before any time has passed. A failure if it requires what does not
/// hold.
Result<InstantResult> left_at_start(const Frame& frame);

}  // namespace saltus::detail
