#include "integrate/sundials/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/sundials/failure.hpp"
#include "integrate/sundials/polynomial.hpp"

namespace saltus::detail::sundials {

namespace {

constexpr std::size_t max_bdf_order = 5;

// Newton's iteration ends once rate/(1 - rate) |last correction| <= this, in units of the
// tolerance. What it leaves is noise to the differences that BDF estimates errors from. Measured at
// tolerance 1e-8, sum over oscillator, index-1 DAE, Robertson and Van der Pol:
//   coefficient   0.33 (IDA)  0.1    0.03   0.01
//   steps         4282        3556   3515   3560
//   residuals     5938        6751   6709   8193
// and on the transistor amplifier at 1e-4 steps 4732, 3329, 2577, 2034 and residuals 13085, 8712,
// 6767, 5559.
constexpr double newton_tolerance = 0.03;

// Attempts at one step. Each failure divides the step by up to 4, and 4^-40 = 8e-25: what ends the
// attempts is the smallest step, not their number.
constexpr int max_attempts = 40;

// A solution that wants to become negative is corrected in every step and creeps along zero in
// steps of a fraction of the tolerance. One that only touches zero is corrected a few times:
// Robertson's kinetics at rtol = 1e-2 and 1e-3 at most 8 times in a run to t = 4e10.
constexpr int max_corrections_in_a_row = 50;

// After a restart that the system asked for, as a fraction of the step before it.
constexpr double restart_fraction = 0.05;

// Far from t = 0 the first steps, a fraction of the tolerance long, may be shorter than an ulp of t.
// The caller sees those together as one. They double from one to the next, so ten make three decades;
// as many as this are a system too fast for its time.
constexpr int max_hidden_steps = 1000;

// Two times that nothing can be integrated between.
bool within_rounding(double t, double t_bound) {
  constexpr double factor = 4.0 * std::numeric_limits<double>::epsilon();
  return std::abs(t_bound - t) <= factor * (std::abs(t) + std::abs(t_bound));
}

}  // namespace

IdaEngine::IdaEngine(Problem problem)
    : problem_(std::move(problem)),
      context_(make_context()),
      x_(Vector::owning(problem_.size(), context_)),
      xdot_(Vector::owning(problem_.size(), context_)),
      x_next_(Vector::owning(problem_.size(), context_)),
      xdot_next_(Vector::owning(problem_.size(), context_)),
      row_(Vector::looking(problem_.size(), context_)),
      newton_(problem_, clock_, fence_, context_),
      convergence_(x_, newton_tolerance, context_),
      ida_(IDACreate(context_.get())),
      coefficients_((max_bdf_order + 1) * problem_.size()) {
  if (!ida_) throw std::bad_alloc();
  set_up_ida();
}

void IdaEngine::set_up_ida() {
  void* ida = ida_.get();
  const EngineOptions& o = problem_.options();
  // The library is silent: codes are enough.
  must_succeed(IDASetErrHandlerFn(
      ida, [](int, const char*, const char*, char*, void*) {}, nullptr));
  must_succeed(IDASetUserData(ida, this));
  must_succeed(IDASetMaxOrd(ida, o.max_order));
  must_succeed(IDAInit(ida, &on_residual, 0.0, x_.get(), xdot_.get()));
  must_succeed(IDAWFtolerances(ida, &on_weights));
  newton_.attach_to(ida);
  must_succeed(IDASetNonlinConvCoef(ida, newton_tolerance));
  if (const auto stand_ins = problem_.stand_ins(); !stand_ins.empty()) {
    std::ranges::transform(stand_ins, x_next_.values().begin(),
                           [](std::uint8_t is_one) { return is_one != 0 ? 0.0 : 1.0; });
    must_succeed(IDASetId(ida, x_next_.get()));
    must_succeed(IDASetSuppressAlg(ida, SUNTRUE));
  }
  convergence_.attach_to(ida, problem_.others_follow_stand_ins()
                                  ? MeasuredConvergence::Rate::measured
                                  : MeasuredConvergence::Rate::of_ida);
  must_succeed(IDASetMaxErrTestFails(ida, max_attempts));
  must_succeed(IDASetMaxConvFails(ida, max_attempts));
  if (std::isfinite(o.max_step)) must_succeed(IDASetMaxStep(ida, o.max_step));
  if (std::any_of(o.non_negative.begin(), o.non_negative.end(), [](auto f) { return f != 0; })) {
    constexpr double not_negative = 1.0;  // IDA's code for x >= 0
    for (std::uint32_t i = 0; i < problem_.size(); ++i) {
      x_next_.values()[i] = o.non_negative[i] != 0 ? not_negative : 0.0;
    }
    must_succeed(IDASetConstraints(ida, x_next_.get()));
  }
}

int IdaEngine::on_residual(double tau, N_Vector x, N_Vector xdot, N_Vector f, void* engine) {
  auto& self = *static_cast<IdaEngine*>(engine);
  return self.fence_.hold([&] {
    const double t = self.clock_.of(tau);
    return code_of(self.problem_.residual(t, values_of(x), values_of(xdot), values_of(f)));
  });
}

int IdaEngine::on_weights(N_Vector x, N_Vector weights, void* engine) {
  static_cast<IdaEngine*>(engine)->problem_.error_weights(values_of(x), values_of(weights));
  return 0;
}

// ---- starting --------------------------------------------------------------------------------------

Result<void> IdaEngine::start(const EnginePoint& point, double t_towards, const StartHint& hint) {
  SALTUS_ASSERT(point.x.size() == problem_.size() && point.xdot.size() == problem_.size());
  std::copy(point.x.begin(), point.x.end(), x_.values().begin());
  std::copy(point.xdot.begin(), point.xdot.end(), xdot_.values().begin());
  t_ = point.t;
  t_towards_ = t_towards;
  step_kind_ = StepKind::none;
  state_ = State::must_start;
  n_corrected_steps_ = 0;
  problem_.clear_trouble();
  if (problem_.enforce_sign(x_.values()) == Problem::Sign::violated) {
    return problem_.failure(FailureCode::out_of_domain,
                            "a value starts below zero, among " + problem_.names_of_non_negative(),
                            t_, 0.0);
  }
  if (hint.keep_jacobian) newton_.keep_parts_once();
  restart_step_ = hint.step != 0.0 ? std::abs(hint.step) : problem_.options().initial_step;
  begin(restart_step_);
  return {};
}

void IdaEngine::begin(double h) {
  ++problem_.work.n_starts;
  clock_.start_at(t_);
  tau_ = 0.0;
  must_succeed(IDAReInit(ida_.get(), 0.0, x_.get(), xdot_.get()));
  must_succeed(IDASetInitStep(ida_.get(), t_towards_ < t_ ? -h : h));
  seen_ = {};
  state_ = State::fresh;
}

// ---- stepping --------------------------------------------------------------------------------------

Result<void> IdaEngine::step(double t_bound) {
  SALTUS_ASSERT(state_ != State::must_start && t_bound != t_);
  void* ida = ida_.get();
  if (state_ == State::must_restart) {
    t_towards_ = t_bound;
    problem_.settle(t_, x_.values(), xdot_.values());
    begin(restart_step_);
  }
  if (state_ == State::fresh && within_rounding(t_, t_bound)) return step_straight(t_bound);

  problem_.clear_trouble();
  newton_.forget_trouble();
  clock_.set_bound(t_bound);
  must_succeed(IDASetStopTime(ida, clock_.local_bound()));
  must_succeed(
      IDASetMinStep(ida, std::min(problem_.smallest_step(tau_), problem_.options().max_step)));
  // In the first step the end of the run gives direction and scale; later ones do not look at it.
  const double t_end = std::isfinite(t_towards_) && t_towards_ != t_ ? t_towards_ : t_bound;
  const double tau_end = clock_.to_local(state_ == State::fresh ? t_end : t_bound);
  double tau = tau_;
  double t = t_;
  int flag = IDA_SUCCESS;
  StepKind kind = StepKind::none;
  int n_hidden = 0;
  for (;; ++n_hidden) {
    flag = IDASolve(ida, tau_end, &tau, x_next_.get(), xdot_next_.get(), IDA_ONE_STEP);
    kind = count();
    if (flag < 0) {
      state_ = State::must_start;
      fence_.release();
      return failure_of(flag, ida, problem_, newton_, t_);
    }
    if (std::abs(tau) > std::abs(clock_.local_bound())) {
      // IDA compares times by the sign of a product with h, which may underflow.
      state_ = State::must_start;
      return problem_.step_too_small("the step underflows to zero; measure time in a smaller unit",
                                     t_, tau - tau_);
    }
    n_corrected_steps_ = keep_sign() ? n_corrected_steps_ + 1 : 0;
    if (n_corrected_steps_ > max_corrections_in_a_row) {
      state_ = State::must_start;
      return failure_of(IDA_CONSTR_FAIL, ida, problem_, newton_, t_);
    }
    t = clock_.of(tau);
    if (t != t_) break;
    if (n_hidden == max_hidden_steps) {
      state_ = State::must_start;
      return problem_.step_too_small(
          "the steps are smaller than the rounding of time; let the run begin near t = 0", t_,
          tau - tau_);
    }
  }
  state_ = State::running;
  take_point(flag, n_hidden == 0 ? kind : StepKind::straight, tau, t);
  if (n_hidden > 0) {
    // The chord: no time that could be asked for lies between the points IDA made on the way.
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      xdot_next_.values()[i] = (x_.values()[i] - x_next_.values()[i]) / (t_ - t_left_);
    }
  }
  after_step();
  return problem_.verdict();
}

