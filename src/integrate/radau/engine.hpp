// Radau IIA of order 5 for F(t, x, x') = 0 with regular pencils (index 0 and 1).
//
//   attempt: Jacobian at the left end if the old one is stale; factors if h has changed;
//            stages by Newton from the extrapolated polynomial; error; sign of the unknowns
//   accept:  move on, ask the controller, tell the system
//
// What can go wrong, and the answer:
//   Newton slow, Jacobian old     the same step with a new Jacobian
//   Newton slow, Jacobian new     shorter, as the rate of convergence suggests
//   point refused, sign violated  half the step
//   sign corrected for ever       failure
//   singular matrix               half the step, a few times
//   error too large               shorter, by the controller
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "integrate/problem.hpp"
#include "integrate/radau/controller.hpp"
#include "integrate/radau/error.hpp"
#include "integrate/radau/interpolant.hpp"
#include "integrate/radau/matrices.hpp"
#include "integrate/radau/newton.hpp"

namespace saltus::detail {

class RadauEngine final : public Engine {
 public:
  explicit RadauEngine(Problem problem);

  EngineKind kind() const override { return EngineKind::radau; }
  Result<void> start(const EnginePoint& point, double t_towards, const StartHint& hint) override;
  Result<void> step(double t_bound) override;
  StepPolynomial last_step() override;
  Result<void> shorten(double t) override;
  double t() const override { return t_; }
  std::span<const double> x() const override { return x_; }
  std::span<const double> xdot() const override { return xdot_; }
  std::optional<LinearSolverKind> linear_solver() const override { return matrices_.kind(); }
  const WorkCounts& work() const override { return problem_.work; }
  void set_stage_check(StageCheck check) override { problem_.stage_check = std::move(check); }

 private:
  enum class Attempt : std::uint8_t {
    accepted,
    error_too_large,
    not_converged,
    refused,
    negative,
    stays_negative,
    singular,
    failed,
    no_jacobian,
  };

  // Tolerances the method works with: see the constructor.
  double rtol_ = 0.0;
  double atol_factor_ = 1.0;
  double precision_ = 1.0;  // weights are 1 / (precision_ times the size of an unknown)

  double found_first_step(double t_towards);
  void weigh(std::span<const double> x);
  RadauFrame next_frame(double t_bound) const;
  RadauFrame frame_to(double t_right) const;
  Attempt attempt(const RadauFrame& frame);
  Attempt prepare_matrices(const RadauFrame& frame, std::span<const double> xdot);
  void guess_stages(const RadauFrame& frame);
  double known_theta(const RadauFrame& frame) const;
  int iterations_told() const;
  Attempt solve_stages(const RadauFrame& frame, NewtonGoal goal);
  Attempt check_error(const RadauFrame& frame);
  Attempt check_sign();
  void answer(Attempt attempt, const RadauFrame& frame);
  bool hopeless(Attempt attempt, const RadauFrame& frame, double t_bound);
  Failure give_up(Attempt attempt, const RadauFrame& frame) const;
  void accept(const RadauFrame& frame);
  Attempt retake(const RadauFrame& frame);

  Problem problem_;
  std::size_t n_;
  RadauMatrices matrices_;
  RadauNewton newton_;
  RadauError error_;
  RadauController controller_;
  RadauInterpolant step_;       // the last accepted one
  RadauInterpolant shortened_;  // the same, ended earlier
  NewtonGoal goal_;
  double affine_theta_ =
      0.0;  // seen with this Jacobian, which is constant; 0: not yet, or it is not

  double t_ = 0.0;
  double h_ = 0.0;  // length of the next step to try, > 0
  std::vector<double> x_, xdot_;
  std::vector<double> x_left_, xdot_left_;  // where step_ began
  std::vector<double> x_new_, xdot_new_;
  std::vector<double> z_, weights_;

  bool started_ = false;           // start() was called and shorten() was not since
  bool has_step_ = false;          // step_ is there
  bool is_shortened_ = false;      // last_step() is shortened_
  bool continues_ = false;         // step_ ended where the next step begins: it may be extrapolated
  bool first_ = true;              // no step since the start
  bool rejected_ = false;          // this step was tried before
  bool step_was_guessed_ = false;  // h_ does not come from the user or from a controller
  bool jacobian_stale_ = true;     // a new one is needed
  bool jacobian_invalid_ = true;   // because the system has changed, not because it has got old
  bool jacobian_current_ = false;  // it was evaluated at the left end of this step
  int n_singular_ = 0;
  bool corrected_ = false;    // this step ended below zero within tolerance
  bool cut_by_sign_ = false;  // this step was tried longer and ended below zero
  int creeping_ = 0;          // how far the steps look like creeping along zero
  double error_norm_ = 0.0;
  NewtonReport report_;
};

}  // namespace saltus::detail
