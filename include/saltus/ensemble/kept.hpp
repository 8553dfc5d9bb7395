// The numbers that are kept of each run of a sweep, one per column.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <saltus/model/definition.hpp>
#include <saltus/model/measure.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus {

/// The value of a column that a run does not have: a variable that does not exist in the last mode,
/// or the time of an event that never happened.
inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();
inline bool is_absent(double value) { return std::isnan(value); }

struct Kept {
  struct AtTime {
    std::string variable;
    double t = 0.0;
  };
  /// Slope of a variable or output at the end, or of an event time: "first(stop)", "last(stop)".
  struct Slope {
    std::string variable, parameter;
  };
  std::vector<std::string> end;          // variables and outputs at the end of the run: x(end)
  std::vector<AtTime> at;                // x(2.5)
  std::vector<std::string> counts;       // events: count(stop)
  std::vector<std::string> first, last;  // their times: first(stop), last(stop)
  std::vector<Slope> slopes;             // at the end: d(x)/d(k)
  std::vector<Measure> where;            // computed from the whole run, under their own names

  std::vector<std::string> columns() const;
  /// Throws Error for unknown names; `begun` need not have gone far. A model with several modes
  /// makes the names of its events known only as it enters them (has_all_events).
  void check(const Solution& begun, bool has_all_events) const;
  /// Returns the values of a run. `model` is the model of the run, with its values. Throws Error
  /// for unknown names.
  std::vector<double> of(const Solution& solution, const ModelDefinition& model) const;
};

}  // namespace saltus
