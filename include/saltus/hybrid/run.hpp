// Runs a model step by step.
//
//   Run run("decay", source, {.t_end = 5.0});
//   while (run.advance()) look_at(run.t(), run.x());
//   Solution solution = run.finish();
//
// A run takes systems from a source of configurations and finds consistent starts. An engine
// integrates smooth parts, and the results are recorded. A run is independent of expressions.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <saltus/core/observer.hpp>
#include <saltus/hybrid/follower.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/system/configuration.hpp>
#include <saltus/trajectory/solution.hpp>

namespace saltus {

class Run {
 public:
  /// Throws OptionError for options that do not fit the model. Observer and follower, if any, must
  /// outlive the run.
  Run(std::string model_name, std::shared_ptr<ConfigurationSource> source, RunOptions options,
      Observer& observer = null_observer(), RunFollower* follower = nullptr);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  /// Takes one step and handles its consequences. Returns true if a step was taken, even the last
  /// one. Returns false if the run has ended or the step failed; report() gives the reason.
  bool advance();
  bool ended() const;
  /// Returns the ways to continue from surfaces at which the run should stop (events.surface =
  /// stop). Not empty while the run waits; advance() then returns false.
  std::span<const SurfaceCandidateRecord> decision() const;
  /// Continues with one of them. Throws Error if it is not consistent.
  void choose(std::size_t candidate);

  double t() const;
  /// Return the unknowns of the integrated system and their derivatives; see system(). They are
  /// those of the current mode and, for index 2 and higher, may include unknowns that index
  /// reduction adds.
  std::span<const double> x() const;
  std::span<const double> xdot() const;
  const System& system() const;
  /// Returns the last accepted step, in the same unknowns.
  StepPolynomial last_step();

  /// Returns everything computed so far; valid at any time.
  const Trajectory& trajectory() const;
  const RunReport& report() const;
  /// Ends a run that has not ended (as `stopped`) and returns its result.
  Solution finish();

 private:
  class Controller;
  std::unique_ptr<Controller> controller_;
};

}  // namespace saltus
