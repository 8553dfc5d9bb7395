// An oracle: the same engine on the same equations, which is told when every event happens and what it does.
// What it needs is what the smooth stretches cost; what it reaches is what the engine can reach.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

#include "problems/switched_problem.hpp"

namespace saltus::bench {

struct OracleOptions {
  EngineKind engine = EngineKind::dopri5;
  double tolerance = 1e-6;  // rtol and atol, the latter in units of the nominal values
  /// Begin each stretch with the step that the last one would have continued with. Else the engine finds
  /// one anew.
  bool carry_step = true;
  std::size_t max_events = static_cast<std::size_t>(-1);
};

struct OracleRun {
  bool ok = false;
  std::string message;
  WorkCounts work;                  // steps, evaluations of the equations, …
  double n_side_evaluations = 0.0;  // each as often as sides are looked at there
  double end_error = 0.0;           // largest of |x - reference| / (1 + |reference|)
};

/// Frozen models are compiled once and kept.
class Oracle {
 public:
  explicit Oracle(problems::SwitchedProblem problem);
  ~Oracle();

  OracleRun run(const OracleOptions& options);
  /// The cheaper one of carried steps and fresh ones: whoever knows all events may choose.
  OracleRun best(OracleOptions options);
  const problems::SwitchedProblem& problem() const { return problem_; }

  /// Called at each event with the engine that has reached it, before anything changes.
  std::function<void(std::size_t event, const Engine& engine)> on_event;
  /// The function by which event k is known. With it the oracle is told which event comes next, but not when: it finds the
  /// time on the engine's own steps and goes on from there, so that errors of times add up as those of a run do.
  std::function<double(std::size_t event, double t, std::span<const double> x)> surface;
  /// By how much those times were missed.
  std::span<const double> time_errors() const { return time_errors_; }
  /// How many sides of surfaces an evaluation looks at, after so many events. Missing: one.
  std::function<int(std::size_t n_events)> sides;

 private:
  struct Stretch;
  struct Frozen {
    std::shared_ptr<const ModelDefinition> definition;
    std::shared_ptr<const System> system;
  };
  const Frozen& frozen_for(const problems::Choices& choices);

  std::optional<double> find_event(std::size_t event, Engine& engine, double t_begin) const;

  problems::SwitchedProblem problem_;
  std::map<std::string, Frozen> systems_;
  std::vector<double> time_errors_;
};

}  // namespace saltus::bench
