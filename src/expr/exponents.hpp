// Which powers are products, in graphs and of numbers alike: rounded in one way.
#pragma once

#include <cmath>

namespace saltus::detail {

inline bool is_product(double exponent) {
  constexpr double most = 1024;
  return exponent == std::nearbyint(exponent) && std::abs(exponent) <= most;
}

}  // namespace saltus::detail
