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

/// When functions will be zero if they go on as they do at a point, and how far errors of the solution move that.
class NextCrossings {
 public:
  /// `sense`: 1 if time increases along the run, else -1.
  NextCrossings(const Columns& columns, const FollowedPoint& at, const MotionAtEvent& motion,
                double sense);
  /// Functions that are nearer to zero than their own error of time and this one allow to tell.
  std::vector<std::uint32_t> within(double error) const;
  double error_of_time(std::uint32_t which) const { return error_[which]; }
  double until(std::uint32_t which) const { return until_[which]; }

 private:
  std::vector<double> until_, error_;  // infinite and 0 where a function is not followed
};

/// Per column. None if the derivative does not exist or is not known: columns have ended, by name.
std::optional<std::vector<double>> time_derivatives(Columns& columns, const FollowedPoint& left,
                                                    const FollowedCrossing& crossing,
                                                    const MotionAtEvent& motion);

}  // namespace saltus::detail
