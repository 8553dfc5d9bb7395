#pragma once

// Computes forward derivatives: a value with its slopes in N directions.
//
// The value is computed by the same operations as double, so it has the bits of plain evaluation. A
// zero slope stays zero where the derivative of an operation is infinite (sqrt at 0): a value that
// does not move has no slope.

#include <array>
#include <cmath>
#include <cstddef>

#include <saltus/numerics/scalar.hpp>

namespace saltus {

template <int N>
struct Dual {
  double value = 0.0;
  std::array<double, static_cast<std::size_t>(N)> slope{};

  Dual() = default;
  Dual(double v) : value(v) {}

  /// Returns f(x) with f'(x) = derivative.
  friend Dual chain(double f, double derivative, const Dual& x) {
    Dual r(f);
    for (std::size_t k = 0; k < r.slope.size(); ++k) {
      r.slope[k] = x.slope[k] == 0.0 ? 0.0 : derivative * x.slope[k];
    }
    return r;
  }
  /// Returns f(x, y) with its partial derivatives.
  friend Dual chain(double f, double by_x, const Dual& x, double by_y, const Dual& y) {
    Dual r = chain(f, by_x, x);
    for (std::size_t k = 0; k < r.slope.size(); ++k) {
      if (y.slope[k] != 0.0) r.slope[k] += by_y * y.slope[k];
    }
    return r;
  }

  friend Dual operator-(const Dual& a) {
    Dual r(-a.value);
    for (std::size_t k = 0; k < r.slope.size(); ++k) r.slope[k] = -a.slope[k];
    return r;
  }
  friend Dual operator+(const Dual& a, const Dual& b) {
    Dual r(a.value + b.value);
    for (std::size_t k = 0; k < r.slope.size(); ++k) r.slope[k] = a.slope[k] + b.slope[k];
    return r;
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    Dual r(a.value - b.value);
    for (std::size_t k = 0; k < r.slope.size(); ++k) r.slope[k] = a.slope[k] - b.slope[k];
    return r;
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value);
    for (std::size_t k = 0; k < r.slope.size(); ++k) {
      r.slope[k] = a.slope[k] * b.value + a.value * b.slope[k];
    }
    return r;
  }
  // (a/b)' = (a' - (a/b) b')/b
  friend Dual operator/(const Dual& a, const Dual& b) {
    Dual r(a.value / b.value);
    for (std::size_t k = 0; k < r.slope.size(); ++k) {
      r.slope[k] = (a.slope[k] - r.value * b.slope[k]) / b.value;
    }
    return r;
  }
};

template <int N>
Dual<N> sqr(const Dual<N>& x) {
  return chain(x.value * x.value, 2.0 * x.value, x);
}
template <int N>
Dual<N> sqrt(const Dual<N>& x) {
  const double root = std::sqrt(x.value);
  return chain(root, 0.5 / root, x);
}
template <int N>
Dual<N> exp(const Dual<N>& x) {
  const double e = std::exp(x.value);
  return chain(e, e, x);
}
template <int N>
Dual<N> log(const Dual<N>& x) {
  return chain(std::log(x.value), 1.0 / x.value, x);
}
template <int N>
Dual<N> sin(const Dual<N>& x) {
  return chain(std::sin(x.value), std::cos(x.value), x);
}
template <int N>
Dual<N> cos(const Dual<N>& x) {
  return chain(std::cos(x.value), -std::sin(x.value), x);
}
template <int N>
Dual<N> tan(const Dual<N>& x) {
  const double t = std::tan(x.value);
  return chain(t, 1.0 + t * t, x);
}
template <int N>
Dual<N> asin(const Dual<N>& x) {
  return chain(std::asin(x.value), 1.0 / std::sqrt((1.0 - x.value) * (1.0 + x.value)), x);
}
template <int N>
Dual<N> acos(const Dual<N>& x) {
  return chain(std::acos(x.value), -1.0 / std::sqrt((1.0 - x.value) * (1.0 + x.value)), x);
}
template <int N>
Dual<N> atan(const Dual<N>& x) {
  return chain(std::atan(x.value), 1.0 / (1.0 + x.value * x.value), x);
}
template <int N>
Dual<N> sinh(const Dual<N>& x) {
  return chain(std::sinh(x.value), std::cosh(x.value), x);
}
template <int N>
Dual<N> cosh(const Dual<N>& x) {
  return chain(std::cosh(x.value), std::sinh(x.value), x);
}
template <int N>
Dual<N> tanh(const Dual<N>& x) {
  const double t = std::tanh(x.value);
  return chain(t, 1.0 - t * t, x);
}
template <int N>
Dual<N> atan2(const Dual<N>& y, const Dual<N>& x) {
  const double square = x.value * x.value + y.value * y.value;
  return chain(std::atan2(y.value, x.value), x.value / square, y, -y.value / square, x);
}
// The exponent of a constant power has no slope, so its logarithm is never used.
template <int N>
Dual<N> pow(const Dual<N>& x, const Dual<N>& y) {
  const double power = std::pow(x.value, y.value);
  const double by_x = y.value == 0.0 ? 0.0 : y.value * std::pow(x.value, y.value - 1.0);
  return chain(power, by_x, x, power * std::log(x.value), y);
}

}  // namespace saltus
