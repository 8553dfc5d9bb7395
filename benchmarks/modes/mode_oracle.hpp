// An oracle for problems with modes: the same engine on the same equations, which is told when the solution
// changes its mode and where the new one begins. What it needs is what the smooth stretches cost; what it
// reaches is what the engine can reach.
#pragma once

#include <string>

#include "problems/mode_problem.hpp"

namespace saltus::bench {

struct ModeOracleRun {
  bool ok = false;
  std::string message;
  double n_evaluations = 0.0;
  double end_error = 0.0;  // largest of |x - true| / (1 + |true|)
  double time_error =
      0.0;  // the most by which a stretch misses the time of its event, where that is known
};

/// One run per stretch. `carry_step`: each begins with the step the last one went on with, else the engine
/// finds one anew.
ModeOracleRun run_mode_oracle(const problems::ModeProblem& problem, EngineKind engine,
                              double tolerance, bool carry_step);
/// The cheaper of both: whoever knows all events may choose.
ModeOracleRun best_mode_oracle(const problems::ModeProblem& problem, EngineKind engine,
                               double tolerance);

/// rtol = atol, nothing recorded but events and the end.
inline RunOptions mode_run_options(double t_begin, double t_end, EngineKind engine,
                                   double tolerance) {
  RunOptions o;
  o.t_begin = t_begin;
  o.t_end = t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  o.output.points = OutputPoints::times;
  o.output.times = {t_end};
  o.output.dense = false;
  return o;
}

}  // namespace saltus::bench
