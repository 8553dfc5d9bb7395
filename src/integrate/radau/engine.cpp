#include "integrate/radau/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/numerics/norms.hpp>

namespace saltus::detail {

namespace {

// Below this rate of Newton's iteration the Jacobian is good enough for the next step.
constexpr double jacobian_kept_below = 1e-3;
// A step may be kept a little shorter than the controller allows, to keep the factors.
constexpr double factors_kept_up_to = 1.2;
// The last step may be stretched a little instead of leaving a tiny one.
constexpr double last_step_stretched_by = 1.05;
constexpr int most_singular_attempts = 8;
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
    const double inner = atol_factor_ * asked;
    constexpr double eps = std::numeric_limits<double>::epsilon();
    goal_.tolerance = std::max(10.0 * eps / inner, std::min(0.03, std::sqrt(inner)));
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
  std::copy(point.x.begin(), point.x.end(), x_.begin());
  std::copy(point.xdot.begin(), point.xdot.end(), xdot_.begin());
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
  started_ = true;
  has_step_ = is_shortened_ = continues_ = false;
  first_ = true;
  controller_.start();
  newton_.forget();
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

// ---- a step -----------------------------------------------------------------------------------

RadauFrame RadauEngine::next_frame(double t_bound) const {
  const EngineOptions& o = problem_.options();
  const double distance = std::abs(t_bound - t_);
  const double sign = t_bound < t_ ? -1.0 : 1.0;
  const RadauFrame last{t_, t_bound, t_bound - t_, x_};
  if (o.fixed_step > 0) {
    // Rounding of the bound, or of many steps, makes no step of its own.
    constexpr double as_good_as_there = 1e-8;
    if (distance <= (1.0 + as_good_as_there) * o.fixed_step) return last;
    return {t_, t_ + sign * o.fixed_step, sign * o.fixed_step, x_};
  }
  double h = std::min(h_, o.max_step);
  const double factored = sign * matrices_.factored_step();
  if (!jacobian_stale_ && factored <= h && h <= factors_kept_up_to * factored) h = factored;
  if (distance <= h || (distance <= last_step_stretched_by * h && distance <= o.max_step)) {
    return last;
  }
  if (distance < 2.0 * h) h = 0.5 * distance;
  return {t_, t_ + sign * h, sign * h, x_};
}

Result<void> RadauEngine::step(double t_bound) {
  SALTUS_ASSERT(started_);
  SALTUS_ASSERT(t_bound != t_);
  problem_.clear_trouble();
  weigh(x_);
  rejected_ = false;
  n_singular_ = 0;
  while (true) {
    const RadauFrame frame = next_frame(t_bound);
    const Attempt outcome = attempt(frame);
    if (outcome == Attempt::accepted) {
      accept(frame);
      return {};
    }
    answer(outcome, frame);
    if (hopeless(outcome, frame, t_bound)) return give_up(outcome, frame);
    rejected_ = true;
  }
}

RadauEngine::Attempt RadauEngine::prepare_matrices(const RadauFrame& frame,
                                                   std::span<const double> xdot) {
  if (jacobian_stale_) {
    const Evaluation done = matrices_.evaluate(problem_, frame.t_left, frame.x_left, xdot);
    if (!done) {
      return done.status() == Evaluation::Status::failed ? Attempt::failed : Attempt::no_jacobian;
    }
    jacobian_stale_ = jacobian_invalid_ = false;
    jacobian_current_ = true;
  }
  if (matrices_.factored_step() == frame.h) return Attempt::accepted;
  return matrices_.factor(frame.h, problem_.work) ? Attempt::accepted : Attempt::singular;
}

RadauEngine::Attempt RadauEngine::solve_stages(const RadauFrame& frame, const NewtonGoal& goal) {
  using Outcome = NewtonReport::Outcome;
  report_ = newton_.solve(problem_, matrices_, frame, goal, weights_, z_);
  switch (report_.outcome) {
    case Outcome::failed:
      return Attempt::failed;
    case Outcome::refused:
      return Attempt::refused;
    case Outcome::not_converged:
      return Attempt::not_converged;
    case Outcome::converged:
      break;
  }
  const auto z3 = stage(std::span<const double>(z_), 2);
  const RadauRow& slope = radau_tableau.a_inverse[2];
  for (std::size_t k = 0; k < n_; ++k) {
    x_new_[k] = frame.x_left[k] + z3[k];
    xdot_new_[k] = (slope[0] * z_[k] + slope[1] * z_[n_ + k] + slope[2] * z_[2 * n_ + k]) / frame.h;
  }
  return Attempt::accepted;
}

RadauEngine::Attempt RadauEngine::check_error(const RadauFrame& frame) {
  if (problem_.options().fixed_step > 0) return Attempt::accepted;
  const Evaluation done =
      error_.estimate(problem_, matrices_, frame, z_, weights_, first_ || rejected_, error_norm_);
  if (!done) {
    return done.status() == Evaluation::Status::failed ? Attempt::failed : Attempt::refused;
  }
  return error_norm_ < 1.0 ? Attempt::accepted : Attempt::error_too_large;
}

RadauEngine::Attempt RadauEngine::attempt(const RadauFrame& frame) {
  Attempt outcome = prepare_matrices(frame, xdot_);
  if (outcome != Attempt::accepted) return outcome;
  if (continues_) {
    step_.extrapolate(frame.h, z_);
  } else {
    std::fill(z_.begin(), z_.end(), 0.0);
  }
  outcome = solve_stages(frame, goal_);
  if (outcome != Attempt::accepted) return outcome;
  outcome = check_error(frame);
  if (outcome != Attempt::accepted) return outcome;
  return problem_.enforce_sign(x_new_) == Problem::Sign::violated ? Attempt::negative
                                                                  : Attempt::accepted;
}

// The length to try next, after a step that was not accepted.
void RadauEngine::answer(Attempt attempt, const RadauFrame& frame) {
  const double h = std::abs(frame.h);
  switch (attempt) {
    case Attempt::error_too_large:
      ++problem_.work.n_error_failures;
      h_ =
          first_ && step_was_guessed_
              ? 0.1 * h
              : controller_.after_failure(h, error_norm_, report_.iterations, goal_.max_iterations);
      break;
    case Attempt::not_converged:
      ++problem_.work.n_convergence_failures;
      h_ = jacobian_current_ ? report_.step_factor * h : h;
      break;
    case Attempt::singular:
      ++n_singular_;
      h_ = 0.5 * h;
      break;
    default:
      h_ = 0.5 * h;
  }
  newton_.forget();
}

bool RadauEngine::hopeless(Attempt attempt, const RadauFrame& frame, double t_bound) {
  if (attempt == Attempt::failed || attempt == Attempt::no_jacobian) return true;
  if (attempt == Attempt::singular && n_singular_ >= most_singular_attempts) return true;
  // A Jacobian of an earlier point is given up before the step is.
  if (attempt != Attempt::error_too_large && !jacobian_current_) {
    jacobian_stale_ = true;
    if (attempt == Attempt::not_converged) return false;
  }
  if (problem_.options().fixed_step > 0) return true;
  const double least = problem_.smallest_step(t_);
  return h_ < least || (std::abs(t_bound - t_) <= least && frame.t_right == t_bound);
}

Failure RadauEngine::give_up(Attempt attempt, const RadauFrame& frame) const {
  const double h = frame.h;
  switch (attempt) {
    case Attempt::failed:
      return problem_.failure(FailureCode::external_failed, "an evaluation failed", t_, h);
    case Attempt::no_jacobian:
      return problem_.failure(FailureCode::out_of_domain, "the Jacobian cannot be evaluated", t_,
                              h);
    case Attempt::singular: {
      const auto column = static_cast<std::uint32_t>(matrices_.singular_column());
      return problem_.failure(FailureCode::singular,
                              "the iteration matrix is singular; the equations do not determine '" +
                                  problem_.system().unknown_name(column) + "' and its derivative",
                              t_, h);
    }
    case Attempt::negative:
      return problem_.step_too_small("an unknown that must not be negative becomes so", t_, h);
    case Attempt::error_too_large:
      return problem_.step_too_small("the error stays above the tolerance", t_, h);
    case Attempt::refused:
      return problem_.step_too_small("no point of a step can be evaluated", t_, h);
    case Attempt::not_converged:
    case Attempt::accepted:
      break;
  }
  if (problem_.options().fixed_step > 0) {
    return problem_.failure(FailureCode::not_converged, "the stages cannot be solved", t_, h);
  }
  return problem_.step_too_small("the stages cannot be solved", t_, h);
}

void RadauEngine::accept(const RadauFrame& frame) {
  const double h = std::abs(frame.h);
  const bool cut_short = h < h_;  // by the bound or to keep factors, not by the controller
  const double wanted = h_;
  step_.set(frame, z_);
  x_left_.swap(x_);
  xdot_left_.swap(xdot_);
  x_.swap(x_new_);
  xdot_.swap(xdot_new_);
  t_ = frame.t_right;

  if (problem_.options().fixed_step == 0) {
    double next =
        controller_.after_success(h, error_norm_, report_.iterations, goal_.max_iterations);
    if (rejected_) next = std::min(next, h);
    h_ = cut_short && !rejected_ ? std::max(next, wanted) : next;
    h_ = std::min(h_, problem_.options().max_step);
  } else {
    h_ = problem_.options().fixed_step;
  }
  jacobian_current_ = false;
  if (report_.theta > jacobian_kept_below) jacobian_stale_ = true;
  has_step_ = continues_ = true;
  is_shortened_ = false;
  first_ = false;

  WorkCounts& work = problem_.work;
  ++work.n_steps;
  work.last_step = h;
  work.next_step = h_;
  work.last_order = work.next_order = 5;

  switch (problem_.accepted(t_, x_, xdot_)) {
    case StepRefresh::Answer::unchanged:
      break;
    case StepRefresh::Answer::restart:
      continues_ = false;
      first_ = true;
      step_was_guessed_ = false;
      controller_.start();
      newton_.forget();
      [[fallthrough]];
    case StepRefresh::Answer::new_jacobian:
      jacobian_stale_ = jacobian_invalid_ = true;
      break;
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
  newton_.forget();
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