void IdaEngine::take_point(int flag, StepKind kind, double tau, double t) {
  if (kind == StepKind::read) {
    // The distance is rounding: the slope of the point before satisfies the equations better than
    // that of the polynomial.
    std::ranges::copy(xdot_.values(), xdot_next_.values().begin());
  } else if (flag == IDA_TSTOP_RETURN) {
    recover_slope();
  }
  std::swap(x_, x_next_);
  std::swap(xdot_, xdot_next_);
  step_kind_ = kind;
  t_left_ = t_;
  tau_left_ = tau_;
  t_ = t_right_ = t;
  tau_ = tau;
  polynomial_made_ = false;
}

// A step that ends at the bound returns x' read from the polynomial, which satisfies the equations
// to the tolerance only. The corrector's x' = x'_predicted + cj (x - x_predicted) satisfies them as
// well as Newton's iteration does.
void IdaEngine::recover_slope() {
  double tau = 0.0;
  double cj = 0.0;
  void* user = nullptr;
  N_Vector x_predicted = nullptr, xdot_predicted = nullptr, x = nullptr, xdot = nullptr,
           f = nullptr;
  must_succeed(IDAGetNonlinearSystemData(ida_.get(), &tau, &x_predicted, &xdot_predicted, &x, &xdot,
                                         &f, &cj, &user));
  const auto value = x_next_.values();
  const auto slope = xdot_next_.values();
  const auto from = values_of(x_predicted);
  const auto slope_from = values_of(xdot_predicted);
  for (std::size_t i = 0; i < value.size(); ++i) {
    slope[i] = slope_from[i] + cj * (value[i] - from[i]);
  }
}

