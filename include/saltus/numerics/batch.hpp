#pragma once

// Evaluates eight doubles together, one per instance of a model.
//
// Lane i of f(a, b) is bitwise f(a[i], b[i]): arithmetic is IEEE, and functions call the scalar
// functions that double uses. The code consists of plain loops over a constant count, which
// compilers turn into vector instructions; it uses no vector mathematics library.

#include <algorithm>
#include <cmath>
#include <optional>

#include <saltus/numerics/scalar.hpp>

namespace saltus {

struct Batch {
  static constexpr int lanes = 8;

  alignas(64) double v[lanes];

  Batch() = default;  // uninitialised, as double is
  Batch(double x) {
    for (double& e : v) e = x;
  }

  double& operator[](int i) { return v[i]; }
  const double& operator[](int i) const { return v[i]; }

  Batch& operator+=(const Batch& b) {
    for (int i = 0; i < lanes; ++i) v[i] += b.v[i];
    return *this;
  }
  Batch& operator-=(const Batch& b) {
    for (int i = 0; i < lanes; ++i) v[i] -= b.v[i];
    return *this;
  }
  Batch& operator*=(const Batch& b) {
    for (int i = 0; i < lanes; ++i) v[i] *= b.v[i];
    return *this;
  }
  Batch& operator/=(const Batch& b) {
    for (int i = 0; i < lanes; ++i) v[i] /= b.v[i];
    return *this;
  }
};

namespace detail {

template <class F>
inline Batch lanewise(const Batch& a, F f) {
  Batch r;
  for (int i = 0; i < Batch::lanes; ++i) r.v[i] = f(a.v[i]);
  return r;
}
template <class F>
inline Batch lanewise(const Batch& a, const Batch& b, F f) {
  Batch r;
  for (int i = 0; i < Batch::lanes; ++i) r.v[i] = f(a.v[i], b.v[i]);
  return r;
}

}  // namespace detail

inline Batch operator+(const Batch& a, const Batch& b) {
  return detail::lanewise(a, b, [](double x, double y) { return x + y; });
}
inline Batch operator-(const Batch& a, const Batch& b) {
  return detail::lanewise(a, b, [](double x, double y) { return x - y; });
}
inline Batch operator*(const Batch& a, const Batch& b) {
  return detail::lanewise(a, b, [](double x, double y) { return x * y; });
}
inline Batch operator/(const Batch& a, const Batch& b) {
  return detail::lanewise(a, b, [](double x, double y) { return x / y; });
}
inline Batch operator-(const Batch& a) {
  return detail::lanewise(a, [](double x) { return -x; });
}

inline Batch sqr(const Batch& a) {
  return detail::lanewise(a, [](double x) { return x * x; });
}
inline Batch sqrt(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::sqrt(x); });
}
inline Batch exp(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::exp(x); });
}
inline Batch log(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::log(x); });
}
inline Batch sin(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::sin(x); });
}
inline Batch cos(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::cos(x); });
}
inline Batch tan(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::tan(x); });
}
inline Batch asin(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::asin(x); });
}
inline Batch acos(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::acos(x); });
}
inline Batch atan(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::atan(x); });
}
inline Batch sinh(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::sinh(x); });
}
inline Batch cosh(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::cosh(x); });
}
inline Batch tanh(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::tanh(x); });
}
inline Batch abs(const Batch& a) {
  return detail::lanewise(a, [](double x) { return std::abs(x); });
}
inline Batch pow(const Batch& a, const Batch& b) {
  return detail::lanewise(a, b, [](double x, double y) { return std::pow(x, y); });
}
inline Batch atan2(const Batch& a, const Batch& b) {
  return detail::lanewise(a, b, [](double x, double y) { return std::atan2(x, y); });
}
inline Batch min(const Batch& a, const Batch& b) {
  return detail::lanewise(a, b, [](double x, double y) { return std::min(x, y); });
}
inline Batch max(const Batch& a, const Batch& b) {
  return detail::lanewise(a, b, [](double x, double y) { return std::max(x, y); });
}

// Returns the int that all lanes equal, if there is one.
inline std::optional<int> exact_int(const Batch& a) {
  for (int i = 1; i < Batch::lanes; ++i) {
    if (a.v[i] != a.v[0]) return std::nullopt;
  }
  return exact_int(a.v[0]);
}

}  // namespace saltus
