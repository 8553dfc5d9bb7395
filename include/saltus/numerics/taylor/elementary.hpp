#pragma once

// Taylor kernels: exponential, logarithm, circular and hyperbolic functions.
// Contract and notation in saltus/numerics/taylor.hpp.

#include <cmath>

#include <saltus/numerics/taylor/arithmetic.hpp>

namespace saltus::taylor {

// r' = r a':  k r_k = sum_{j=1..k} j a_j r_{k-j}
template <class T>
void exp(T* r, const T* a, int K) {
  using std::exp;
  r[0] = exp(a[0]);
  for (int k = 1; k <= K; ++k) {
    r[k] = detail::weighted_sum(a, r, k, k) / T(static_cast<double>(k));
  }
}

namespace detail {

// w r' = a' with r_0 given:  r_k = (a_k - (1/k) sum_{j=1..k-1} j r_j w_{k-j}) / w_0
template <class T>
void quotient_primitive(T* r, const T* a, const T* w, int K) {
  for (int k = 1; k <= K; ++k) {
    const T sum = weighted_sum(r, w, k, k - 1) / T(static_cast<double>(k));
    r[k] = (a[k] - sum) / w[0];
  }
}

}  // namespace detail

// a r' = a'
template <class T>
void log(T* r, const T* a, int K) {
  using std::log;
  r[0] = log(a[0]);
  detail::quotient_primitive(r, a, a, K);
}

// s' = c a',  c' = -s a'
template <class T>
void sin_cos(T* s, T* c, const T* a, int K) {
  using std::cos;
  using std::sin;
  s[0] = sin(a[0]);
  c[0] = cos(a[0]);
  for (int k = 1; k <= K; ++k) {
    const T divisor(static_cast<double>(k));
    s[k] = detail::weighted_sum(a, c, k, k) / divisor;
    c[k] = -(detail::weighted_sum(a, s, k, k) / divisor);
  }
}

// s' = c a',  c' = s a'
template <class T>
void sinh_cosh(T* s, T* c, const T* a, int K) {
  using std::cosh;
  using std::sinh;
  s[0] = sinh(a[0]);
  c[0] = cosh(a[0]);
  for (int k = 1; k <= K; ++k) {
    const T divisor(static_cast<double>(k));
    s[k] = detail::weighted_sum(a, c, k, k) / divisor;
    c[k] = detail::weighted_sum(a, s, k, k) / divisor;
  }
}

// r' = w a' with w = 1 + r^2, both series grown together.
template <class T>
void tan(T* r, const T* a, int K, T* scratch) {
  using std::tan;
  T* w = scratch;
  r[0] = tan(a[0]);
  w[0] = T(1.0) + detail::square_coefficient(r, 0);
  for (int k = 1; k <= K; ++k) {
    r[k] = detail::weighted_sum(a, w, k, k) / T(static_cast<double>(k));
    w[k] = detail::square_coefficient(r, k);
  }
}

// r' = w a' with w = 1 - r^2
template <class T>
void tanh(T* r, const T* a, int K, T* scratch) {
  using std::tanh;
  T* w = scratch;
  r[0] = tanh(a[0]);
  w[0] = T(1.0) - detail::square_coefficient(r, 0);
  for (int k = 1; k <= K; ++k) {
    r[k] = detail::weighted_sum(a, w, k, k) / T(static_cast<double>(k));
    w[k] = -detail::square_coefficient(r, k);
  }
}

namespace detail {

// w = sqrt(1 - a^2); u is working space. 1 - a_0^2 is formed as (1 - a_0)(1 + a_0), which keeps its
// relative accuracy near |a_0| = 1.
template <class T>
void root_of_one_minus_square(T* w, T* u, const T* a, int K) {
  u[0] = (T(1.0) - a[0]) * (T(1.0) + a[0]);
  for (int k = 1; k <= K; ++k) u[k] = -square_coefficient(a, k);
  taylor::sqrt(w, u, K);
}

}  // namespace detail

// w r' = a' with w = sqrt(1 - a^2)
template <class T>
void asin(T* r, const T* a, int K, T* scratch) {
  using std::asin;
  T* w = scratch;
  detail::root_of_one_minus_square(w, scratch + (K + 1), a, K);
  r[0] = asin(a[0]);
  detail::quotient_primitive(r, a, w, K);
}

// -w r' = a' with the same w
template <class T>
void acos(T* r, const T* a, int K, T* scratch) {
  using std::acos;
  T* w = scratch;
  detail::root_of_one_minus_square(w, scratch + (K + 1), a, K);
  for (int k = 0; k <= K; ++k) w[k] = -w[k];
  r[0] = acos(a[0]);
  detail::quotient_primitive(r, a, w, K);
}

// w r' = a' with w = 1 + a^2
template <class T>
void atan(T* r, const T* a, int K, T* scratch) {
  using std::atan;
  T* w = scratch;
  w[0] = T(1.0) + detail::square_coefficient(a, 0);
  for (int k = 1; k <= K; ++k) w[k] = detail::square_coefficient(a, k);
  r[0] = atan(a[0]);
  detail::quotient_primitive(r, a, w, K);
}

// The angle of (x, y):  w r' = x y' - y x' with w = x^2 + y^2, so
//   k r_k w_0 = sum_{j=1..k} j (y_j x_{k-j} - x_j y_{k-j}) - sum_{j=1..k-1} j r_j w_{k-j}
template <class T>
void atan2(T* r, const T* y, const T* x, int K, T* scratch) {
  using std::atan2;
  T* w = scratch;
  for (int k = 0; k <= K; ++k) {
    w[k] = detail::square_coefficient(x, k) + detail::square_coefficient(y, k);
  }
  r[0] = atan2(y[0], x[0]);
  if constexpr (requires { T::entire(); }) {
    // It jumps from pi to -pi where x is negative and y passes zero, although w is not zero there.
    if (!(x[0].lo() > 0) && y[0].contains(0.0)) {
      for (int k = 1; k <= K; ++k) r[k] = T::entire();
      return;
    }
  }
  for (int k = 1; k <= K; ++k) {
    const T area = detail::weighted_sum(y, x, k, k) - detail::weighted_sum(x, y, k, k);
    const T rest = detail::weighted_sum(r, w, k, k - 1);
    r[k] = (area - rest) / T(static_cast<double>(k)) / w[0];
  }
}

}  // namespace saltus::taylor
