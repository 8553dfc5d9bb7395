// A run in steps: the controller of modes.
//
//   Run run("decay", source, {.t_end = 5.0});
//   while (run.advance()) look_at(run.t(), run.x());
//   Solution solution = run.finish();
//
// The controller takes systems from a source of configurations, finds consistent starts, lets an
// engine integrate smooth stretches and records what comes out. It knows no expression.
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
  /// Refuses options that do not fit the model (OptionError). Observer and follower, if any, outlive the run.
  Run(std::string model_name, std::shared_ptr<ConfigurationSource> source, RunOptions options,
      Observer& observer = null_observer(), RunFollower* follower = nullptr);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  /// One accepted step, and what it leads to. True if a step was taken, also if it was the last one;
  /// false if the run has ended, or the step failed: report() says how.
  bool advance();
  bool ended() const;
  /// Ways to go on from surfaces at which the run was asked to stop (events.surface = stop): not empty while
  /// it waits, and advance() returns false.
  std::span<const SurfaceCandidateRecord> decision() const;
  /// Goes on with one of them, which must be consistent.
  void choose(std::size_t candidate);

  double t() const;
  /// Unknowns of the current mode and their derivatives; see system().
  std::span<const double> x() const;
  std::span<const double> xdot() const;
  const System& system() const;
  /// The last accepted step, of the unknowns.
  StepPolynomial last_step();

  /// Everything so far; valid at any moment.
  const Trajectory& trajectory() const;
  const RunReport& report() const;
  /// Ends a run that has not ended (as `stopped`) and hands out its result.
  Solution finish();

 private:
  class Controller;
  std::unique_ptr<Controller> controller_;
};

}  // namespace saltus
