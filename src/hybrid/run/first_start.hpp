// The start of the mode that a run begins in.
#pragma once

#include <optional>
#include <string>

#include <saltus/initialize/restart.hpp>

#include "hybrid/mode/mode_search.hpp"
#include "hybrid/run/parts.hpp"

namespace saltus::detail {

/// What is known of a run before it begins. Throws OptionError for options that do not fit the model.
void check_and_report(Ground& ground, std::string model_name);
/// Opens what is recorded, and makes the mode that the run is in ready to start; what is decided is reported. Values that
/// were stated may have to jump before any time has passed: `jump`, if that is known already.
Result<void> begin_first_mode(const Frame& frame, const ModeSet& modes,
                              std::optional<Restart> jump);
/// Transitions that hold there: the mode may be left before any time has passed. A failure if it requires what does not
/// hold.
Result<InstantResult> left_at_start(const Frame& frame);

}  // namespace saltus::detail
