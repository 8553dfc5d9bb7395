#include "lower/compiled/compiled_switching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

constexpr double not_due = std::numeric_limits<double>::quiet_NaN();

double largest_magnitude(std::span<const double> values) {
  double largest = 0.0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

}  // namespace

CompiledSwitching::CompiledSwitching(const SwitchPlan& plan, CompiledWorkspace& workspace,
                                     LockBoard& board)
    : plan_(plan),
      workspace_(workspace),
      board_(board),
      locks_(plan.n_relations(), lock_false),
      truth_(plan.conditions()),
      all_(plan.all()),
      singles_(plan.count()),
      tangents_(plan.count()),
      g_(plan.count(), 0.0),
      decided_(plan.n_relations(), lock_false),
      timed_number_(plan.count(), none),
      due_at_(plan.timed().size(), not_due) {
  for (std::uint32_t k = 0; k < plan.timed().size(); ++k) timed_number_[plan.timed()[k]] = k;
  if (!plan.timed().empty()) time_coefficients_.emplace(plan.time_coefficients().program);
}

CompiledSwitching::Points::Points(const GatheredProgram& read)
    : Locked(Evaluator<double>(read.program)),
      program(read),
      time(evaluator.input(GatheredProgram::time).data()),
      x(evaluator.input(GatheredProgram::x).data()) {}

std::span<const double> CompiledSwitching::run(Points& points, double t,
                                               std::span<const double> x) {
  const GatheredProgram& p = points.program;
  board_.apply(points);
  if (p.reads_time) *points.time = t;
  for (std::size_t k = 0; k < p.unknowns.size(); ++k) points.x[k] = x[p.unknowns[k]];
  if (p.reads_others) workspace_.load_others(points.evaluator, p, t);
  points.evaluator.run();
  return points.evaluator.outputs();
}

CompiledSwitching::Points& CompiledSwitching::single(std::uint32_t which) {
  if (!singles_[which]) {
    singles_[which] = std::make_unique<Points>(plan_.single(which));
  }
  return *singles_[which];
}

void CompiledSwitching::clear_inactive_lanes(std::span<double> values) const {
  if (!plan_.has_lane_contexts()) return;
  for (const SwitchPlan::Function& f : plan_.functions()) {
    if (f.lane_active_if.empty()) continue;
    for (std::uint32_t i = f.first; i < f.first + f.count; ++i) {
      if (!is_active(i)) values[i] = 0.0;
    }
  }
}

Evaluation CompiledSwitching::evaluate(double t, std::span<const double> x, std::span<const double>,
                                       std::span<double> g) {
  const std::span<const double> values = run(all_, t, x);
  std::copy(values.begin(), values.end(), g.begin());
  clear_inactive_lanes(g);
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (!std::isfinite(g[i])) return Evaluation::out_of_domain(i);
  }
  return Evaluation::ok();
}

Evaluation CompiledSwitching::evaluate_one(std::uint32_t which, double t, std::span<const double> x,
                                           std::span<const double>, double& g) {
  g = run(single(which), t, x)[0];
  return std::isfinite(g) ? Evaluation::ok() : Evaluation::out_of_domain(which);
}

Evaluation CompiledSwitching::rates(double t, std::span<const double> x,
                                    std::span<const double> xdot, std::span<double> g,
                                    std::span<double> gdot) {
  if (!series_) {
    series_ = std::make_unique<Locked<TaylorEvaluator<double>>>(
        TaylorEvaluator<double>(plan_.with_series().program, 1));
  }
  board_.apply(*series_);
  TaylorEvaluator<double>& e = series_->evaluator;
  workspace_.load_path(e, plan_.with_series(), t, x, xdot);
  e.run();
  for (const SwitchPlan::Function& f : plan_.functions()) {
    for (std::uint32_t i = f.first; i < f.first + f.count; ++i) {
      if ((!f.has_series || !f.lane_active_if.empty()) && !is_active(i)) {
        g[i] = gdot[i] = 0.0;
      } else if (f.has_series) {
        g[i] = e.output(i)[0];
        gdot[i] = e.output(i)[1];
      } else {
        if (const Evaluation done = evaluate_one(i, t, x, xdot, g[i]); !done) return done;
        const Evaluation done = rate_by_difference(i, t, x, xdot, g[i], gdot[i]);
        if (!done) return done;
      }
      if (!std::isfinite(g[i]) || !std::isfinite(gdot[i])) return Evaluation::out_of_domain(i);
    }
  }
  return Evaluation::ok();
}

