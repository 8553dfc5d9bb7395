#include "integrate/explicit/controller.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

double StepController::after_accepted(double h, double error, bool repeated) {
  double factor = max_factor_;
  // error^-exponent error_before^beta: of two powers in each step one logarithm is known from the step before.
  const double log_error = std::log(std::max(error, smallest_error));
  if (error > 0.0) {
    const double log_of_this = error >= smallest_error ? log_error : std::log(error);
    factor = safety * std::exp(beta_ * log_error_before_ - exponent_ * log_of_this);
    factor = std::clamp(factor, min_factor_, max_factor_);
  }
  log_error_before_ = log_error;
  return h * (repeated ? std::min(factor, 1.0) : factor);
}

double StepController::after_rejected(double h, double error) const {
  if (!std::isfinite(error)) return h * min_factor_;
  return h * std::max(min_factor_, safety * std::pow(error, -exponent_));
}

}  // namespace saltus::detail
