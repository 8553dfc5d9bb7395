// Runs of the named problems that slide, as several items need them.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "problems/sliding_problems.hpp"
#include "sliding/sliding_oracle.hpp"

namespace saltus::bench {

inline constexpr double sliding_tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
inline constexpr EngineKind sliding_engines[] = {EngineKind::dopri5, EngineKind::dop853,
                                                 EngineKind::radau, EngineKind::ida};

/// rtol = atol unless told otherwise, nothing recorded but events and the end.
inline RunOptions sliding_run_options(const problems::SlidingProblem& p, EngineKind engine,
                                      double rtol, double atol = 0.0) {
  RunOptions o;
  o.t_end = p.t_end;
  o.rtol = rtol;
  o.atol = atol > 0.0 ? atol : rtol;
  o.engine = engine;
  o.output.points = OutputPoints::times;
  o.output.times = {p.t_end};
  o.output.dense = false;
  // Whoever chatters ends, and is counted.
  o.limits.max_events = 2000;
  if (p.states.size() < 100) o.limits.max_steps = 50000;
  return o;
}

/// A problem and a way to write it down.
struct WrittenProblem {
  std::string name;
  problems::SlidingProblem problem;
  std::function<Solution(const RunOptions&)> simulate_it;
};

inline WrittenProblem as_model(const problems::SlidingProblem& p) {
  return {p.name, p, [definition = problems::write_model(p)](const RunOptions& o) {
            return simulate(definition, o);
          }};
}
inline WrittenProblem as_functions(const problems::SlidingProblem& p, const std::string& name,
                                   SystemFunctions functions) {
  return {name, p, [system = make_system(std::move(functions))](const RunOptions& o) {
            return simulate(system, o);
          }};
}

/// The small ones, problem 1 of DISODE45 in three forms.
inline std::vector<WrittenProblem> written_problems() {
  using namespace problems;
  std::vector<WrittenProblem> all;
  for (const SlidingProblem& p : sliding_problems()) all.push_back(as_model(p));
  const SlidingProblem p1 = disode_p1("g");
  all.push_back(as_functions(p1, "P1, throws beyond", disode_p1_one_sided()));
  all.push_back(as_functions(p1, "P1, f and g only", disode_p1_f_and_g()));
  return all;
}

/// A run that may be refused.
inline Solution try_to_simulate(const WrittenProblem& p, const RunOptions& o) {
  try {
    return p.simulate_it(o);
  } catch (const Error& refused) {
    Solution s;
    s.report.message = refused.what();
    return s;
  }
}

/// Evaluations of the equations on one side each, wherever they were made: in steps, for exits, at events.
inline double side_evaluations(const Solution& s) {
  auto n = static_cast<double>(s.report.events.n_evaluations_iterate);
  for (const ModeWork& w : s.report.work) n += static_cast<double>(w.n_side_evaluations);
  return n;
}

inline bool slides_now(const Run& run) {
  const auto segments = run.trajectory().segments();
  return !segments.empty() && !segments.back().sliding.empty();
}

/// Whether the run says itself that the step on which it first differs was too close to call; the errors of times
/// before it tell how exactly that step can be found.
inline bool says_marginal(const Solution& s, const problems::SlidingProblem& p) {
  const auto found = problems::counted_sliding_events(s.event_log);
  const auto lost = problems::first_lost(found, p.events);
  if (!lost) return false;
  double error = 0.0;
  for (std::size_t k = 0; k < std::min(found.size(), p.events.size()); ++k) {
    if (p.events[k].t >= lost->t || found[k].t >= lost->t) break;
    error = std::max(error, std::abs(found[k].t - p.events[k].t));
  }
  return problems::is_marked(s, *lost, error);
}

inline std::string text_of(EngineKind engine) { return std::string(name(engine)); }

}  // namespace saltus::bench
