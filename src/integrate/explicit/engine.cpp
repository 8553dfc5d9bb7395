#include "integrate/explicit/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <saltus/core/text.hpp>

#include "integrate/explicit/controller.hpp"
#include "integrate/explicit/first_step.hpp"
#include "integrate/explicit/step.hpp"
#include "integrate/explicit/stiffness.hpp"

namespace saltus::detail {

namespace {

/// Steps towards a bound:
///
///   h = what the controller wants, fitted to the bound
///   repeat: attempt a step of length h
///     a stage out of domain or refused, or a sign violated: h = h/2
///     error > 1: h = what the controller says
///     the projection onto constraints, if there is one, moves the end by more than the error: h = h/2
///     else accept
///   until h < smallest step: failure; the present point is untouched.
///
/// What constraints move is of the order of the true error and falls faster with h than the estimate. If
/// it does not while h falls by six decades, the equations do not keep the constraints; steps so
/// short that rounding hides it would not get anywhere.
class ExplicitEngine final : public Engine {
 public:
  ExplicitEngine(const std::shared_ptr<const ExplicitScheme>& scheme, Problem problem)
      : kind_(scheme->tableau.kind),
        order_(scheme->tableau.order),
        problem_(std::move(problem)),
        step_(scheme, problem_.size()),
        controller_(scheme->tableau),
        stiffness_(scheme->tableau.stability_limit),
        scratch_(3 * std::size_t{problem_.size()}) {}

  EngineKind kind() const override { return kind_; }
  Result<void> start(const EnginePoint& point, double t_towards, const StartHint& hint) override;
  Result<void> step(double t_bound) override;
  StepPolynomial last_step() override;
  Result<void> shorten(double t) override;

  double t() const override { return step_.now().t; }
  std::span<const double> x() const override { return {step_.now().x, problem_.size()}; }
  std::span<const double> xdot() const override { return {step_.now().f, problem_.size()}; }
  const WorkCounts& work() const override { return problem_.work; }
  void set_stage_check(StageCheck check) override { problem_.stage_check = std::move(check); }
  bool finds_stiff() const override { return stiffness_.found(); }

 private:
  enum class State : std::uint8_t { not_started, started, stepped, shortened };
  enum class Attempt : std::uint8_t { good, inaccurate, moved_too_far, unusable, failed };

  static constexpr int most_moved = 20;

  bool has_fixed_step() const { return problem_.options().fixed_step > 0.0; }
  double fitted(double wanted, double rest) const;
  Result<void> find_first_length(double t_towards, const StartHint& hint);
  Result<void> refresh_derivative();
  Result<void> evaluate_start(const char* what);
  Result<void> project_start();
  Attempt attempt_to(double t, double& error);
  void accept(double wanted, double error, bool repeated);
  Failure external_failure(double h) const;

  EngineKind kind_;
  int order_;
  Problem problem_;
  ExplicitStep step_;
  StepController controller_;
  StiffnessTest stiffness_;
  std::vector<double> scratch_;

