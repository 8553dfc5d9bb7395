#include "integrate/explicit/controller.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

double StepController::after_accepted(double h, double error, bool repeated) {
  double factor = max_factor_;
  if (error > 0.0) {
    factor = safety * std::pow(error, -exponent_) * std::pow(error_before_, beta_);
    factor = std::clamp(factor, min_factor_, max_factor_);
  }
  error_before_ = std::max(error, smallest_error);
  return h * (repeated ? std::min(factor, 1.0) : factor);
}

double StepController::after_rejected(double h, double error) const {
  if (!std::isfinite(error)) return h * min_factor_;
  return h * std::max(min_factor_, safety * std::pow(error, -exponent_));
}

}  // namespace saltus::detail