// IDA corrects what is negative within the tolerance of Newton's iteration in its history, but
// returns the point as it was before.
bool IdaEngine::keep_sign() {
  const Problem::Sign sign = problem_.enforce_sign(x_next_.values());
  if (sign == Problem::Sign::violated) {
    double tau = 0.0;
    must_succeed(IDAGetCurrentTime(ida_.get(), &tau));
    must_succeed(IDAGetDky(ida_.get(), tau, 0, x_next_.get()));
    (void)problem_.enforce_sign(x_next_.values());
  }
  return sign != Problem::Sign::fine;
}

Result<void> IdaEngine::step_straight(double t_bound) {
  const double h = t_bound - t_;
  for (std::size_t i = 0; i < problem_.size(); ++i) {
    x_next_.values()[i] = x_.values()[i] + h * xdot_.values()[i];
    xdot_next_.values()[i] = xdot_.values()[i];
  }
  take_point(IDA_SUCCESS, StepKind::straight, clock_.to_local(t_bound), t_bound);
  state_ = State::must_restart;
  after_step();
  return problem_.verdict();
}

void IdaEngine::after_step() {
  // A polynomial read at the bound counts as a step: the caller sees one.
  ++problem_.work.n_steps;
  switch (problem_.accepted(t_, x_.values(), xdot_.values())) {
    case StepRefresh::Answer::unchanged:
    case StepRefresh::Answer::stop:
      break;
    case StepRefresh::Answer::new_jacobian:
      newton_.mark_stale();
      break;
    case StepRefresh::Answer::restart:
      // At the next step: the polynomial of this one can still be asked for.
      newton_.mark_stale();
      state_ = State::must_restart;
      restart_step_ = restart_fraction * std::abs(problem_.work.last_step);
      break;
  }
}

