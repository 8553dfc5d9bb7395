#include "integrate/stiffness_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <saltus/numerics/norms.hpp>

#include "integrate/problem.hpp"

namespace saltus::detail {

namespace {

constexpr int power_iterations = 16;
constexpr int first_counted = 8;  // what comes before only turns the vector
constexpr double difference = 1e-7;

class StiffnessProbe {
 public:
  StiffnessProbe(Problem& problem, double t)
      : problem_(problem),
        t_(t),
        x_(problem.size()),
        f_(problem.size()),
        v_(problem.size()),
        other_x_(problem.size()),
        other_f_(problem.size()),
        weights_(problem.size()) {}

  bool move_to(double t, std::span<const double> x) {
    t_ = t;
    std::copy(x.begin(), x.end(), x_.begin());
    problem_.error_weights(x_, weights_);
    return static_cast<bool>(problem_.derivative(t_, x_, f_));
  }
  /// A step of order 5 from here errs by about |x| (h / tau)^5, where tau is the time in which the
  /// solution changes by itself.
  double accurate_step(double way);
  void follow_tangent(double h, std::span<double> x) const {
    for (std::size_t i = 0; i < x_.size(); ++i) x[i] = x_[i] + h * f_[i];
  }
  /// Power iteration on differences of f; the mean growth also of a complex pair.
  void widen(StiffnessEstimate& estimate);

 private:
  double norm(const std::vector<double>& v) const { return wrms_norm(v, weights_); }
  bool evaluate_near(double delta);

  Problem& problem_;
  double t_;
  std::vector<double> x_, f_, v_, other_x_, other_f_, weights_;
};

double StiffnessProbe::accurate_step(double way) {
  const double longest = std::abs(way);
  const double size = std::max(norm(x_), 1.0);
  const double speed = norm(f_);
  double tau = longest;
  if (speed > 0.0) tau = std::min(tau, size / speed);
  const double delta = std::copysign(difference * tau, way);
  for (std::size_t i = 0; i < x_.size(); ++i) other_x_[i] = x_[i] + delta * f_[i];
  if (problem_.derivative(t_ + delta, other_x_, other_f_)) {
    for (std::size_t i = 0; i < x_.size(); ++i) other_f_[i] = (other_f_[i] - f_[i]) / delta;
    const double curvature = norm(other_f_);
    if (curvature > 0.0) tau = std::min(tau, std::sqrt(size / curvature));
  }
  return std::min(longest, tau * std::pow(size, -1.0 / 5.0));
}

bool StiffnessProbe::evaluate_near(double delta) {
  for (std::size_t i = 0; i < x_.size(); ++i) other_x_[i] = x_[i] + delta * v_[i];
  return static_cast<bool>(problem_.derivative(t_, other_x_, other_f_));
}

void StiffnessProbe::widen(StiffnessEstimate& estimate) {
  // Signs that look random, the same in every run.
  std::uint32_t state = 12345;
  for (std::size_t i = 0; i < v_.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    if (weights_[i] > 0) v_[i] = ((state >> 31) != 0 ? 1.0 : -1.0) / weights_[i];
  }
  // A tenth of the tolerance is no other point for any purpose.
  double delta = std::max(difference * norm(x_), 0.1);
  double growth = 0.0;
  int n_counted = 0;
  double quotient = 0.0;
  for (int k = 0; k < power_iterations; ++k) {
    if (!evaluate_near(delta)) {
      delta = -delta;
      if (!evaluate_near(delta)) break;
    }
    double inner = 0.0;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      other_f_[i] = (other_f_[i] - f_[i]) / delta;
      inner += other_f_[i] * v_[i] * weights_[i] * weights_[i];
    }
    const double rate = norm(other_f_);
    if (!(rate > 0.0) || !std::isfinite(rate)) break;
    if (k >= first_counted) {
      growth += std::log(rate);
      ++n_counted;
    }
    quotient = inner / static_cast<double>(v_.size());
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = other_f_[i] / rate;
  }
  if (n_counted == 0) return;
  const double radius = std::exp(growth / n_counted);
  if (radius <= estimate.radius) return;
  estimate.radius = radius;
  // cos of the angle to the negative axis above 0.7.
  estimate.decays = quotient < -0.7 * radius;
}

}  // namespace

std::optional<StiffnessEstimate> estimate_stiffness(const System& system, Workspace& workspace,
                                                    const EnginePoint& point, double t_end,
                                                    const EngineOptions& options) {
  Problem problem(system, workspace, options);
  StiffnessProbe probe(problem, point.t);
  if (!probe.move_to(point.t, point.x)) return std::nullopt;
  StiffnessEstimate estimate;
  const double way = t_end - point.t;
  if (way == 0.0) return estimate;
  estimate.accurate_step = std::min(probe.accurate_step(way), options.max_step);
  probe.widen(estimate);
  // Some systems become stiff only once they have left their start.
  std::vector<double> ahead(point.x.size());
  const double h = std::copysign(estimate.accurate_step, way);
  probe.follow_tangent(h, ahead);
  if (probe.move_to(point.t + h, ahead)) probe.widen(estimate);
  return estimate;
}

}  // namespace saltus::detail
