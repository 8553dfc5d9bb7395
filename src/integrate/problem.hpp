// What all engines do with a system besides stepping: evaluate at points that may be refused, count,
// weigh errors, find words for failures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/integrate/engine.hpp>
#include <saltus/system/abilities.hpp>

namespace saltus::detail {

class Problem {
 public:
  /// Refuses options that do not fit the system (OptionError), and a system whose equations and
  /// unknowns differ in number (ModelError).
  Problem(const System& system, Workspace& workspace, EngineOptions options);

  const System& system() const { return system_; }
  const EngineOptions& options() const { return options_; }
  std::uint32_t size() const { return n_; }

  // ---- evaluation: counted, after the stage check; trouble is remembered ---------------------------

  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f);
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot);
  /// Only for systems with an explicit form.
  Evaluation derivative(double t, std::span<const double> x, std::span<double> xdot);
  bool has_explicit_form() const { return explicit_form_ != nullptr; }

  /// Whether the end of a step has to be moved onto constraints.
  bool has_step_projection() const { return projection_ != nullptr; }
  Evaluation project(double t, std::span<double> x);
  double projection_accuracy() const { return projection_->accuracy(); }

  /// Whether the system follows the steps and may change after one.
  bool has_step_refresh() const { return refresh_ != nullptr; }
  /// Tells the system; says what its answer asks of the engine.
  StepRefresh::Answer accepted(double t, std::span<const double> x, std::span<const double> xdot);
  /// Where the engine starts anew in the middle of a solution: what is not integrated now was so before, or
  /// the other way round, and the point satisfies equations as well as the iteration did, not better. To a
  /// tiny step that is a jump. Moves onto the equations; a system that cannot do so keeps the point.
  void settle(double t, std::span<double> x, std::span<double> xdot);
  /// ChosenStates::stand_ins(); empty: none.
  std::span<const std::uint8_t> stand_ins() const { return stand_ins_; }
  /// Whether more unknowns than they stand for are not integrated: these follow derivatives of stand-ins.
  bool others_follow_stand_ins() const { return others_follow_stand_ins_; }
  /// What step() returns after that: a failure if the system refuses the point.
  Result<void> verdict() const;

  // ---- tolerances --------------------------------------------------------------------------------

  double atol(std::uint32_t i) const {
    return options_.atol.size() == 1 ? options_.atol[0] : options_.atol[i];
  }
  /// Unknowns over which errors are averaged: all but constants.
  double n_measured() const { return n_measured_; }
  /// 1 / (rtol |x_i| + atol_i); options were checked, so this cannot fail for finite x. Of constants 0, with all
  /// others so much larger that a mean over all unknowns is one over those that count.
  void error_weights(std::span<const double> x, std::span<double> weights) const {
    error_weights(options_.rtol, 1.0, x, weights);
  }
  /// The same with tolerances of the engine's own: rtol, and atol_i scaled by atol_factor.
  void error_weights(double rtol, double atol_factor, std::span<const double> x,
                     std::span<double> weights) const;

  /// The smallest useful step at t.
  double smallest_step(double t) const;

  enum class Sign : std::uint8_t { fine, corrected, violated };
  /// Looks at the unknowns that must not become negative. What is negative within the tolerance of
  /// its component is set to zero and counted; `violated` leaves x alone and asks for a smaller step.
  Sign enforce_sign(std::span<double> x);
  /// "'a', 'b', … (option non_negative)": who must not become negative.
  std::string names_of_non_negative() const;

  // ---- words ---------------------------------------------------------------------------------------

  /// "at t = 0.2: <what>, h = 1e-9", and after a refused or failed evaluation also which equation.
  Failure failure(FailureCode code, const std::string& what, double t, double h) const;
  /// For a step that failed down to the smallest length: the reason is the last trouble if there was
  /// one since clear_trouble(), else `what`.
  Failure step_too_small(const std::string& what, double t, double h) const;
  void clear_trouble() { trouble_ = Evaluation::ok(); }
  const Evaluation& trouble() const { return trouble_; }

  StageCheck stage_check;
  WorkCounts work;

 private:
  /// x, but unknowns that must not be negative at least `floor` absolute tolerances: functions that are
  /// undefined for negative arguments need not be evaluated there.
  std::span<const double> without_negatives(std::span<const double> x, double floor);
  template <class Call>
  Evaluation evaluated(std::span<const double> x, double floor, Call&& call);
  bool refused(double t, std::span<const double> x);
  Evaluation remember(Evaluation evaluation);

  const System& system_;
  Workspace& workspace_;
  EngineOptions options_;
  std::uint32_t n_;
  double n_measured_ = 0.0;
  std::vector<std::uint8_t> is_constant_;  // empty if there are none
  ExplicitForm* explicit_form_;
  StepProjection* projection_;
  StepRefresh* refresh_;
  OutputProjection* exact_;
  std::span<const std::uint8_t> stand_ins_;
  bool others_follow_stand_ins_ = false;
  bool stopped_ = false;
  Evaluation trouble_ = Evaluation::ok();
  std::vector<double> x_clipped_;
};

/// Each kind of engine is made in its own folder.
std::unique_ptr<Engine> make_explicit_engine(EngineKind kind, Problem problem);
std::unique_ptr<Engine> make_radau_engine(Problem problem);
std::unique_ptr<Engine> make_ida_engine(Problem problem);

}  // namespace saltus::detail
