#include "modes/mode_oracle.hpp"

#include <cmath>

namespace saltus::bench {

using namespace problems;

namespace {

/// What the next stretch begins with.
NamedState state_of(const Run& run) {
  NamedState state;
  const System& system = run.system();
  for (std::uint32_t i = 0; i < system.size(); ++i) state[system.unknown_name(i)] = run.x()[i];
  return state;
}

}  // namespace

ModeOracleRun run_mode_oracle(const ModeProblem& problem, EngineKind engine, double tolerance,
                              bool carry_step) {
  ModeOracleRun result;
  FrozenStretch stretch{{}, problem.choices};
  double t = 0.0, step = 0.0;
  std::string mode = problem.first_mode;
  for (std::size_t k = 0; k <= problem.events.size(); ++k) {
    const bool is_last = k == problem.events.size();
    const double t_bound = is_last ? problem.t_end : problem.events[k].t;
    RunOptions o = mode_run_options(t, t_bound, engine, tolerance);
    o.mode = mode;
    o.initial_step = carry_step ? std::min(step, t_bound - t) : 0.0;
    Run run = start_run(write_model(problem, &stretch), o);
    // The last step is cut short by the end.
    double before = 0.0, last = 0.0;
    for (double from = t; run.advance(); from = run.t()) {
      before = last;
      last = run.t() - from;
    }
    if (last > 0) step = std::max({before, last, before > 0 ? 0.0 : step});
    NamedState state = state_of(run);
    const Solution s = run.finish();
    result.n_evaluations += static_cast<double>(s.report.total_work().n_evaluations) + 1;
    if (!s.ok()) {
      result.message = "oracle in " + mode + " from " + to_text(t) + ": " + s.report.message;
      return result;
    }
    if (is_last) {
      result.end_error = end_error(s, problem);
      break;
    }
    if (problem.missed_by)
      result.time_error = std::max(result.time_error, std::abs(problem.missed_by(k, state)));
    // What does not exist in a mode keeps its last value, as a guess.
    for (const auto& [variable, value] : state) stretch.start[variable] = value;
    for (const auto& [variable, value] : problem.events[k].after) stretch.start[variable] = value;
    if (problem.switch_at) problem.switch_at(k, stretch.choices);
    mode = problem.events[k].to;
    t = t_bound;
  }
  result.ok = true;
  return result;
}

ModeOracleRun best_mode_oracle(const ModeProblem& problem, EngineKind engine, double tolerance) {
  const ModeOracleRun carried = run_mode_oracle(problem, engine, tolerance, true);
  const ModeOracleRun fresh = run_mode_oracle(problem, engine, tolerance, false);
  const bool take_fresh = fresh.ok && (!carried.ok || fresh.n_evaluations < carried.n_evaluations);
  ModeOracleRun cheap = take_fresh ? fresh : carried;
  if (carried.ok && fresh.ok) cheap.end_error = std::min(carried.end_error, fresh.end_error);
  return cheap;
}

}  // namespace saltus::bench
