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
#include <string_view>

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
  /// Goes on to t, which must not lie before t(), and returns true there. A step that leads beyond t
  /// stays open: t(), x(), xdot() and value() are those of t, and nothing that happens after t has
  /// happened yet. Looking on the way changes no bit of the solution. Returns false if the run ends
  /// or waits for a decision before t.
  bool advance_to(double t);
  /// Gives an input its value from t() on, and derivatives if it does not stay constant
  /// (Model::outside_input). A change is an instant, at which events may follow; the same value
  /// again costs nothing. Throws Error if no input has that name, and for
  /// numbers that are not finite.
  void set_input(const std::string& name, double value);
  void set_input(const std::string& name, std::span<const double> value_and_derivatives);
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
  /// Returns the value of a recorded variable at t(). Throws Error if there is none of that name; the
  /// value is not a number where the variable does not exist.
  double value(const std::string& variable) const;
  /// Returns the last accepted step, in the same unknowns.
  StepPolynomial last_step();

  /// Returns everything computed so far; valid at any time.
  const Trajectory& trajectory() const;
  const RunReport& report() const;
  /// Ends a run that has not ended (as `stopped`) and returns its result.
  Solution finish();

  /// Returns the run so far as a text that can be kept in a file: what was done with it, and a
  /// checksum of where that led.
  std::string save() const;
  /// Takes a run that has just been started, of the same model with the same options, to where
  /// another one was saved, and goes on as that one would have, bit by bit. This repeats the run: it
  /// takes as long as the run took. Throws Error if the text was changed, belongs to another model,
  /// other options or another version of Saltus, or does not lead to the same state.
  void restore(std::string_view saved);

 private:
  class Controller;
  std::unique_ptr<Controller> controller_;
};

}  // namespace saltus