/// A function that has no series, from its values at two points of the path x + tau x'. The length of
/// the way balances rounding and curvature for a function with scales of order one.
Evaluation CompiledSwitching::rate_by_difference(std::uint32_t which, double t,
                                                 std::span<const double> x,
                                                 std::span<const double> xdot, double g,
                                                 double& gdot) {
  const double tau = std::sqrt(std::numeric_limits<double>::epsilon()) *
                     (1.0 + largest_magnitude(x)) / (1.0 + largest_magnitude(xdot));
  moved_x_.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) moved_x_[i] = x[i] + tau * xdot[i];
  double moved = 0.0;
  const Evaluation done = evaluate_one(which, t + tau, moved_x_, xdot, moved);
  gdot = (moved - g) / ((t + tau) - t);
  return done;
}

Evaluation CompiledSwitching::gradients(double t, std::span<const double> x,
                                        std::span<const double>, std::span<double> dg_dx) {
  const SwitchPlan::Gradients& wanted = plan_.gradients();
  if (!gradients_) {
    gradients_ = std::make_unique<Points>(wanted.values);
  }
  const std::span<const double> values = run(*gradients_, t, x);
  std::fill(std::copy(values.begin(), values.end(), dg_dx.begin()), dg_dx.end(), 0.0);
  for (std::size_t s = 0; s < dg_dx.size(); ++s) {
    const auto which = static_cast<std::uint32_t>(wanted.pattern.row[s]);
    if (!plan_.function_of(which).lane_active_if.empty() && !is_active(which)) dg_dx[s] = 0.0;
    if (!std::isfinite(dg_dx[s])) return Evaluation::out_of_domain(which);
  }
  return Evaluation::ok();
}

Evaluation CompiledSwitching::tangent(std::uint32_t which, double t, std::span<const double> x,
                                      double& g, double& dg_dt, std::span<double> dg_dx) {
  const SwitchPlan::Tangent& wanted = *plan_.tangent(which);
  if (!tangents_[which]) {
    tangents_[which] = std::make_unique<Points>(wanted.values);
  }
  const std::span<const double> values = run(*tangents_[which], t, x);
  g = values[0];
  dg_dt = values[1];
  std::fill(dg_dx.begin(), dg_dx.end(), 0.0);
  // A NaN or an infinity times zero is NaN and stays one.
  double probe = (g + dg_dt) * 0.0;
  for (std::size_t k = 0; k < wanted.unknowns.size(); ++k) {
    dg_dx[wanted.unknowns[k]] = values[k + 2];
    probe += values[k + 2] * 0.0;
  }
  return probe == 0.0 ? Evaluation::ok() : Evaluation::out_of_domain(which);
}

/// The first number in the given direction at which a time + b, as the relation computes it, is zero
/// or beyond. -b/a is within a few units of the last place of it, and is it if a is 1 or -1.
double CompiledSwitching::crossing_time(std::size_t timed, double direction) {
  const std::span<const double> pair = time_coefficients_->outputs().subspan(2 * timed, 2);
  const double a = pair[0], b = pair[1];
  const double guess = -b / a;
  if (a == 0.0 || !std::isfinite(guess)) return not_due;
  const std::uint32_t which = plan_.timed()[timed];
  const auto value = [&](double t) {
    double g = 0.0;
    // Functions of time read no unknown.
    return evaluate_one(which, t, {}, {}, g) ? g : 0.0;
  };
  if (value(guess) == 0.0 && std::abs(a) == 1.0) return guess;
  constexpr int n_units = 4;
  const double far = direction * std::numeric_limits<double>::infinity();
  double t = guess;
  for (int k = 0; k < n_units; ++k) t = std::nextafter(t, -far);
  const double before = a * direction > 0 ? -1.0 : 1.0;
  for (int k = 0; k < 2 * n_units && value(t) * before > 0; ++k) t = std::nextafter(t, far);
  return t;
}

double CompiledSwitching::next_time(double t, double t_end) {
  if (!time_coefficients_) return t_end;
  workspace_.load(*time_coefficients_, plan_.time_coefficients(), t, {});
  time_coefficients_->run();
  const double direction = t_end >= t ? 1.0 : -1.0;
  double nearest = t_end;
  for (std::size_t k = 0; k < due_at_.size(); ++k) {
    due_at_[k] = crossing_time(k, direction);
    const bool ahead = (due_at_[k] - t) * direction > 0 && (nearest - due_at_[k]) * direction > 0;
    if (ahead && is_active(plan_.timed()[k])) nearest = due_at_[k];
  }
  return nearest;
}

bool CompiledSwitching::is_due(std::uint32_t which, double t) {
  return is_timed(which) && is_active(which) && due_at_[timed_number_[which]] == t;
}

}  // namespace saltus::detail
