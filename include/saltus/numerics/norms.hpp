#pragma once

// Computes the weighted root mean square norm in which tolerances are stated.

#include <span>

namespace saltus {

// Returns sqrt((1/n) sum_i (v_i w_i)^2); 0 for n = 0. A value is within tolerance when its norm
// is <= 1. Safe against overflow and underflow of the squares; NaN and infinity in v are returned
// as such.
double wrms_norm(std::span<const double> v, std::span<const double> weight);

// Computes weight_i = 1 / (rtol |x_i| + atol_i). Returns false if a denominator is not positive and
// finite, in which case that weight is unusable (the caller names the variable; tolerances are not
// checked here).
bool error_weights(double rtol, double atol, std::span<const double> x, std::span<double> weight);
bool error_weights(double rtol, std::span<const double> atol, std::span<const double> x,
                   std::span<double> weight);

}  // namespace saltus
