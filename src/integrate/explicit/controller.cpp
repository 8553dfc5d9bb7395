#include "integrate/explicit/controller.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

double StepController::after_accepted(double h, double error, bool repeated) {
  // error^-exponent error_before^beta: of two powers in each step one logarithm is known from the step before. Of no
  // error it is infinite, and the factor the largest.
  const double log_error = std::log(error);
  const double factor =
      std::clamp(safety * std::exp(beta_ * log_error_before_ - exponent_ * log_error), min_factor_,
                 max_factor_);
  log_error_before_ = std::max(log_error, std::log(smallest_error));
  return h * (repeated ? std::min(factor, 1.0) : factor);
}

double StepController::after_rejected(double h, double error) const {
  if (!std::isfinite(error)) return h * min_factor_;
  return h * std::max(min_factor_, safety * std::pow(error, -exponent_));
}

}  // namespace saltus::detail
