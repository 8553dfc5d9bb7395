// Runs of the named problems, as several items need them.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "events/oracle.hpp"
#include "problems/switched_problems.hpp"

namespace saltus::bench {

inline constexpr double event_tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
inline constexpr EngineKind one_step_engines[] = {EngineKind::dopri5, EngineKind::dop853,
                                                  EngineKind::radau};

inline bool is_explicit(EngineKind engine) {
  return engine == EngineKind::dopri5 || engine == EngineKind::dop853;
}
inline std::vector<EngineKind> engines_for(const problems::SwitchedProblem& problem) {
  if (problem.explicit_engines) {
    return {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida};
  }
  return {EngineKind::radau, EngineKind::ida};
}

/// Those of the lists, and a hundred balls in both forms.
inline std::vector<problems::SwitchedProblem> problems_with_balls() {
  std::vector<problems::SwitchedProblem> set = problems::switched_problems();
  set.push_back(problems::spring_balls());
  set.push_back(problems::impact_balls());
  return set;
}

/// rtol = atol, nothing recorded but events and the end.
inline RunOptions event_run_options(const problems::SwitchedProblem& problem, EngineKind engine,
                                    double tolerance) {
  RunOptions o;
  o.t_end = problem.t_end;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  o.output.points = OutputPoints::times;
  o.output.times = {problem.t_end};
  o.output.dense = false;
  return o;
}

/// How far the oracle misses each surface when it is told that this is the time: |g/g'|.
inline std::vector<double> oracle_time_errors(Oracle& oracle, const OracleOptions& options) {
  const problems::WrittenModel written = problems::write_model(oracle.problem());
  const auto system = *compile_model(written.definition)->system({});
  const auto workspace = system->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  auto& locks = *workspace->ability<Locks>();
  std::vector<double> g(functions.count()), rate(functions.count()), errors;
  oracle.on_event = [&](std::size_t k, const Engine& engine) {
    const std::string& text = written.texts.at(oracle.problem().events[k].key);
    (void)locks.decide(engine.t(), engine.x(), engine.xdot());
    if (!functions.rates(engine.t(), engine.x(), engine.xdot(), g, rate)) return;
    for (std::uint32_t w = 0; w < functions.count(); ++w) {
      if (functions.info(w).name == text && rate[w] != 0)
        errors.push_back(std::abs(g[w] / rate[w]));
    }
  };
  (void)oracle.run(options);
  oracle.on_event = nullptr;
  return errors;
}

/// By how much it misses the times if it has to find them on its own; nothing if it cannot tell the events apart.
inline std::optional<std::vector<double>> oracle_found_errors(Oracle& oracle,
                                                              const OracleOptions& options) {
  const problems::WrittenModel written = problems::write_model(oracle.problem());
  const auto system = *compile_model(written.definition)->system({});
  const auto workspace = system->workspace();
  auto& functions = *workspace->ability<SwitchingFunctions>();
  const std::vector<double> xdot(system->size(), 0.0);
  oracle.surface = [&](std::size_t k, double t, std::span<const double> x) {
    const std::string& text = written.texts.at(oracle.problem().events[k].key);
    double g = std::numeric_limits<double>::quiet_NaN();
    for (std::uint32_t w = 0; w < functions.count(); ++w)
      if (functions.info(w).name == text) (void)functions.evaluate_one(w, t, x, xdot, g);
    return g;
  };
  const OracleRun run = oracle.run(options);
  oracle.surface = nullptr;
  if (!run.ok) return std::nullopt;
  return std::vector<double>(oracle.time_errors().begin(), oracle.time_errors().end());
}

inline double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double v : values) most = std::max(most, v);
  return most;
}

}  // namespace saltus::bench
