#include <saltus/numerics/norms.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace saltus {

namespace {

// The norm after division by the largest element, so that no square overflows or vanishes.
double scaled_norm(std::span<const double> v, std::span<const double> weight) {
  double peak = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double x = std::abs(v[i] * weight[i]);
    if (std::isnan(x)) return x;
    peak = std::max(peak, x);
  }
  if (peak == 0 || std::isinf(peak)) return peak;
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double x = v[i] * weight[i] / peak;
    sum += x * x;
  }
  return peak * std::sqrt(sum / static_cast<double>(v.size()));
}

bool weight_of(double rtol, double atol, double x, double& weight) {
  const double scale = rtol * std::abs(x) + atol;
  weight = 1.0 / scale;
  return scale > 0 && std::isfinite(scale) && std::isfinite(weight);
}

}  // namespace

double wrms_norm(std::span<const double> v, std::span<const double> weight) {
  if (v.empty()) return 0.0;
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double x = v[i] * weight[i];
    sum += x * x;
  }
  // Below this sum, squares that underflowed (each loses less than the smallest normal number) could
  // matter; above it they are less than n u^2 of it.
  constexpr double safe = std::numeric_limits<double>::min() / 0x1p-106;
  if (sum >= safe && std::isfinite(sum)) {
    return std::sqrt(sum / static_cast<double>(v.size()));
  }
  return scaled_norm(v, weight);
}

bool error_weights(double rtol, double atol, std::span<const double> x, std::span<double> weight) {
  bool usable = true;
  for (std::size_t i = 0; i < x.size(); ++i) usable &= weight_of(rtol, atol, x[i], weight[i]);
  return usable;
}

bool error_weights(double rtol, std::span<const double> atol, std::span<const double> x,
                   std::span<double> weight) {
  bool usable = true;
  for (std::size_t i = 0; i < x.size(); ++i) usable &= weight_of(rtol, atol[i], x[i], weight[i]);
  return usable;
}

}  // namespace saltus
