// Represents an accepted step as a polynomial. Event detection, output and storage see nothing else
// of an engine.
#pragma once

#include <cstdint>
#include <span>

namespace saltus {

/// x_i(t) = sum_k coefficients[k n + i] s^k for k = 0 … degree, s = (t - t_left)/(t_right -
/// t_left). "Left" is the beginning of the step: in a run backward in time t_right < t_left.
struct StepPolynomial {
  double t_left = 0.0;
  double t_right = 0.0;
  int degree = 0;
  std::uint32_t n = 0;
  std::span<const double> coefficients;

  double position_of(double t) const { return (t - t_left) / (t_right - t_left); }
  double coefficient(int k, std::uint32_t unknown) const {
    return coefficients[static_cast<std::size_t>(k) * n + unknown];
  }

  double value(std::uint32_t unknown, double t) const {
    const double s = position_of(t);
    double sum = coefficient(degree, unknown);
    for (int k = degree - 1; k >= 0; --k) sum = sum * s + coefficient(k, unknown);
    return sum;
  }
  double slope(std::uint32_t unknown, double t) const {
    const double s = position_of(t);
    double sum = 0.0;
    for (int k = degree; k >= 1; --k) sum = sum * s + k * coefficient(k, unknown);
    return sum / (t_right - t_left);
  }
  void state_at(double t, std::span<double> x) const {
    for (std::uint32_t i = 0; i < n; ++i) x[i] = value(i, t);
  }
  void derivative_at(double t, std::span<double> xdot) const {
    for (std::uint32_t i = 0; i < n; ++i) xdot[i] = slope(i, t);
  }
};

}  // namespace saltus
