#include "integrate/radau/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/numerics/norms.hpp>

namespace saltus::detail {

namespace {
constexpr double newton_rounding = std::numeric_limits<double>::epsilon();
}

// Hairer & Wanner II, (IV.8.10) to (IV.8.13).
NewtonMonitor::Verdict NewtonMonitor::judge(double norm) {
  ++iterations_;
  if (!std::isfinite(norm)) return Verdict::diverged;
  if (goal_.to_rounding) return judge_rounding(norm);
  const double before = norm_;
  norm_ = std::max(norm, newton_rounding);
  // One small correction proves nothing: where coefficients have fallen since the Jacobian was
  // evaluated, every correction is small, and only their ratio tells.
  if (norm <= rounding_) return Verdict::converged;
  if (iterations_ == 1) {
    // A second correction would leave next to nothing: neither may the first.
    constexpr double next_to_nothing = 1e-4;
    theta_ = goal_.known_theta;
    const double left = theta_ / (1.0 - theta_) * norm;
    return theta_ > 0 && left <= next_to_nothing * goal_.tolerance ? Verdict::converged
                                                                   : Verdict::go_on;
  }
  const double quotient = norm / before;
  theta_ = iterations_ == 2 || is_late_ ? quotient : std::sqrt(quotient * quotient_);
  quotient_ = quotient;
  const Verdict verdict = judge_rate(norm);
  // Unknowns without derivatives that depend on derivatives of others follow one iteration later, when those
  // are right: their correction may exceed the first one, and the next tells. Above the tolerance it is not
  // known whether it is that.
  constexpr double largest_late = 1.0;
  is_late_ = iterations_ == 2 && verdict != Verdict::converged && norm <= largest_late;
  return is_late_ ? Verdict::go_on : verdict;
}

NewtonMonitor::Verdict NewtonMonitor::judge_rate(double norm) {
  constexpr double hopeless = 0.99;
  if (!(theta_ < hopeless)) return Verdict::diverged;
  const double ratio = theta_ / (1.0 - theta_);
  const int left = goal_.max_iterations - iterations_;
  const double in_the_end = ratio * norm * std::pow(theta_, left) / goal_.tolerance;
  if (in_the_end >= 1.0) {
    const double excess = std::clamp(in_the_end, 1e-4, 20.0);
    step_factor_ = 0.8 * std::pow(excess, -1.0 / (4.0 + left));
    return Verdict::too_slow;
  }
  return ratio * norm <= goal_.tolerance ? Verdict::converged : Verdict::go_on;
}

NewtonMonitor::Verdict NewtonMonitor::judge_rounding(double norm) {
  const double before = norm_;
  norm_ = norm;
  if (iterations_ > 1) theta_ = norm / before;
  if (norm <= newton_rounding) return Verdict::converged;
  // What rounding leaves is far below this; above it, a norm that does not shrink is divergence.
  constexpr double near_solution = 1e-8;
  constexpr double shrinks = 0.5;
  if (iterations_ > 1 && norm > shrinks * before) {
    return before < near_solution ? Verdict::converged : Verdict::diverged;
  }
  return iterations_ < goal_.max_iterations ? Verdict::go_on : Verdict::diverged;
}

RadauNewton::RadauNewton(std::size_t n)
    : n_(n),
      x_(n),
      k_(radau_stages * n),
      residual_(radau_stages * n),
      transformed_(radau_stages * n),
      pair_(n) {}

Evaluation RadauNewton::residuals(Problem& problem, const RadauFrame& frame,
                                  std::span<const double> z) {
  combine_radau_stages(radau_tableau.a_inverse, 1.0 / frame.h, z, k_);
  for (std::size_t i = 0; i < radau_stages; ++i) {
    const auto zi = radau_stage(z, i);
    for (std::size_t k = 0; k < n_; ++k) x_[k] = frame.x_left[k] + zi[k];
    const Evaluation done =
        problem.residual(frame.stage_time(i), x_, radau_stage(std::span<const double>(k_), i),
                         radau_stage(std::span<double>(residual_), i));
    if (!done) return done;
  }
  return Evaluation::ok();
}

Evaluation RadauNewton::first_residuals(Problem& problem, const RadauFrame& frame,
                                        std::span<const double> z) {
  if (std::any_of(z.begin(), z.end(), [](double value) { return value != 0.0; })) {
    return residuals(problem, frame, z);
  }
  const WithoutStageCheck accepted_point(problem);
  return residuals(problem, frame, z);
}

// k_ becomes dZ.
void RadauNewton::solve_linear(RadauMatrices& matrices) {
  combine_radau_stages(radau_tableau.t_inverse, -1.0, residual_, transformed_);
  const std::span<double> w(transformed_);
  matrices.solve_real(radau_stage(w, 0));
  for (std::size_t k = 0; k < n_; ++k) pair_[k] = {w[n_ + k], w[2 * n_ + k]};
  matrices.solve_complex(pair_);
  for (std::size_t k = 0; k < n_; ++k) {
    w[n_ + k] = pair_[k].real();
    w[2 * n_ + k] = pair_[k].imag();
  }
  combine_radau_stages(radau_tableau.t, 1.0, transformed_, k_);
}

double RadauNewton::norm(std::span<const double> weights) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < radau_stages; ++i) {
    const double part = wrms_norm(radau_stage(std::span<const double>(k_), i), weights);
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(radau_stages));
}

NewtonReport RadauNewton::solve(Problem& problem, RadauMatrices& matrices, const RadauFrame& frame,
                                const NewtonGoal& goal, std::span<const double> weights,
                                std::span<double> z) {
  using Outcome = NewtonReport::Outcome;
  using Verdict = NewtonMonitor::Verdict;
  double largest = 0.0;
  for (std::size_t k = 0; k < n_; ++k) {
    largest = std::max(largest, weights[k] * std::abs(frame.x_left[k]));
  }
  constexpr double few = 64.0;
  NewtonMonitor monitor(goal, few * newton_rounding * std::max(1.0, largest));
  NewtonReport report;
  for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
    const Evaluation done = monitor.iterations() == 0 ? first_residuals(problem, frame, z)
                                                      : residuals(problem, frame, z);
    if (!done) {
      const bool failed = done.status() == Evaluation::Status::failed;
      report.outcome = failed ? Outcome::failed : Outcome::refused;
      return report;
    }
    ++problem.work.n_newton_iterations;
    solve_linear(matrices);
    verdict = monitor.judge(norm(weights));
    report.iterations = monitor.iterations();
    report.theta = monitor.theta();
    report.step_factor = monitor.step_factor();
    if (verdict == Verdict::too_slow || verdict == Verdict::diverged) {
      report.outcome = Outcome::not_converged;
      return report;
    }
    for (std::size_t k = 0; k < z.size(); ++k) z[k] += k_[k];
  }
  return report;
}

}  // namespace saltus::detail
