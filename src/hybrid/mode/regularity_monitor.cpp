#include "hybrid/mode/regularity_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/initialize/regularity.hpp>
#include <saltus/system/abilities.hpp>

namespace saltus::detail {

namespace {

constexpr std::uint32_t looked_at_every_step = 100;
constexpr int rare_looks = 10;
// A zero of even order (of any, without signs) nearby changes log|D| by more than this from step to step.
constexpr double noticeable = 0.3;
// A minimum is a zero if |D| falls by this much within a step; at an impasse, since the start.
const double falls_to_zero = std::log(1e5);
const double has_vanished = std::log(1e3);

/// The shortest decimal number nearby: a polynomial does not know its zeros better than that, and a
/// model may be singular at a round time only.
double round_time(double t, double h) {
  constexpr int first_digit = 3, last_digit = -18;
  for (int digit = first_digit; digit >= last_digit; --digit) {
    // Powers of ten with a positive exponent are exact, and so is the quotient rounded once.
    const double scale = std::pow(10.0, std::abs(digit));
    const double rounded =
        digit >= 0 ? std::round(t / scale) * scale : std::round(t * scale) / scale;
    if (std::abs(rounded - t) <= 1e-9 * std::abs(h)) return rounded + 0.0;
  }
  return t;
}

}  // namespace

void RegularityMonitor::begin(const System& system, Workspace& workspace, double t,
                              std::span<const double> x, std::span<const double> xdot,
                              bool only_own) {
  own_.reset();
  watched_ = workspace.ability<Regularity>();
  const bool has_levels = workspace.ability<DerivativeLevels<double>>() != nullptr;
  const bool is_cheap =
      (watched_ != nullptr || has_levels) && system.size() <= looked_at_every_step;
  if (watched_ == nullptr && !only_own) {
    own_ = watch_index_one(system, workspace, t, x, xdot);
    watched_ = own_.get();
  }
  steps_between_looks_ = is_cheap ? 1 : rare_looks;
  is_constant_ = own_ != nullptr && system.has_constant_jacobian();
  steps_since_look_ = 0;
  x_.resize(x.size());
  xdot_.resize(x.size());
  last_ = {t, {}};
  if (watched_ != nullptr && !watched_->determinant(t, x, xdot, last_.value)) watched_ = nullptr;
  if (last_.value.sign == 0) watched_ = nullptr;
  before_last_ = last_;
  trail_ = {last_, last_, last_};
  largest_ = last_.value.log_size;
}

bool RegularityMonitor::read(const StepPolynomial& step, double t, SignedLogarithm& value) {
  step.state_at(t, x_);
  step.derivative_at(t, xdot_);
  return static_cast<bool>(watched_->determinant(t, x_, xdot_, value));
}

std::optional<RegularityLoss> RegularityMonitor::look(Engine& engine) {
  if (watched_ == nullptr || is_constant_ || ++steps_since_look_ < steps_between_looks_)
    return std::nullopt;
  const bool is_next = steps_since_look_ == 1;
  steps_since_look_ = 0;
  Reading now{engine.t(), {}};
  if (!watched_->determinant(now.t, engine.x(), engine.xdot(), now.value)) {
    steps_since_look_ = 1;  // the polynomial of this step does not reach back to the last reading
    return std::nullopt;
  }
  std::optional<RegularityLoss> loss;
  if (now.value.sign != last_.value.sign) {
    if (is_next) {
      loss = bisect(engine.last_step(), last_.value.sign);
    } else {
      loss = RegularityLoss{last_.t, now.t, false,
                            watched_->describe_loss(now.t, engine.x(), engine.xdot())};
    }
  } else if (is_next) {
    const double change = std::max(std::abs(now.value.log_size - last_.value.log_size),
                                   std::abs(last_.value.log_size - before_last_.value.log_size));
    if (change > noticeable) loss = minimise(engine.last_step(), now);
  }
  if (loss && loss->located) {
    const StepPolynomial step = engine.last_step();
    step.state_at(loss->t, x_);
    step.derivative_at(loss->t, xdot_);
    if (!watched_->confirm(loss->t, x_, xdot_)) {
      loss.reset();
      (void)watched_->determinant(now.t, engine.x(), engine.xdot(), now.value);
      last_ = now;
    }
  }
  before_last_ = last_;
  last_ = now;
  if (std::abs(now.value.log_size - trail_[2].value.log_size) >= 1.0) {
    trail_ = {trail_[1], trail_[2], now};
  }
  largest_ = std::max(largest_, now.value.log_size);
  return loss;
}

RegularityLoss RegularityMonitor::loss_at(const StepPolynomial& step, double t_before, double t) {
  t = round_time(t, step.t_right - step.t_left);
  step.state_at(t, x_);
  step.derivative_at(t, xdot_);
  return {t_before, t, true, watched_->describe_loss(t, x_, xdot_)};
}

std::optional<RegularityLoss> RegularityMonitor::bisect(const StepPolynomial& step,
                                                        int sign_before) {
  constexpr int most_halvings = 60;
  double before = step.t_left, after = step.t_right;
  for (int k = 0; k < most_halvings; ++k) {
    const double middle = 0.5 * (before + after);
    if (middle == before || middle == after) break;
    SignedLogarithm value;
    if (!read(step, middle, value)) break;
    (value.sign == sign_before ? before : after) = middle;
  }
  return loss_at(step, before, after);
}

std::optional<RegularityLoss> RegularityMonitor::minimise(const StepPolynomial& step,
                                                          const Reading& right) {
  constexpr double probe = 1e-3;  // of the step
  constexpr double slack = 1.5;
  constexpr double golden = 0.6180339887498949;
  const double h = step.t_right - step.t_left;
  SignedLogarithm left, after_left, before_right;
  if (!read(step, step.t_left, left) || !read(step, step.t_left + probe * h, after_left) ||
      !read(step, step.t_right - probe * h, before_right)) {
    return std::nullopt;
  }
  // In units of the step: d log|D| / ds at both ends.
  const double falls = (left.log_size - after_left.log_size) / probe;
  const double rises = (right.value.log_size - before_right.log_size) / probe;
  const double order = watched_->is_signed() ? 2.0 : 1.0;
  if (!(falls > 0) || !(rises > 0) || order / falls + order / rises > slack) return std::nullopt;
  double a = 0.0, b = 1.0;
  const auto log_at = [&](double s) {
    SignedLogarithm value;
    return read(step, step.t_left + s * h, value) && value.sign != 0
               ? value.log_size
               : -std::numeric_limits<double>::infinity();
  };
  double s1 = b - golden * (b - a), s2 = a + golden * (b - a);
  double v1 = log_at(s1), v2 = log_at(s2), least = std::min(v1, v2);
  constexpr int most_sections = 60;
  for (int k = 0; k < most_sections && s1 < s2; ++k) {
    if (v1 < v2) {
      b = s2, s2 = s1, v2 = v1;
      s1 = b - golden * (b - a);
      v1 = log_at(s1);
    } else {
      a = s1, s1 = s2, v1 = v2;
      s2 = a + golden * (b - a);
      v2 = log_at(s2);
    }
    least = std::min({least, v1, v2});
  }
  if (least > std::min(left.log_size, right.value.log_size) - falls_to_zero) return std::nullopt;
  // Near a zero of order p, |D| is a power of the distance; near a minimum that is none, it is flat.
  constexpr double near = 1e-8, far = 1e-5;
  const double s = 0.5 * (a + b);
  const auto at_distance = [&](double r) {
    return std::max(log_at(std::max(s - r, 0.0)), log_at(std::min(s + r, 1.0)));
  };
  if (at_distance(far) - at_distance(near) < 0.5 * order * std::log(far / near)) {
    return std::nullopt;
  }
  return loss_at(step, step.t_left + a * h, step.t_left + s * h);
}

std::optional<RegularityLoss> RegularityMonitor::explain(double t, std::span<const double> x,
                                                         std::span<const double> xdot) {
  if (watched_ == nullptr) return std::nullopt;
  SignedLogarithm value;
  if (!watched_->determinant(t, x, xdot, value)) return std::nullopt;
  if (value.sign != 0 && value.log_size > largest_ - has_vanished) return std::nullopt;
  return RegularityLoss{t, extrapolated({t, value}), true, watched_->describe_loss(t, x, xdot)};
}

/// t* from three points of log|D| = c + p log|t* - t|: the ratio of differences
///   log(a1 / a2) / log(a2 / a3), a_i = |t* - t_i|,
/// grows with t*, from zero at t* = t3.
double RegularityMonitor::extrapolated(const Reading& now) const {
  const bool is_new = trail_[2].value.log_size - now.value.log_size > 0.3;
  const Reading& one = trail_[is_new ? 1 : 0];
  const Reading& two = trail_[is_new ? 2 : 1];
  const Reading& three = is_new ? now : trail_[2];
  const double t1 = one.t, t2 = two.t, t3 = three.t;
  const double first = one.value.log_size - two.value.log_size;
  const double second = two.value.log_size - three.value.log_size;
  if (t1 == t2 || t2 == t3 || !(first > 0) || !(second > 0) || !std::isfinite(second)) return now.t;
  const double length = t3 - t1;
  double near = 0.0, far = 10.0;  // (t* - t3) / length
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (near + far), t = t3 + middle * length;
    const double ratio = std::log((t - t1) / (t - t2)) / std::log((t - t2) / (t - t3));
    (ratio < first / second ? near : far) = middle;
  }
  const double t = t3 + near * length;
  return near > 5.0 || (t - now.t) * length < 0 ? now.t : t;
}

}  // namespace saltus::detail
