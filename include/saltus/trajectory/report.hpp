// What a run says about itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/core/options.hpp>
#include <saltus/system/work.hpp>

namespace saltus {

/// How a run ended. In every case the trajectory is valid from t_begin to t_reached.
enum class Outcome : std::uint8_t {
  finished,         ///< t_reached is the end asked for
  stopped,          ///< the observer asked to stop
  step_limit,       ///< limits.max_steps accepted steps were taken
  event_limit,      ///< limits.max_events events were handled
  wall_time_limit,  ///< limits.max_wall_time_s has passed
  failed,           ///< the integrator could not go on; the message says why and where
  not_started,      ///< no consistent start was found: the trajectory is empty
};
std::string_view name(Outcome outcome) noexcept;

/// Something a user left to the solver, or the solver could not keep.
struct DecisionRecord {
  std::string name;
  std::string given;
  std::string used;
  std::string reason;
};

/// One stay of an engine in a mode is added to the entry of that mode and engine.
struct ModeWork {
  std::string mode;
  std::string engine;
  std::string linear_solver;
  std::uint32_t n_unknowns = 0;
  WorkCounts work;
};

/// How well a declared invariant was kept, at the ends of accepted steps.
struct InvariantRecord {
  std::string name;
  std::string unit;
  double initial = 0.0;
  double last = 0.0;
  double largest_deviation = 0.0;  // value - initial, where its size was largest
  double t_largest = 0.0;
};

struct RunReport {
  std::string model;
  Outcome outcome = Outcome::not_started;
  std::string message;                 // one sentence; empty if there is nothing to say
  std::optional<FailureCode> failure;  // for `failed` and `not_started`
  double t_begin = 0.0;
  double t_requested = 0.0;
  double t_reached = 0.0;
  double wall_time_s = 0.0;

  std::vector<OptionPair> options;      // all, given beside default
  std::vector<DecisionRecord> choices;  // engine, linear solver, tolerances, changed start values
  std::vector<ModeWork> work;
  std::vector<InvariantRecord> invariants;
  std::vector<std::string> warnings;

  bool ok() const { return outcome == Outcome::finished; }
  /// Sum over modes.
  WorkCounts total_work() const;
};

/// For people: outcome, what was chosen, work.
std::string to_text(const RunReport& report);

}  // namespace saltus
