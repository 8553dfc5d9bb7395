// Reports on a run: outcome, choices, work, warnings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/core/options.hpp>
#include <saltus/system/work.hpp>
#include <saltus/trajectory/events.hpp>

namespace saltus {

/// Says how a run ended. In every case the trajectory is valid from t_begin to t_reached.
enum class Outcome : std::uint8_t {
  finished,         ///< t_reached is the requested end
  stopped,          ///< the observer asked to stop
  step_limit,       ///< limits.max_steps accepted steps were taken
  event_limit,      ///< limits.max_events events were handled
  wall_time_limit,  ///< limits.max_wall_time_s has passed
  failed,           ///< the integrator could not continue; the message says why and where
  not_started,      ///< no consistent start was found: the trajectory is empty
  terminal_event,   ///< a terminal event ended the run; the message names it
  accumulation,     ///< events accumulate (Zeno) or do not end; the message says which and why
  undecided,        ///< the run stopped at a surface (events.surface = stop), and no way was chosen
};
std::string_view name(Outcome outcome) noexcept;

/// A value that the user left to the solver, or that the solver could not keep.
struct DecisionRecord {
  std::string name;
  std::string given;
  std::string used;
  std::string reason;
};

/// Returns a mode and the surfaces on which it slides, as results name them: "belt", "belt, sliding
/// on v > 0 and w > 0", or "sliding on v > 0" if the model has no modes.
std::string configuration_text(std::string_view mode, std::span<const std::string> sliding);

/// The work per mode, engine and surfaces; each time an engine runs in a mode, its work is added.
struct ModeWork {
  std::string mode;
  std::string engine;
  std::string linear_solver;
  std::uint32_t n_unknowns = 0;
  WorkCounts work;
  /// Evaluations of the equations of one side of all surfaces: one evaluation of motion on a
  /// surface takes two.
  std::uint64_t n_side_evaluations = 0;
  /// Relations on whose surfaces it slid: an evaluation then combines 2^n sides.
  std::vector<std::string> sliding = {};
};

/// Statistics of one mode that a run has entered, if only tentatively.
struct ModeVisit {
  std::string mode;
  std::uint64_t n_stays = 0;      // times it was entered and time passed, or the run ended in it
  std::uint64_t n_tentative = 0;  // times it was a candidate without being taken, or left at once
  double duration = 0.0;          // time spent in it
  std::uint64_t n_analyses = 0;   // of its index: once, if it had to be known
  std::uint64_t n_reductions = 0;
  std::string values;  // "(1, 1, 6, 0, 0)": its characteristic values, if they were found
  std::vector<std::string> sliding =
      {};                 // relations on whose surfaces it stays: a part of the mode
  std::string form = {};  // of that motion: "eliminated", "mixed", "copies", "blended"
};

/// Says how well a declared invariant was conserved, at the ends of accepted steps.
struct InvariantRecord {
  std::string name;
  std::string unit;
  double initial = 0.0;
  double last = 0.0;
  double largest_deviation = 0.0;  // value - initial, where its size was largest
  double t_largest = 0.0;
};

/// The work of monitoring one switching function, and its results.
struct SwitchWork {
  std::string name;
  std::uint64_t n_steps = 0;      // steps on which it was monitored; the next three add up to this
  std::uint64_t n_proven = 0;     // proven that nothing was missed
  std::uint64_t n_heuristic = 0;  // checked by samples
  std::uint64_t n_marginal = 0;   // a touch, or indistinguishable from one within the tolerance
  std::uint64_t n_evaluations = 0;
  std::uint64_t n_events = 0;  // crossings that interrupted the solution
  std::uint64_t n_flips = 0;   // crossings that only flipped the lock

  friend bool operator==(const SwitchWork&, const SwitchWork&) = default;
};

/// A step on which the tolerances do not determine whether a surface was met. (An event that was
/// found has its own guarantee.)
struct MarginalMark {
  std::string relation;
  double t_from = 0.0, t_to = 0.0;  // the step, or the part of it that was taken
  double t = 0.0;                   // approximately where its function is nearest to zero
  double distance = 0.0;            // from zero there; 0 where it touched or crossed and came back
  double error = 0.0;               // how far the function may be off there

  friend bool operator==(const MarginalMark&, const MarginalMark&) = default;
};

/// The cost of events, beyond the steps of a run without any. Evaluations are those of the
/// equations, and are also part of the counts per mode.
struct EventWork {
  EventCounts counts;
  bool off = false;             // relations were frozen at the start: nothing was monitored
  std::uint64_t n_located = 0;  // times found along a step
  std::uint64_t n_evaluations_locate = 0;   // steps repeated to end at an event
  std::uint64_t n_evaluations_iterate = 0;  // consistent values at events
  std::uint64_t n_evaluations_analyse = 0;  // the index of each mode, when it was first entered
  /// Inner points of steps beyond a surface at which their side ends: the side was continued from
  /// there (events.beyond). The second count is the cost beyond one evaluation per point.
  std::uint64_t n_continued = 0;
  std::uint64_t n_evaluations_one_sided = 0;
  std::uint64_t n_one_sided_steps = 0;  // given up at a surface
};

struct RunReport {
  std::string model;
  Outcome outcome = Outcome::not_started;
  std::string message;                 // one sentence; empty if there is nothing to report
  std::optional<FailureCode> failure;  // for `failed` and `not_started`
  double t_begin = 0.0;
  double t_requested = 0.0;
  double t_reached = 0.0;
  double wall_time_s = 0.0;

  std::vector<OptionPair> options;      // all options, given values beside defaults
  std::vector<DecisionRecord> choices;  // engine, linear solver, tolerances, changed start values
  std::vector<ModeWork> work;
  std::vector<ModeVisit>
      modes;  // and surfaces, in the order in which they were first entered; empty if there is one
  std::vector<InvariantRecord> invariants;
  std::vector<SwitchWork> switches;
  /// The first of those that SwitchWork::n_marginal counts, in order of time.
  std::vector<MarginalMark> marginal;
  static constexpr std::size_t most_marginal = 1000;
  /// Names that events can have even if none happened: when-clauses, inputs and transitions of the
  /// model as far as the run knows it. (Those of relations are in `switches`.)
  std::vector<std::string> event_names;
  EventWork events;
  std::vector<std::string> warnings;

  /// Returns whether the run reached the requested end or a terminal event.
  bool ok() const { return outcome == Outcome::finished || outcome == Outcome::terminal_event; }
  /// Returns the sum over modes.
  WorkCounts total_work() const;
  /// Returns whether, on every step, every switching function was proven to have no other events
  /// than those found, and none of these was marginal.
  bool all_transitions_smooth() const;
};

/// Returns whether all transitions were smooth, and if not, where to look first. Empty if nothing
/// switches.
std::string smoothness_sentence(const RunReport& report);

/// Returns a readable text: outcome, choices, work.
std::string to_text(const RunReport& report);

}  // namespace saltus
