// What a run returns.
#pragma once

#include <string_view>
#include <vector>

#include <saltus/trajectory/report.hpp>
#include <saltus/trajectory/trajectory.hpp>

namespace saltus {

/// Look at report.outcome first: the trajectory is valid from t_begin to report.t_reached.
struct Solution {
  Trajectory trajectory;
  RunReport report;

  bool ok() const { return report.ok(); }
  double t_begin() const { return report.t_begin; }
  double t_end() const { return report.t_reached; }
  /// The value of a variable or output at any time of the solution.
  double at(std::string_view variable, double t, Side side = Side::right) const {
    return trajectory.at(variable, t, side);
  }
  double derivative_at(std::string_view variable, double t, Side side = Side::right) const {
    return trajectory.derivative_at(variable, t, side);
  }
  /// The value at the end.
  double final(std::string_view variable) const;
};

}  // namespace saltus
