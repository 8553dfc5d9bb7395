#pragma once

// Represents a number too large or too small for a double, such as a determinant.

#include <cmath>
#include <limits>

namespace saltus {

struct SignedLogarithm {
  int sign = 0;  // -1, 0, 1
  double log_size = -std::numeric_limits<double>::infinity();

  static SignedLogarithm one() { return {1, 0.0}; }
  SignedLogarithm& operator*=(double factor) {
    sign = factor > 0 ? sign : factor < 0 ? -sign : 0;
    log_size += std::log(std::abs(factor));
    return *this;
  }
};

}  // namespace saltus
