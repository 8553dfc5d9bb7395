// One step of the engine: attempts, and the answers to those that were not accepted.

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/numerics/norms.hpp>

#include "integrate/radau/engine.hpp"

namespace saltus::detail {

namespace {

// Below this rate of Newton's iteration the Jacobian is good enough for the next step.
constexpr double jacobian_kept_below = 1e-3;
// A step may be kept a little shorter than the controller allows, to keep the factors.
constexpr double factors_kept_up_to = 1.2;
// The last step may be stretched a little instead of leaving a tiny one.
constexpr double last_step_stretched_by = 1.05;
constexpr int most_singular_attempts = 8;
// A solution that wants to become negative would creep along zero for ever, in steps that are cut to a
// fraction of the tolerance; one that stays near zero is corrected in steps of its own length. Cut
// steps count up by two (the step after a cut one is not tried longer), others down by one.
constexpr int most_creeping = 50;

}  // namespace

RadauFrame RadauEngine::next_frame(double t_bound) const {
  const EngineOptions& o = problem_.options();
  const double distance = std::abs(t_bound - t_);
  const double sign = t_bound < t_ ? -1.0 : 1.0;
  const RadauFrame last{t_, t_bound, t_bound - t_, x_};
  if (o.fixed_step > 0) {
    // Rounding of the bound, or of many steps, makes no step of its own.
    constexpr double as_good_as_there = 1e-8;
    if (distance <= (1.0 + as_good_as_there) * o.fixed_step) return last;
    return frame_to(t_ + sign * o.fixed_step);
  }
  double h = std::clamp(h_, std::min(problem_.smallest_step(t_), o.max_step), o.max_step);
  const double factored = sign * matrices_.factored_step();
  if (!jacobian_stale_ && factored <= h && h <= factors_kept_up_to * factored) h = factored;
  if (distance <= h || (distance <= last_step_stretched_by * h && distance <= o.max_step)) {
    return last;
  }
  if (distance < 2.0 * h) h = 0.5 * distance;
  return frame_to(t_ + sign * h);
}

// The step is as long as the clock says: far from zero, t + h is rounded, and a difference between the
// two would add up to a drift.
RadauFrame RadauEngine::frame_to(double t_right) const { return {t_, t_right, t_right - t_, x_}; }

Result<void> RadauEngine::step(double t_bound) {
  SALTUS_ASSERT(started_);
  SALTUS_ASSERT(t_bound != t_);
  problem_.clear_trouble();
  weigh(x_);
  rejected_ = cut_by_sign_ = false;
  n_singular_ = 0;
  while (true) {
    const RadauFrame frame = next_frame(t_bound);
    // Time would stand still.
    if (frame.t_right == t_) return give_up(Attempt::error_too_large, frame);
    const Attempt outcome = attempt(frame);
    if (outcome == Attempt::accepted) {
      accept(frame);
      return problem_.verdict();
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
    affine_theta_ = 0.0;
  }
  // Rounded times make steps that were meant to be equal differ a little.
  constexpr double same_step = 1e-3;
  const double factored = matrices_.factored_step();
  if (std::abs(frame.h - factored) <= same_step * std::abs(frame.h)) return Attempt::accepted;
  return matrices_.factor(frame.h, problem_.work) ? Attempt::accepted : Attempt::singular;
}

/// Of an affine system one correction is the solution, up to rounding and to the step that the matrix was factored
/// for: a second one only measures that, once for each Jacobian. As in RADAU5 the rate is trusted a little less.
double RadauEngine::known_theta(const RadauFrame& frame) const {
  if (affine_theta_ == 0) return 0.0;
  constexpr double trust = 0.8, largest = 0.1;
  const double other_step = std::abs(matrices_.factored_step() / frame.h - 1.0);
  const double theta = std::pow(affine_theta_, trust) + 2.0 * other_step;
  return theta < largest ? theta : 0.0;
}

/// That a second correction was not needed says nothing about the step.
int RadauEngine::iterations_told() const { return std::max(report_.iterations, 2); }

RadauEngine::Attempt RadauEngine::solve_stages(const RadauFrame& frame, NewtonGoal goal) {
  using Outcome = NewtonReport::Outcome;
  goal.known_theta = known_theta(frame);
  report_ = newton_.solve(problem_, matrices_, frame, goal, weights_, z_);
  if (report_.iterations > 1 && problem_.system().has_constant_jacobian())
    affine_theta_ = std::max(report_.theta, std::numeric_limits<double>::epsilon());
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
  const auto z3 = radau_stage(std::span<const double>(z_), 2);
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

RadauEngine::Attempt RadauEngine::check_sign() {
  const Problem::Sign sign = problem_.enforce_sign(x_new_);
  if (sign == Problem::Sign::violated) return Attempt::negative;
  corrected_ = sign == Problem::Sign::corrected;
  const bool creeps = corrected_ && creeping_ >= most_creeping;
  return creeps ? Attempt::stays_negative : Attempt::accepted;
}

// Extrapolated, or after a start along the tangent; where the tangent leads far away (a transient that
// the step passes over) the left end is the better guess.
void RadauEngine::guess_stages(const RadauFrame& frame) {
  if (continues_) {
    step_.extrapolate(frame.h, z_);
    return;
  }
  const double relative_change = std::abs(frame.h) * wrms_norm(xdot_, weights_) * precision_;
  const bool tangent = relative_change < 1.0;
  for (std::size_t i = 0; i < radau_stages; ++i) {
    const auto zi = radau_stage(std::span<double>(z_), i);
    const double length = tangent ? radau_tableau.c[i] * frame.h : 0.0;
    for (std::size_t k = 0; k < n_; ++k) zi[k] = length * xdot_[k];
  }
}

RadauEngine::Attempt RadauEngine::attempt(const RadauFrame& frame) {
  Attempt outcome = prepare_matrices(frame, xdot_);
  if (outcome != Attempt::accepted) return outcome;
  guess_stages(frame);
  outcome = solve_stages(frame, goal_);
  if (outcome != Attempt::accepted) return outcome;
  outcome = check_error(frame);
  if (outcome != Attempt::accepted) return outcome;
  return check_sign();
}

// The length to try next, after a step that was not accepted.
void RadauEngine::answer(Attempt attempt, const RadauFrame& frame) {
  const double h = std::abs(frame.h);
  switch (attempt) {
    case Attempt::error_too_large:
      ++problem_.work.n_error_failures;
      h_ = first_ && step_was_guessed_
               ? 0.1 * h
               : controller_.after_failure(h, error_norm_, iterations_told(), goal_.max_iterations);
      break;
    case Attempt::not_converged:
      ++problem_.work.n_convergence_failures;
      h_ = jacobian_current_ ? report_.step_factor * h : h;
      break;
    case Attempt::singular:
      ++n_singular_;
      h_ = 0.5 * h;
      break;
    case Attempt::negative:
      cut_by_sign_ = true;
      h_ = 0.5 * h;
      break;
    default:
      h_ = 0.5 * h;
  }
}

bool RadauEngine::hopeless(Attempt attempt, const RadauFrame& frame, double t_bound) {
  if (attempt == Attempt::failed || attempt == Attempt::no_jacobian) return true;
  if (attempt == Attempt::stays_negative) return true;
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
    case Attempt::stays_negative:
      return problem_.step_too_small(
          "a value becomes negative, among " + problem_.names_of_non_negative(), t_, h);
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
        controller_.after_success(h, error_norm_, iterations_told(), goal_.max_iterations);
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
  creeping_ = corrected_ && cut_by_sign_ ? creeping_ + 2 : std::max(creeping_ - 1, 0);

  WorkCounts& work = problem_.work;
  ++work.n_steps;
  work.last_step = h;
  work.next_step = h_;
  work.last_order = work.next_order = 5;

  switch (problem_.accepted(t_, x_, xdot_)) {
    case StepRefresh::Answer::unchanged:
    case StepRefresh::Answer::stop:
      break;
    case StepRefresh::Answer::restart:
      continues_ = false;
      first_ = true;
      step_was_guessed_ = false;
      controller_.start();
      [[fallthrough]];
    case StepRefresh::Answer::new_jacobian:
      jacobian_stale_ = jacobian_invalid_ = true;
      break;
  }
}

}  // namespace saltus::detail
