// Derivatives of a solution with respect to parameters and start values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/side.hpp>
#include <saltus/trajectory/trajectory.hpp>

namespace saltus {

/// How the time of an event depends on what was asked for.
struct EventTimeDerivative {
  double t = 0.0;
  std::string relation;
  std::vector<double> derivatives;  // in the order of Sensitivities::parameters
};

/// From somewhere on derivatives do not exist, or are not known.
struct NoDerivative {
  double t = 0.0;
  std::string why;
};

/// A derivative that changes too fast to be kept at all times as accurately as asked for: the worst.
struct CoarseDerivative {
  std::string column;
  double t = 0.0;
  double off = 0.0;
};

/// How variables change along the solution just before an event whose time moves: what its motion adds where they are
/// asked for at the event, not at a time.
struct RatesBeforeEvent {
  double t = 0.0;
  std::vector<std::optional<double>> of;  // variables of the model; nothing: not known
};

/// What derivatives cost beside the run itself.
struct SensitivityWork {
  std::uint64_t n_steps = 0;
  std::uint64_t n_rejected_steps = 0;
  std::uint64_t n_jacobians = 0;
  std::uint64_t n_factorizations =
      0;  // of three times the number of unknowns, and of that number: two
};

class Sensitivities {
 public:
  Sensitivities() = default;
  Sensitivities(std::vector<std::string> parameters, Trajectory derivatives,
                std::vector<EventTimeDerivative> event_times, std::optional<NoDerivative> ends,
                SensitivityWork work = {}, std::optional<CoarseDerivative> coarsest = {},
                std::optional<RatesBeforeEvent> rates = {})
      : parameters_(std::move(parameters)),
        derivatives_(std::move(derivatives)),
        event_times_(std::move(event_times)),
        ends_(std::move(ends)),
        work_(work),
        coarsest_(std::move(coarsest)),
        rates_(std::move(rates)) {}

  const std::vector<std::string>& parameters() const { return parameters_; }
  /// d variable / d parameter at a fixed time; at an event its limits differ. Throws Error, naming the nearest known name, and
  /// where derivatives have ended with the reason.
  double at(std::string_view variable, std::string_view parameter, double t,
            Side side = Side::right) const;
  const std::vector<EventTimeDerivative>& event_times() const { return event_times_; }
  /// Up to where they are known; empty: to the end.
  const std::optional<NoDerivative>& ends() const { return ends_; }
  /// Empty: all are as accurate as asked for between steps, too.
  const std::optional<CoarseDerivative>& coarsest() const { return coarsest_; }
  /// dx/dt just before the last event whose time moves, if that is at t; empty if it is not known.
  std::optional<double> rate_before_event(std::string_view variable, double t) const;
  /// Variables are called "d(x)/d(k)".
  const Trajectory& trajectory() const { return derivatives_; }
  const SensitivityWork& work() const { return work_; }
  static std::string column(std::string_view variable, std::string_view parameter);

 private:
  std::vector<std::string> parameters_;
  Trajectory derivatives_;
  std::vector<EventTimeDerivative> event_times_;
  std::optional<NoDerivative> ends_;
  SensitivityWork work_;
  std::optional<CoarseDerivative> coarsest_;
  std::optional<RatesBeforeEvent> rates_;
};

}  // namespace saltus
