// Options of a run. describe() lists each field once; validation, option files, the command line,
// Python and the report follow from that list.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/core/restart_policy.hpp>
#include <saltus/hybrid/event_options.hpp>
#include <saltus/integrate/options.hpp>
#include <saltus/reduce/reduced_system.hpp>

namespace saltus {

/// Selects the rows of the result.
enum class OutputPoints : std::uint8_t {
  steps,  // at the end of every accepted step
  grid,   // every `interval`, and at both ends
  times,  // at the listed times
};
constexpr auto option_choices(OutputPoints) {
  return std::array{Choice{"steps", OutputPoints::steps}, Choice{"grid", OutputPoints::grid},
                    Choice{"times", OutputPoints::times}};
}

/// The value of a variable in modes that do not have it.
enum class AbsentVariables : std::uint8_t {
  masked,  // none
  held,    // its last value; none before it first exists
};
constexpr auto option_choices(AbsentVariables) {
  return std::array{Choice{"masked", AbsentVariables::masked},
                    Choice{"held", AbsentVariables::held}};
}

struct OutputOptions {
  OutputPoints points = OutputPoints::steps;
  double interval = 0.0;
  std::vector<double> times = {};
  /// Names of variables and outputs to record; empty: all.
  std::vector<std::string> variables = {};
  /// Relations whose switching functions are recorded as further columns, for
  /// Solution::switching(). "all" selects every one.
  std::vector<std::string> switching = {};
  /// The value of variables in modes that do not have them.
  AbsentVariables absent = AbsentVariables::masked;
  /// Keeps the polynomial of every step, so that the solution can be evaluated at any time.
  bool dense = true;
};
template <class V>
void describe(OutputOptions& o, V& field) {
  field("points", o.points).help("where rows of the result are");
  field("interval", o.interval).at_least(0).unit("s").help("distance of the points of a grid");
  field("times", o.times).unit("s").help("listed times");
  field("variables", o.variables).help("variables and outputs to record; empty: all");
  field("switching", o.switching)
      .help("relations whose functions are recorded too; all: every one");
  field("absent", o.absent).help("values of variables in modes that do not have them");
  field("dense", o.dense).help("keep every step, so that any time can be asked for");
}

/// A run that reaches a limit ends with everything computed so far. 0: no limit.
struct LimitOptions {
  int max_steps = 0;
  int max_events = 0;
  double max_wall_time_s = std::numeric_limits<double>::infinity();
  /// The observer is warned once this part of max_steps or of max_wall_time_s is used up. There is
  /// no warning for max_events.
  double warn_at = 0.8;
};
template <class V>
void describe(LimitOptions& o, V& field) {
  field("max_steps", o.max_steps).at_least(0).help("accepted steps; 0: no limit");
  field("max_events", o.max_events).at_least(0).help("events; 0: no limit");
  field("max_wall_time_s", o.max_wall_time_s)
      .above(0)
      .infinite_allowed()
      .unit("s")
      .help("duration of the run");
  field("warn_at", o.warn_at)
      .above(0)
      .at_most(1)
      .help("part of max_steps or max_wall_time_s at which to warn");
}

/// How equations of higher index become a system that engines can integrate.
enum class ReductionKind : std::uint8_t {
  automatic,  // by structure if it is correct, otherwise by ranks
  structure,  // differentiated equations and selected states: sparse, any size
  ranks,      // projectors of the derivative array: also for redundant and missing equations
};
constexpr auto option_choices(ReductionKind) {
  return std::array{Choice{"automatic", ReductionKind::automatic},
                    Choice{"structure", ReductionKind::structure},
                    Choice{"ranks", ReductionKind::ranks}};
}

/// The treatment of start values that are not consistent.
enum class StartPolicy : std::uint8_t {
  keep,           // the differential content stays, the rest follows; changes are reported
  check,          // stated values must be consistent, otherwise they are refused by name
  least_squares,  // the nearest consistent values
  impulse,        // values before the start, which jump as at a transition; impulses are reported
};
constexpr auto option_choices(StartPolicy) {
  return std::array{Choice{"keep", StartPolicy::keep}, Choice{"check", StartPolicy::check},
                    Choice{"least_squares", StartPolicy::least_squares},
                    Choice{"impulse", StartPolicy::impulse}};
}

struct RunOptions {
  double t_begin = 0.0;
  double t_end = 1.0;  // may be less than t_begin

