// How far a solution may be off where events are judged.
#pragma once

namespace saltus::detail {

/// In tolerances: engines keep that of one step, errors of all steps add up.
inline constexpr double likely_error = 10.0;

}  // namespace saltus::detail
