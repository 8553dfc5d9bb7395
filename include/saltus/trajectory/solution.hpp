// What a run returns.
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

/// Look at report.outcome first: the trajectory is valid from t_begin to report.t_reached.
struct Solution {
  Trajectory trajectory;
  RunReport report;
  EventLog event_log;
  /// Of what was asked for (RunOptions::sensitivities).
  Sensitivities sensitivities = {};

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
  /// The value at the end. Throws Error if the variable does not exist in the last mode.
  double final(std::string_view variable) const;

  /// d variable / d parameter at a fixed time, right through events; at an event its limits differ.
  double sensitivity(std::string_view variable, std::string_view parameter, double t,
                     Side side = Side::right) const {
    return sensitivities.at(variable, parameter, t, side);
  }

  // ---- events ------------------------------------------------------------------------------------

  std::span<const Event> events() const { return event_log.events(); }
  std::span<const EventInstant> instants() const { return event_log.instants(); }
  /// In words: why it fired and what it led to. The event is one of events().
  std::string explain(const Event& event) const { return saltus::explain(event_log, event); }
  /// When events of that name happened, flips of locks included; empty if the run knows a relation,
  /// when-clause, input or transition of that name that never fired. Throws Error, naming the nearest name, if the run knows no such name,
  /// and if events were counted without being kept.
  std::vector<double> event_times(std::string_view name) const;
  /// Only those of one kind: crossings of a relation apart from where its surface holds the solution.
  std::vector<double> event_times(std::string_view name, EventKind kind) const;
  /// How the times of event_times(name) move with what was asked for (RunOptions::sensitivities), as far as that is
  /// known; `relation` says what was crossed there. Throws Error as event_times does.
  std::vector<EventTimeDerivative> event_time_derivatives(std::string_view name) const;
  /// The function of a relation over the run and the time left until its next event; without any rows if no
  /// mode of the run has it. Throws Error, naming
  /// the nearest name or the option to set, if it was not recorded (output.switching).
  SwitchingView switching(std::string_view name) const;
};

}  // namespace saltus