  /// The error of unknown i per step is kept below rtol |x_i| + atol nominal_i (weighted root mean
  /// square over all unknowns). atol_of replaces atol nominal_i for single unknowns.
  double rtol = 1e-6;
  double atol = 1e-6;
  std::vector<Named<double>> atol_of = {};
  /// Replace rtol and atol in single modes.
  std::vector<Named<double>> mode_rtol = {};
  std::vector<Named<double>> mode_atol = {};

  double initial_step = 0.0;  // 0: found automatically
  double min_step = 0.0;
  double max_step = std::numeric_limits<double>::infinity();
  double fixed_step = 0.0;  // > 0: no error control, for the study of orders; not for ida
  int max_order = 5;
  EngineKind engine = EngineKind::automatic;
  std::vector<Named<EngineKind>> mode_engine = {};
  LinearSolverKind linear_solver = LinearSolverKind::automatic;
  ReductionKind reduction = ReductionKind::automatic;
  /// The characteristic values mu, d, a, v, u that the model should have at its start. A difference
  /// is refused, naming both. Empty: any values.
  std::vector<double> expected_values = {};
  StartPolicy start = StartPolicy::keep;
  /// The mode to begin in; empty: as the model declares.
  std::string mode = {};
  /// The policy of transitions that declare none.
  RestartPolicy restart = RestartPolicy::keep;
  /// Unknowns that must not become negative.
  std::vector<std::string> non_negative = {};
  /// For models reduced by ranks. A run with undetermined unknowns warns under both policies.
  RedundantEquations redundant = RedundantEquations::refuse;
  UndeterminedUnknowns undetermined = UndeterminedUnknowns::minimum_change;

  /// Parameters, and states for their start values. The solution then includes its derivatives with
  /// respect to them.
  std::vector<std::string> sensitivities = {};

  EventOptions events = {};
  OutputOptions output = {};
  LimitOptions limits = {};
};
template <class V>
void describe(RunOptions& o, V& field) {
  field("t_begin", o.t_begin).unit("s").help("begin of the run");
  field("t_end", o.t_end).unit("s").help("end of the run, before or after its begin");
  field("rtol", o.rtol).above(0).below(1).help("relative error of each unknown per step");
  field("atol", o.atol).above(0).help("absolute error in units of each unknown's nominal value");
  field("atol_of", o.atol_of).above(0).help("absolute error of single unknowns");
  field("mode_rtol", o.mode_rtol).above(0).below(1).help("rtol of single modes");
  field("mode_atol", o.mode_atol).above(0).help("atol of single modes");
  field("initial_step", o.initial_step).at_least(0).unit("s").help("0: found automatically");
  field("min_step", o.min_step).at_least(0).unit("s").help("a smaller step is a failure");
  field("max_step", o.max_step).above(0).infinite_allowed().unit("s").help("longest step");
  field("fixed_step", o.fixed_step)
      .at_least(0)
      .unit("s")
      .help("> 0: no error control; not for ida");
  field("max_order", o.max_order).bounds(1, 5).help("highest order of ida");
  field("engine", o.engine).help("integration method");
  field("mode_engine", o.mode_engine).help("integration method of single modes");
  field("linear_solver", o.linear_solver).help("factorisation of implicit methods");
  field("reduction", o.reduction).help("how equations of higher index are reduced to index 1");
  field("start", o.start).help("treatment of start values that are not consistent");
  field("mode", o.mode).help("first mode; empty: the one the model names");
  field("restart", o.restart).help("start of a mode where the transition does not state it");
  field("expected_values", o.expected_values)
      .at_least(0)
      .help("mu, d, a, v, u; others are refused");
  field("non_negative", o.non_negative).help("unknowns that must not become negative");
  field("redundant", o.redundant).help("treatment of redundant equations that contradict others");
  field("undetermined", o.undetermined).help("values of unknowns that no equation determines");
  field("sensitivities", o.sensitivities)
      .help("differentiate with respect to these parameters and start values of states");
  field("events", o.events);
  field("output", o.output);
  field("limits", o.limits);
}

}  // namespace saltus
