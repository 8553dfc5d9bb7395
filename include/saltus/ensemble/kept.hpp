// What is kept of each run of a sweep: numbers, one per column.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <saltus/modelica/measure.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus {

/// In a column: the run has no such value (a variable that does not exist in its last mode, the time of an event that never
/// happened).
inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();
inline bool is_absent(double value) { return std::isnan(value); }

struct Kept {
  struct AtTime {
    std::string variable;
    double t = 0.0;
  };
  /// Of a variable or output at the end, or of the time of an event: "first(stop)", "last(stop)".
  struct Slope {
    std::string variable, parameter;
  };
  std::vector<std::string> end;          // variables and outputs at the end of the run: x(end)
  std::vector<AtTime> at;                // x(2.5)
  std::vector<std::string> counts;       // events: count(stop)
  std::vector<std::string> first, last;  // their times: first(stop), last(stop)
  std::vector<Slope> slopes;             // at the end: d(x)/d(k)
  std::vector<Measure> where;            // made of the whole run, under names of their own

  std::vector<std::string> columns() const;
  /// Throws Error for names that are none of a run's, which need not have gone far. A model with several modes tells the
  /// names of its events only as it enters them.
  void check(const Solution& begun, bool has_all_events) const;
  /// Throws Error for names that no run has. The model is that of the run, with its values.
  std::vector<double> of(const Solution& solution, const ModelDefinition& model) const;
};

}  // namespace saltus
