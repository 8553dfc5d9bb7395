// Defines the result of a run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/trajectory/events.hpp>
#include <saltus/trajectory/report.hpp>
#include <saltus/trajectory/sensitivity.hpp>
#include <saltus/trajectory/switching.hpp>
#include <saltus/trajectory/trajectory.hpp>

namespace saltus {

/// The result of a run. Check report.outcome first: the trajectory is valid from t_begin to
/// report.t_reached.
struct Solution {
  Trajectory trajectory;
  RunReport report;
  EventLog event_log;
  /// The requested derivatives (RunOptions::sensitivities).
  Sensitivities sensitivities = {};

  bool ok() const { return report.ok(); }
  double t_begin() const { return report.t_begin; }
  double t_end() const { return report.t_reached; }
  /// Returns the value of a variable or output at any time of the solution.
  double at(std::string_view variable, double t, Side side = Side::right) const {
    return trajectory.at(variable, t, side);
  }
  double derivative_at(std::string_view variable, double t, Side side = Side::right) const {
    return trajectory.derivative_at(variable, t, side);
  }
  /// Returns the value at the end. Throws Error if the variable does not exist in the last mode.
  double final(std::string_view variable) const;

  /// Returns d variable / d parameter at a fixed time, also across events; at an event its limits
  /// differ.
  double sensitivity(std::string_view variable, std::string_view parameter, double t,
                     Side side = Side::right) const {
    return sensitivities.at(variable, parameter, t, side);
  }

  // ---- events -----------------------------------------------------------------------------------

  std::span<const Event> events() const { return event_log.events(); }
  std::span<const EventInstant> instants() const { return event_log.instants(); }
  /// Explains in words why an event fired and what it led to. The event is one of events().
  std::string explain(const Event& event) const { return saltus::explain(event_log, event); }
  /// Returns the times of events of that name, flips of locks included. Empty if the run knows a
  /// relation, when-clause, input or transition of that name that never fired. Throws Error, naming
  /// the nearest name, if the run knows no such name, and if events were counted without being
  /// kept.
  std::vector<double> event_times(std::string_view name) const;
  /// Returns only the times of events of one kind: separates crossings of a relation from sliding
  /// on its surface.
  std::vector<double> event_times(std::string_view name, EventKind kind) const;
  /// Returns how the times of event_times(name) depend on the parameters
  /// (RunOptions::sensitivities), as far as that is known; `relation` names the relation that was
  /// crossed. Throws Error as event_times does.
  std::vector<EventTimeDerivative> event_time_derivatives(std::string_view name) const;
  /// Returns the function of a relation over the run and the time left until its next event;
  /// without rows if no mode of the run has the relation. Throws Error, naming the nearest name or
  /// the option to set, if it was not recorded (output.switching).
  SwitchingView switching(std::string_view name) const;
};

}  // namespace saltus
