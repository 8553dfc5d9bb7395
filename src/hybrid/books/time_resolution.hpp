// Numbers of time: how far apart they are.
#pragma once

#include <cmath>
#include <limits>

namespace saltus::detail {

inline double ulp(double t) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  return std::nextafter(std::abs(t), inf) - std::abs(t);
}

}  // namespace saltus::detail
