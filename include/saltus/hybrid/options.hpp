// What can be asked of a run. Each field is listed once, in describe(); validation, option files, the
// command line, Python and the report follow from that list.
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

/// Where rows of the result are.
enum class OutputPoints : std::uint8_t {
  steps,  // at the end of every accepted step
  grid,   // every `interval`, and at both ends
  times,  // at the listed times
};
constexpr auto option_choices(OutputPoints) {
  return std::array{Choice{"steps", OutputPoints::steps}, Choice{"grid", OutputPoints::grid},
                    Choice{"times", OutputPoints::times}};
}

/// A variable that does not exist in a mode.
enum class AbsentVariables : std::uint8_t {
  masked,  // is absent there: no number at all
  held,    // keeps the last value it had; before it first exists it is absent all the same
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
  /// Relations whose switching functions are recorded as further columns, for Solution::switching();
  /// "all": every one.
  std::vector<std::string> switching = {};
  /// What a variable shows in modes that do not have it.
  AbsentVariables absent = AbsentVariables::masked;
  /// Keep the polynomial of every step, so that the solution can be asked at any time.
  bool dense = true;
};
template <class V>
void describe(OutputOptions& o, V& field) {
  field("points", o.points).help("where rows of the result are");
  field("interval", o.interval).at_least(0).unit("s").help("distance of the points of a grid");
  field("times", o.times).unit("s").help("listed times");
  field("variables", o.variables).help("what to record; empty: everything");
  field("switching", o.switching)
      .help("relations whose functions are recorded too; all: every one");
  field("absent", o.absent).help("what variables show in modes that do not have them");
  field("dense", o.dense).help("keep every step, so that any time can be asked for");
}

/// A limit that is met ends the run with everything computed so far. 0: no limit.
struct LimitOptions {
  int max_steps = 0;
  int max_events = 0;
  double max_wall_time_s = std::numeric_limits<double>::infinity();
  /// The observer is warned once this part of a limit is used up.
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
  field("warn_at", o.warn_at).above(0).at_most(1).help("part of a limit at which to warn");
}

/// How equations of higher index become a system that engines integrate.
enum class ReductionKind : std::uint8_t {
  automatic,  // by structure where that tells the truth, else by ranks
  structure,  // differentiated equations and selected states: sparse, any size
  ranks,      // projectors of the derivative array: also redundant and missing equations
};
constexpr auto option_choices(ReductionKind) {
  return std::array{Choice{"automatic", ReductionKind::automatic},
                    Choice{"structure", ReductionKind::structure},
                    Choice{"ranks", ReductionKind::ranks}};
}

/// What happens to start values that are not consistent.
enum class StartPolicy : std::uint8_t {
  keep,           // the differential content stays, the rest follows; changes are reported
  check,          // stated values must be consistent: refused by name otherwise
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
  double t_end = 1.0;  // may lie before t_begin

  /// The error of unknown i per step is held below rtol |x_i| + atol nominal_i (weighted root mean
  /// square over all unknowns). The entries of atol_of replace atol nominal_i for single unknowns.
  double rtol = 1e-6;
  double atol = 1e-6;
  std::vector<Named<double>> atol_of = {};
  /// For a mode instead of rtol and atol.
  std::vector<Named<double>> mode_rtol = {};
  std::vector<Named<double>> mode_atol = {};

  double initial_step = 0.0;  // 0: found automatically
  double min_step = 0.0;
  double max_step = std::numeric_limits<double>::infinity();
  double fixed_step = 0.0;  // > 0: no error control, for the study of orders
  int max_order = 5;
  EngineKind engine = EngineKind::automatic;
  std::vector<Named<std::string>> mode_engine = {};
  LinearSolverKind linear_solver = LinearSolverKind::automatic;
  ReductionKind reduction = ReductionKind::automatic;
  /// The characteristic values mu, d, a, v, u the model is expected to have at its start; others are
  /// refused, naming both. Empty: whatever they are.
  std::vector<double> expected_values = {};
  StartPolicy start = StartPolicy::keep;
  /// The mode to begin in; empty: the one the model says.
  std::string mode = {};
  /// How modes start after transitions that do not say it themselves.
  RestartPolicy restart = RestartPolicy::keep;
  /// Unknowns that must not become negative.
  std::vector<std::string> non_negative = {};
  /// For models that had to be reduced numerically.
  RedundantEquations redundant = RedundantEquations::refuse;
  UndeterminedUnknowns undetermined = UndeterminedUnknowns::minimum_change;

  /// Parameters, and states for their start values: the solution comes with its derivatives with respect to them.
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
  field("fixed_step", o.fixed_step).at_least(0).unit("s").help("> 0: no error control");
  field("max_order", o.max_order).bounds(1, 5).help("highest order of ida");
  field("engine", o.engine).help("integration method");
  field("mode_engine", o.mode_engine).help("integration method of single modes");
  field("linear_solver", o.linear_solver).help("factorisation of implicit methods");
  field("reduction", o.reduction).help("of equations of higher index");
  field("start", o.start).help("what happens to start values that are not consistent");
  field("mode", o.mode).help("to begin in; empty: the one the model says");
  field("restart", o.restart).help("how modes start after transitions that do not say it");
  field("expected_values", o.expected_values)
      .at_least(0)
      .help("mu, d, a, v, u; others are refused");
  field("non_negative", o.non_negative).help("unknowns that must not become negative");
  field("redundant", o.redundant)
      .help("what redundant equations do that come to contradict others");
  field("undetermined", o.undetermined).help("what unknowns do that no equation determines");
  field("sensitivities", o.sensitivities)
      .help("parameters, and states for their start values, to differentiate with respect to");
  field("events", o.events);
  field("output", o.output);
  field("limits", o.limits);
}

}  // namespace saltus
