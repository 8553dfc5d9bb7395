// How the time of a crossing moves, (Z.4).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sensitivity/columns.hpp"
#include "sensitivity/function_at_event.hpp"

namespace saltus::detail {

/// A switching function at a point of the solution: how it changes with each parameter at a fixed time, g_x S, and along
/// time.
struct FunctionMotion {
  std::vector<double> moved, sizes;    // per column; sums of absolute values of terms
  double rate = 0.0, terms = 0.0;      // along time, likewise
  double value = 0.0, rounding = 0.0;  // of the function itself, and what it may be off by
  double tolerance = 0.0;              // how much one tolerance of all unknowns changes it
  std::string missing;                 // why it is not known

  /// How it changes with a parameter at an instant that moves by tau: not, if that stays on the surface. 0 where that cannot
  /// be told from rounding.
  double moved_off(std::size_t column, double tau) const;
};
FunctionMotion motion_of(const Columns& columns, const FollowedPoint& at, std::uint32_t which,
                         const MotionAtEvent& motion);

/// Per column. None if the derivative does not exist or is not known: columns have ended, by name.
std::optional<std::vector<double>> time_derivatives(Columns& columns, const FollowedPoint& left,
                                                    const FollowedCrossing& crossing,
                                                    const MotionAtEvent& motion);

}  // namespace saltus::detail
