// What enclosures cost, in plain evaluations of the same function.
#pragma once

namespace saltus::detail {

// Measured on compiled expressions (benchmarks/events/detection.cpp prints the ratios of times anew): an
// operation on intervals takes about this many times one on doubles, most of it outward rounding.
inline constexpr double interval_cost = 4.0;

/// Of Taylor coefficients 0 … order in intervals. A product takes (order + 1)(order + 2)/2 operations
/// on coefficients, a sum order + 1; functions have about as many of the one as of the other.
constexpr double series_cost(int order) {
  const double n = order + 1;
  return interval_cost * 0.5 * (0.5 * n * (n + 1) + n);
}

}  // namespace saltus::detail
