#include "integrate/radau/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/numerics/norms.hpp>

namespace saltus::detail {

namespace {

constexpr int iterations_to_rounding = 40;

}  // namespace

// The error estimate is of order 3 and controls a method of order 5: asked for rtol, it is compared
// with a larger tolerance, so that the true error is of the size of rtol (as RADAU5 does it:
// rtol' = 0.1 rtol^(2/3), and atol' in the same ratio).
RadauEngine::RadauEngine(Problem problem)
    : problem_(std::move(problem)),
      n_(problem_.size()),
      matrices_(problem_.system().pattern(), problem_.options().linear_solver),
      newton_(n_),
      error_(n_),
      step_(n_),
      shortened_(n_),
      x_(n_),
      xdot_(n_),
      x_left_(n_),
      xdot_left_(n_),
      x_new_(n_),
      xdot_new_(n_),
      z_(radau_stages * n_),
      weights_(n_) {
  const EngineOptions& o = problem_.options();
  // Without a relative part, the smallest absolute one stands for the precision asked for.
  const double asked = o.rtol > 0 ? o.rtol : *std::min_element(o.atol.begin(), o.atol.end());
  atol_factor_ = 0.1 * std::pow(asked, -1.0 / 3.0);
  rtol_ = atol_factor_ * o.rtol;
  if (o.fixed_step > 0) {
    goal_ = {0.0, iterations_to_rounding, true};
  } else {
    // (IV.8.12): errors of the iteration stay well below those of the step, and above rounding.
    precision_ = atol_factor_ * asked;
    constexpr double eps = std::numeric_limits<double>::epsilon();
    goal_.tolerance = std::max(10.0 * eps / precision_, std::min(0.03, std::sqrt(precision_)));
  }
}

// ---- beginning --------------------------------------------------------------------------------

double RadauEngine::found_first_step(double t_towards) {
  // A step that changes the solution by one in a hundred of its size; the error decides the rest.
  const double span = std::abs(t_towards - t_);
  const double size = wrms_norm(x_, weights_);
  const double speed = wrms_norm(xdot_, weights_);
  constexpr double negligible = 1e-5;
  const bool at_rest = !(speed > negligible) || !(size > negligible);
  return std::min(at_rest ? 1e-3 * span : 1e-2 * size / speed, 0.1 * span);
}

Result<void> RadauEngine::start(const EnginePoint& point, double t_towards, const StartHint& hint) {
  SALTUS_ASSERT(point.x.size() == n_ && point.xdot.size() == n_);
  ++problem_.work.n_starts;
  t_ = point.t;
  // The point may be our own.
  if (point.x.data() != x_.data()) std::copy(point.x.begin(), point.x.end(), x_.begin());
  if (point.xdot.data() != xdot_.data()) {
    std::copy(point.xdot.begin(), point.xdot.end(), xdot_.begin());
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    if (std::isfinite(x_[i]) && std::isfinite(xdot_[i])) continue;
    started_ = false;
    return Failure{FailureCode::not_finite, "the start value of " +
                                                problem_.system().unknown_name(i) +
                                                " or of its derivative is not finite"};
  }
  weigh(x_);
  const double wanted = hint.step != 0 ? std::abs(hint.step) : problem_.options().initial_step;
  step_was_guessed_ = wanted == 0;
  h_ = step_was_guessed_ ? found_first_step(t_towards) : wanted;
  if (!hint.keep_jacobian || !matrices_.evaluated()) {
    jacobian_stale_ = jacobian_invalid_ = true;
  }
  jacobian_current_ = false;
  affine_theta_ = 0.0;
  started_ = true;
  has_step_ = is_shortened_ = continues_ = false;
  first_ = true;
  creeping_ = 0;
  controller_.start();
  return {};
}

void RadauEngine::weigh(std::span<const double> x) {
  if (!goal_.to_rounding) {
    problem_.error_weights(rtol_, atol_factor_, x, weights_);
    return;
  }
  for (std::uint32_t i = 0; i < n_; ++i) {
    weights_[i] = 1.0 / (std::abs(x[i]) + std::abs(problem_.system().nominal(i)));
  }
}

// ---- what was accepted ------------------------------------------------------------------------

StepPolynomial RadauEngine::last_step() {
  SALTUS_ASSERT(has_step_);
  return is_shortened_ ? shortened_.polynomial() : step_.polynomial();
}

RadauEngine::Attempt RadauEngine::retake(const RadauFrame& frame) {
  // Whoever looks for an event compares several of these: errors of Newton must not show.
  constexpr double tighter = 0.1;
  NewtonGoal goal = goal_;
  goal.tolerance *= tighter;
  goal.max_iterations = std::max(goal.max_iterations, 10);
  Attempt outcome = prepare_matrices(frame, xdot_left_);
  if (outcome != Attempt::accepted) return outcome;
  step_.restrict_to(frame.h, z_);
  return solve_stages(frame, goal);
}

Result<void> RadauEngine::shorten(double t) {
  SALTUS_ASSERT(has_step_);
  const RadauFrame frame{step_.t_left(), t, t - step_.t_left(), x_left_};
  SALTUS_ASSERT(frame.h / step_.h() > 0 && std::abs(frame.h) < std::abs(step_.h()));
  started_ = false;
  problem_.clear_trouble();
  weigh(x_left_);
  // The Jacobian that this step was accepted with will do again, unless the system has changed.
  const bool was_stale = std::exchange(jacobian_stale_, jacobian_invalid_);
  jacobian_current_ = false;
  Attempt outcome = retake(frame);
  if (outcome == Attempt::not_converged && !jacobian_current_) {
    ++problem_.work.n_convergence_failures;
    jacobian_stale_ = true;
    outcome = retake(frame);
  }
  if (!jacobian_current_) jacobian_stale_ = was_stale;
  if (outcome != Attempt::accepted) {
    if (outcome == Attempt::refused) {
      return problem_.failure(FailureCode::out_of_domain, "a shorter step cannot be evaluated",
                              frame.t_left, frame.h);
    }
    return give_up(outcome, frame);
  }
  // The longer step was accepted: what is negative here is so within its error.
  (void)problem_.enforce_sign(x_new_);
  shortened_.set(frame, z_);
  x_.swap(x_new_);
  xdot_.swap(xdot_new_);
  t_ = t;
  is_shortened_ = true;
  problem_.work.last_step = std::abs(frame.h);
  return {};
}

std::unique_ptr<Engine> make_radau_engine(Problem problem) {
  return std::make_unique<RadauEngine>(std::move(problem));
}

}  // namespace saltus::detail
