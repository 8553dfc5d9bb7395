// What enclosures cost, in plain evaluations of the same function.
#pragma once

namespace saltus::detail {

// Measured on compiled expressions, relative to one look at a step: the unknowns at a time and all functions
// of them, per function. benchmarks/events/detection.cpp measures the sum anew.

/// Ranges of all functions in one pass (4.3): most of it outward rounding.
inline constexpr double hull_cost = 4.0;

/// Taylor coefficients 0 … order of one function in intervals (10, 21, 74, 107 for the orders 0, 1, 7, 8). A
/// product takes (order + 1)(order + 2)/2 operations on coefficients, a sum order + 1; functions have
/// about as many of the one as of the other. The rest are the unknowns it needs.
constexpr double series_cost(int order) {
  const double n = order + 1;
  return 6.0 + hull_cost * 0.5 * (0.5 * n * (n + 1) + n);
}

}  // namespace saltus::detail