IdaEngine::StepKind IdaEngine::count() {
  void* ida = ida_.get();
  WorkCounts& work = problem_.work;
  Seen now;
  long n_residuals = 0, n_setups = 0;
  double h_first = 0.0, tau = 0.0;
  must_succeed(IDAGetIntegratorStats(ida, &now.n_steps, &n_residuals, &n_setups,
                                     &now.n_error_failures, &work.last_order, &work.next_order,
                                     &h_first, &work.last_step, &work.next_step, &tau));
  must_succeed(IDAGetNumStepSolveFails(ida, &now.n_solve_failures));
  must_succeed(IDAGetNumNonlinSolvIters(ida, &now.n_iterations));
  const auto grown = [](long later, long earlier) {
    return static_cast<std::uint64_t>(later - earlier);
  };
  const bool integrated = now.n_steps != seen_.n_steps;
  work.n_error_failures += grown(now.n_error_failures, seen_.n_error_failures);
  work.n_convergence_failures += grown(now.n_solve_failures, seen_.n_solve_failures);
  work.n_newton_iterations += grown(now.n_iterations, seen_.n_iterations);
  seen_ = now;
  return integrated ? StepKind::integrated : StepKind::read;
}

// ---- the last step ---------------------------------------------------------------------------------

void IdaEngine::read_derivative(double tau, int k, double* row) {
  must_succeed(IDAGetDky(ida_.get(), tau, k, row_.at(row)));
}

void IdaEngine::make_polynomial() {
  const std::size_t n = problem_.size();
  if (step_kind_ == StepKind::straight) {
    // x_next_ holds the point before.
    degree_ = 1;
    for (std::size_t i = 0; i < n; ++i) {
      coefficients_[i] = x_next_.values()[i];
      coefficients_[n + i] = (t_right_ - t_left_) * xdot_next_.values()[i];
    }
  } else {
    must_succeed(IDAGetLastOrder(ida_.get(), &degree_));
    // IDA may have moved the end of a step to the bound, by rounding: in its own length the
    // polynomial still meets both ends.
    double tau_end = tau_;
    double h = tau_ - tau_left_;
    if (step_kind_ == StepKind::integrated) {
      must_succeed(IDAGetCurrentTime(ida_.get(), &tau_end));
      must_succeed(IDAGetLastStep(ida_.get(), &h));
    }
    for (int k = 0; k <= degree_; ++k) {
      read_derivative(tau_end, k, coefficients_.data() + static_cast<std::size_t>(k) * n);
    }
    derivatives_to_coefficients(coefficients_, degree_, n, h);
  }
  if (t_ != t_right_) {
    restrict_to_fraction(coefficients_, degree_, n, (t_ - t_left_) / (t_right_ - t_left_));
  }
  polynomial_made_ = true;
}

StepPolynomial IdaEngine::last_step() {
  SALTUS_ASSERT(step_kind_ != StepKind::none);
  if (!polynomial_made_) make_polynomial();
  const auto n_used = (static_cast<std::size_t>(degree_) + 1) * problem_.size();
  return {.t_left = t_left_,
          .t_right = t_,
          .degree = degree_,
          .n = problem_.size(),
          .coefficients = std::span<const double>(coefficients_).first(n_used)};
}

Result<void> IdaEngine::shorten(double t) {
  SALTUS_ASSERT(step_kind_ != StepKind::none && (t - t_left_) * (t_right_ - t) > 0);
  if (step_kind_ == StepKind::straight) {
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      x_.values()[i] = x_next_.values()[i] + (t - t_left_) * xdot_next_.values()[i];
    }
  } else {
    // Both ends of the step are rounded to an ulp of t; as a fraction of it t means what it means to
    // the polynomial.
    const double tau = tau_left_ + (t - t_left_) / (t_right_ - t_left_) * (tau_ - tau_left_);
    read_derivative(tau, 0, x_.values().data());
    read_derivative(tau, 1, xdot_.values().data());
  }
  // A polynomial between two points that are not negative may still dip below zero.
  (void)problem_.enforce_sign(x_.values());
  t_ = t;
  polynomial_made_ = false;
  state_ = State::must_start;
  return {};
}

}  // namespace saltus::detail::sundials

namespace saltus::detail {

std::unique_ptr<Engine> make_ida_engine(Problem problem) {
  if (problem.options().fixed_step > 0) {
    throw OptionError("fixed_step", "is for one-step engines; IDA chooses its steps itself");
  }
  if (problem.size() == 0) throw OptionError("engine", "ida needs at least one unknown");
  return std::make_unique<sundials::IdaEngine>(std::move(problem));
}

}  // namespace saltus::detail