  State state_ = State::not_started;
  double next_length_ = 0.0;
  double original_right_ = 0.0;  // end of the last step before it was shortened
  bool derivative_is_stale_ = false;
};

Failure ExplicitEngine::external_failure(double h) const {
  return problem_.failure(FailureCode::external_failed, "a function of the system failed", t(), h);
}

Result<void> ExplicitEngine::start(const EnginePoint& point, double t_towards,
                                   const StartHint& hint) {
  SALTUS_ASSERT(point.x.size() == problem_.size());
  problem_.clear_trouble();
  ++problem_.work.n_starts;
  step_.place_trial(point.t, point.x);
  if (auto done = project_start(); !done) return done;
  if (hint.derivative_known && !problem_.has_step_projection()) {
    step_.set_start_derivative(point.xdot);
  } else if (auto done = evaluate_start("the equations cannot be evaluated at the start"); !done) {
    return done;
  }
  step_.accept_start();
  controller_.reset();
  stiffness_.forget_history();
  derivative_is_stale_ = false;
  state_ = State::started;
  return find_first_length(t_towards, hint);
}

Result<void> ExplicitEngine::evaluate_start(const char* what) {
  const Evaluation evaluation = step_.evaluate_start(problem_);
  if (evaluation) return {};
  const double at = step_.trial().t;
  if (evaluation.status() == Evaluation::Status::failed) {
    return problem_.failure(FailureCode::external_failed, "a function of the system failed", at,
                            0.0);
  }
  return problem_.failure(FailureCode::out_of_domain, what, at, 0.0);
}

// A start is consistent as far as a tolerance tells; what is left would be taken for the first step's
// fault.
Result<void> ExplicitEngine::project_start() {
  if (!problem_.has_step_projection()) return {};
  const double at = step_.trial().t;
  ExplicitStep::Shift shift;
  const Evaluation done = step_.project(problem_, shift);
  if (!done) {
    const bool failed = done.status() == Evaluation::Status::failed;
    return problem_.failure(failed ? FailureCode::external_failed : FailureCode::out_of_domain,
                            "the start cannot be projected onto the constraints", at, 0.0);
  }
  if (shift.moved <= std::max(1.0, shift.rounding)) return {};
  return problem_.failure(FailureCode::not_converged,
                          "the start lies " + to_text(shift.moved) +
                              " tolerances away from the constraints; give consistent values",
                          at, 0.0);
}

Result<void> ExplicitEngine::find_first_length(double t_towards, const StartHint& hint) {
  const EngineOptions& options = problem_.options();
  const double way = t_towards - t();
  const double longest = std::min(std::abs(way), options.max_step);
  if (has_fixed_step()) {
    next_length_ = options.fixed_step;
  } else if (hint.step != 0.0) {
    next_length_ = std::abs(hint.step);
  } else if (options.initial_step > 0.0) {
    next_length_ = options.initial_step;
  } else if (longest == 0.0) {
    next_length_ = 0.0;
  } else {
    const FirstStep first =
        find_first_step(problem_, t(), x(), xdot(), std::copysign(longest, way), order_, scratch_);
    if (!first.evaluation) return external_failure(first.length);
    next_length_ = first.length;
  }
  problem_.work.next_step = next_length_;
  problem_.work.next_order = order_;
  return {};
}

// The length of the next step, `rest` before the bound. A rest a little longer than wanted is taken
// at once, since h (1 + 1/100) raises the error of order p by p/100 only; less than two steps are
// shared evenly, so that no tiny step is left over.
double ExplicitEngine::fitted(double wanted, double rest) const {
  const double rounding = 64.0 * std::numeric_limits<double>::epsilon() * std::abs(t());
  if (has_fixed_step()) return rest <= wanted + rounding ? rest : wanted;
  const double longest = problem_.options().max_step;
  const double length = std::min(wanted, longest);
  if (rest <= 1.01 * length && rest <= longest + rounding) return rest;
  return rest < 2.0 * length ? 0.5 * rest : length;
}

// After the system has changed under way.
Result<void> ExplicitEngine::refresh_derivative() {
  if (!derivative_is_stale_) return {};
  step_.place_trial(t(), x());
  if (auto done = evaluate_start("the equations cannot be evaluated after a change of the system");
      !done)
    return done;
  step_.accept_start();
  controller_.reset();
  derivative_is_stale_ = false;
  return {};
}

ExplicitEngine::Attempt ExplicitEngine::attempt_to(double t, double& error) {
  const auto unusable = [](Evaluation evaluation) {
    return evaluation.status() == Evaluation::Status::failed ? Attempt::failed : Attempt::unusable;
  };
  const bool error_wanted = !has_fixed_step();
  if (const Evaluation done = step_.attempt(problem_, step_.now(), t, error_wanted); !done) {
    return unusable(done);
  }
  error = 0.0;
  if (error_wanted) {
    error = step_.error(problem_);
    if (!(error <= 1.0)) return Attempt::inaccurate;
  }
  if (problem_.has_step_projection()) {
    ExplicitStep::Shift shift;
    if (const Evaluation done = step_.project(problem_, shift); !done) return unusable(done);
    // Where the error vanishes (motion that stands still on its constraints) rounding of f remains.
    constexpr double harmless = 1e-5;  // tolerances
    if (error_wanted && !(shift.moved <= std::max({error, shift.rounding, harmless}))) {
      return Attempt::moved_too_far;
    }
  }
  const Problem::Sign sign = problem_.enforce_sign({step_.trial().x, problem_.size()});
  if (sign == Problem::Sign::violated) return Attempt::unusable;
  const Evaluation done = step_.complete(problem_, sign == Problem::Sign::corrected);
  return done ? Attempt::good : unusable(done);
}

Result<void> ExplicitEngine::step(double t_bound) {
  SALTUS_ASSERT(state_ == State::started || state_ == State::stepped);
  SALTUS_ASSERT(t_bound != t());
  problem_.clear_trouble();
  if (auto done = refresh_derivative(); !done) return done;

  const double rest = std::abs(t_bound - t());
  const double wanted = next_length_ > 0.0 ? next_length_ : rest;
  const double smallest = problem_.smallest_step(t());
  double length = fitted(std::max(wanted, smallest), rest);
  int n_moved = 0;
  for (bool repeated = false;; repeated = true) {
    // A bound may be nearer than the smallest step; it is reached nevertheless.
    const bool reaches = length >= rest;
    const double t_new = reaches ? t_bound : t() + std::copysign(length, t_bound - t());
    if ((length < smallest && !reaches) || t_new == t()) {
      return problem_.step_too_small("no step is short enough", t(), length);
    }
    double error = 0.0;
    const Attempt attempt = attempt_to(t_new, error);
    if (attempt == Attempt::good) {
      accept(wanted, error, repeated);
      return problem_.verdict();
    }
    if (attempt == Attempt::failed) return external_failure(length);
    if (has_fixed_step()) {
      return problem_.step_too_small("a step of fixed length is not possible", t(), length);
    }
    if (attempt == Attempt::inaccurate) {
      ++problem_.work.n_error_failures;
      length = controller_.after_rejected(length, error);
    } else {
      if (attempt == Attempt::moved_too_far) {
        ++problem_.work.n_error_failures;
        if (++n_moved > most_moved) {
          return problem_.step_too_small(
              "moving the end of a step onto the constraints exceeds the error of the step, "
              "however small the step",
              t(), length);
        }
      }
      length *= 0.5;
    }
  }
}

void ExplicitEngine::accept(double wanted, double error, bool repeated) {
  WorkCounts& work = problem_.work;
  ++work.n_steps;
  if (stiffness_.is_due(work.n_steps)) stiffness_.observe(step_.h_lambda());
  step_.accept();
  state_ = State::stepped;
  original_right_ = t();
  const double length = std::abs(t() - step_.left().t);
  if (!has_fixed_step()) {
    next_length_ = controller_.after_accepted(length, error, repeated);
    // A bound cut the step; what was wanted before is still good.
    if (!repeated && length < wanted) next_length_ = std::max(next_length_, wanted);
  }
  work.last_step = length;
  work.next_step = next_length_;
  work.last_order = work.next_order = order_;
  // What the extension evaluates belongs to the system as it was during the step.
  if (problem_.has_step_refresh()) step_.polynomial(problem_);
  if (problem_.accepted(t(), x(), xdot()) == StepRefresh::Answer::restart) {
    derivative_is_stale_ = true;
  }
}

StepPolynomial ExplicitEngine::last_step() {
  SALTUS_ASSERT(state_ == State::stepped || state_ == State::shortened);
  return step_.polynomial(problem_);
}

Result<void> ExplicitEngine::shorten(double t_new) {
  SALTUS_ASSERT(state_ == State::stepped || state_ == State::shortened);
  const ExplicitStep::Node left = step_.left();
  SALTUS_ASSERT((t_new - left.t) * (original_right_ - left.t) > 0.0 &&
                std::abs(t_new - left.t) < std::abs(original_right_ - left.t));
  problem_.clear_trouble();
  const double h = t_new - left.t;
  Evaluation done = step_.attempt(problem_, left, t_new, false);
  // The longer step was not moved too far, so this one is not.
  ExplicitStep::Shift shift;
  if (done && problem_.has_step_projection()) done = step_.project(problem_, shift);
  Problem::Sign sign = Problem::Sign::fine;
  if (done) sign = problem_.enforce_sign({step_.trial().x, problem_.size()});
  if (done && sign != Problem::Sign::violated) {
    done = step_.complete(problem_, sign == Problem::Sign::corrected);
  }
  if (done && sign != Problem::Sign::violated) {
    step_.replace_by_trial();
    state_ = State::shortened;
    problem_.work.last_step = std::abs(h);
    return {};
  }
  const bool failed = done.status() == Evaluation::Status::failed;
  const Failure failure =
      failed ? external_failure(h)
             : problem_.failure(FailureCode::out_of_domain, "the step cannot be shortened", t(), h);
  step_.restore(problem_);
  return failure;
}

}  // namespace

std::unique_ptr<Engine> make_explicit_engine(const ExplicitTableau& tableau, Problem problem) {
  return std::make_unique<ExplicitEngine>(std::make_shared<const ExplicitScheme>(tableau),
                                          std::move(problem));
}

std::unique_ptr<Engine> make_explicit_engine(EngineKind kind, Problem problem) {
  static const auto dopri5 = std::make_shared<const ExplicitScheme>(dopri5_tableau());
  static const auto dop853 = std::make_shared<const ExplicitScheme>(dop853_tableau());
  return std::make_unique<ExplicitEngine>(kind == EngineKind::dopri5 ? dopri5 : dop853,
                                          std::move(problem));
}

}  // namespace saltus::detail
