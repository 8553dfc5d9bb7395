// Holds derivatives of a solution with respect to parameters and start values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/side.hpp>
#include <saltus/trajectory/trajectory.hpp>

namespace saltus {

/// Says how the time of an event depends on the parameters.
struct EventTimeDerivative {
  double t = 0.0;
  std::string relation;
  std::vector<double> derivatives;  // in the order of Sensitivities::parameters
};

/// A time from which on derivatives do not exist, or are not known.
struct NoDerivative {
  double t = 0.0;
  std::string why;
};

/// The worst of the derivatives that change too fast to be stored at all times with the requested
/// accuracy.
struct CoarseDerivative {
  std::string column;
  double t = 0.0;
  double off = 0.0;
};

/// Rates of the variables along the solution just before an event whose time moves. They give the
/// contribution of its motion to values taken at the event instead of at a fixed time.
struct RatesBeforeEvent {
  double t = 0.0;
  std::vector<std::optional<double>> of;  // variables of the model; nothing: not known
};

/// The cost of derivatives beside the run itself.
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
  /// Returns d variable / d parameter at a fixed time; at an event its limits differ. Throws Error
  /// naming the nearest known name, or with the reason where derivatives have ended.
  double at(std::string_view variable, std::string_view parameter, double t,
            Side side = Side::right) const;
  const std::vector<EventTimeDerivative>& event_times() const { return event_times_; }
  /// Returns where the derivatives end; empty: at the end of the run.
  const std::optional<NoDerivative>& ends() const { return ends_; }
  /// Returns the coarsest derivative; empty: all have the requested accuracy between steps, too.
  const std::optional<CoarseDerivative>& coarsest() const { return coarsest_; }
  /// Returns dx/dt just before the last event whose time moves, if that is at t; empty if it is not
  /// known.
  std::optional<double> rate_before_event(std::string_view variable, double t) const;
  /// Returns the derivatives as a trajectory whose variables are called "d(x)/d(k)".
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
