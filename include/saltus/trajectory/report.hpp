// What a run says about itself.
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

/// How a run ended. In every case the trajectory is valid from t_begin to t_reached.
enum class Outcome : std::uint8_t {
  finished,         ///< t_reached is the end asked for
  stopped,          ///< the observer asked to stop
  step_limit,       ///< limits.max_steps accepted steps were taken
  event_limit,      ///< limits.max_events events were handled
  wall_time_limit,  ///< limits.max_wall_time_s has passed
  failed,           ///< the integrator could not go on; the message says why and where
  not_started,      ///< no consistent start was found: the trajectory is empty
  terminal_event,  ///< an event ended the run, as the model or an option wishes; the message says which
  accumulation,  ///< events come ever faster (Zeno) or without end; the message says which and why
  undecided,  ///< the run stopped at a surface where it was asked to (events.surface = stop), and nobody chose
};
std::string_view name(Outcome outcome) noexcept;

/// Something a user left to the solver, or the solver could not keep.
struct DecisionRecord {
  std::string name;
  std::string given;
  std::string used;
  std::string reason;
};

/// A mode and the surfaces it slides on, as results call it: "belt", "belt, sliding on v > 0 and w > 0",
/// "sliding on v > 0" if the model has no modes.
std::string configuration_text(std::string_view mode, std::span<const std::string> sliding);

/// One stay of an engine in a mode is added to the entry of that mode, engine and surfaces.
struct ModeWork {
  std::string mode;
  std::string engine;
  std::string linear_solver;
  std::uint32_t n_unknowns = 0;
  WorkCounts work;
  /// Evaluations of the equations of one side of all surfaces: one evaluation of motion on a surface takes two.
  std::uint64_t n_side_evaluations = 0;
  /// Relations on whose surfaces it slid: an evaluation is then one of 2^n sides together.
  std::vector<std::string> sliding = {};
};

/// What a run knows of one mode that it has entered, if only tentatively.
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

/// How well a declared invariant was kept, at the ends of accepted steps.
struct InvariantRecord {
  std::string name;
  std::string unit;
  double initial = 0.0;
  double last = 0.0;
  double largest_deviation = 0.0;  // value - initial, where its size was largest
  double t_largest = 0.0;
};

/// What it took to watch one switching function, and what came of it.
struct SwitchWork {
  std::string name;
  std::uint64_t n_steps = 0;      // it was watched on so many; the next three add up to this
  std::uint64_t n_proven = 0;     // certified that nothing was overlooked
  std::uint64_t n_heuristic = 0;  // looked at in samples
  std::uint64_t n_marginal = 0;   // a touch, or too close to the tolerance to tell from none
  std::uint64_t n_evaluations = 0;
  std::uint64_t n_events = 0;  // crossings that interrupted the solution
  std::uint64_t n_flips = 0;   // crossings that only flipped the lock

  friend bool operator==(const SwitchWork&, const SwitchWork&) = default;
};

/// A step on which the tolerances do not tell whether a surface was met. (An event that was found has its own
/// guarantee.)
struct MarginalMark {
  std::string relation;
  double t_from = 0.0, t_to = 0.0;  // the step, or as much of it as was taken
  double t = 0.0;                   // about where its function is nearest to zero
  double distance = 0.0;            // from zero there; 0 where it touched or crossed and came back
  double error = 0.0;               // how far the function may be off there

  friend bool operator==(const MarginalMark&, const MarginalMark&) = default;
};

/// What events cost, beyond the steps of a run without any. Evaluations are those of the equations,
/// and are part of the counts per mode as well.
struct EventWork {
  EventCounts counts;
  bool off = false;             // relations were frozen at the start: nothing was watched
  std::uint64_t n_located = 0;  // times found along a step
  std::uint64_t n_evaluations_locate = 0;   // steps repeated to end at an event
  std::uint64_t n_evaluations_iterate = 0;  // consistent values at events
  std::uint64_t n_evaluations_analyse = 0;  // the index of each mode, when it was first entered
  /// Inner points of steps beyond a surface at which their side ends: it was continued from there
  /// (events.beyond), and what that took beyond one evaluation per point.
  std::uint64_t n_continued = 0;
  std::uint64_t n_evaluations_one_sided = 0;
  std::uint64_t n_one_sided_steps = 0;  // given up at a surface
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
  std::vector<ModeVisit>
      modes;  // and surfaces, in the order in which they were first entered; empty if there is one
  std::vector<InvariantRecord> invariants;
  std::vector<SwitchWork> switches;
  /// The first of those that SwitchWork::n_marginal counts, in order of time.
  std::vector<MarginalMark> marginal;
  static constexpr std::size_t most_marginal = 1000;
  /// Names that events can have without having happened: when-clauses, inputs and transitions of the model
  /// as far as the run knows it. (Those of relations are in `switches`.)
  std::vector<std::string> event_names;
  EventWork events;
  std::vector<std::string> warnings;

  /// The end asked for was reached, or one the model asks for.
  bool ok() const { return outcome == Outcome::finished || outcome == Outcome::terminal_event; }
  /// Sum over modes.
  WorkCounts total_work() const;
  /// On every step every switching function was proven to have no other events than those found, and
  /// none of these was marginal.
  bool all_transitions_smooth() const;
};

/// Whether all transitions were smooth, and if not, where to look first. Empty if nothing switches.
std::string smoothness_sentence(const RunReport& report);

/// For people: outcome, what was chosen, work.
std::string to_text(const RunReport& report);

}  // namespace saltus
