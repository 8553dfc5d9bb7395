#include "integrate/radau/controller.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

namespace {

constexpr double radau_safety = 0.9;
// h / h_new stays within these.
constexpr double radau_most_growth = 1.0 / 8.0;
constexpr double radau_most_shrinking = 5.0;
// Errors below this do not make the next step longer.
constexpr double radau_least_error = 1e-10;

double quotient_within_limits(double quotient) {
  return std::clamp(quotient, radau_most_growth, radau_most_shrinking);
}

// err ~ h^4: the quotient h / h_new that leads to an error of one, with more safety the harder Newton
// had to work.
double classical_quotient(double error, int iterations, int max_iterations) {
  const double effort = (1.0 + 2.0 * max_iterations) / (iterations + 2.0 * max_iterations);
  const double factor = radau_safety * std::min(1.0, effort);
  return quotient_within_limits(std::pow(std::max(error, radau_least_error), 0.25) / factor);
}

}  // namespace

double RadauController::after_success(double h, double error, int iterations, int max_iterations) {
  double quotient = classical_quotient(error, iterations, max_iterations);
  if (has_history_) {
    // Gustafsson: the trend of the error goes on.
    const double trend = std::pow(error * error / last_error_, 0.25);
    quotient = std::max(quotient, quotient_within_limits(last_h_ / h * trend / radau_safety));
  }
  has_history_ = true;
  last_h_ = h;
  last_error_ = std::max(1e-2, error);
  return h / quotient;
}

double RadauController::after_failure(double h, double error, int iterations,
                                      int max_iterations) const {
  if (!std::isfinite(error)) return 0.1 * h;
  return h / std::max(classical_quotient(error, iterations, max_iterations), 1.0 / radau_safety);
}

}  // namespace saltus::detail
