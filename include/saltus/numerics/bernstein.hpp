#pragma once

// Represents polynomials on [0, 1] in Bernstein form.
//
// p(s) = sum_{i=0..n} b_i B_i^n(s) with B_i^n(s) = C(n, i) s^i (1 - s)^(n - i). The basis is
// nonnegative and sums to 1, so p([0, 1]) lies between the smallest and the largest coefficient,
// and p has at most as many roots in (0, 1) as the coefficients have sign changes (and the same
// parity). Coefficient lists have n + 1 >= 1 elements, n <= max_degree; outputs alias inputs only
// where stated. T is double (results are rounded) or Interval (results enclose). Formulas: Farin,
// Curves and Surfaces for CAGD, chapters 4 to 6; Farouki, The Bernstein polynomial basis: a
// centennial retrospective, CAGD 29 (2012).

#include <cstddef>
#include <span>

#include <saltus/core/error.hpp>
#include <saltus/numerics/interval.hpp>

namespace saltus::bernstein {

// Up to this degree C(n, j) and the products that lead to it are exact in double: the largest,
// C(51, 25) * 26, is below 2^53.
inline constexpr std::size_t max_degree = 51;

namespace detail {

template <class T>
T number(std::size_t i) {
  return T(static_cast<double>(i));
}

// Returns C(n, j + 1) from C(n, j).
inline double next_binomial(double binomial, std::size_t n, std::size_t j) {
  return binomial * static_cast<double>(n - j) / static_cast<double>(j + 1);
}

}  // namespace detail

// Converts p(s) = sum_j c_j s^j: b_i = sum_{j<=i} C(i, j) / C(n, j) c_j. The c_j / C(n, j) are
// summed along Pascal's triangle with n (n + 1) / 2 additions. b may be c.
template <class T>
void power_to_bernstein(std::span<const T> c, std::span<T> b) {
  const std::size_t n = c.size() - 1;
  SALTUS_ASSERT(n <= max_degree);
  double binomial = 1.0;
  for (std::size_t j = 0; j <= n; ++j) {
    b[j] = c[j] / T(binomial);
    binomial = detail::next_binomial(binomial, n, j);
  }
  for (std::size_t k = 1; k <= n; ++k) {
    for (std::size_t i = n; i >= k; --i) b[i] = b[i] + b[i - 1];
  }
}

// Bounds the rounding error of each b_i above in double, without underflow: c_j meets one division
// and at most n additions, and C(i, j) <= C(n, j), so with u = 2^-53
//   |error of b_i| <= gamma_{n+1} sum_j C(i, j) / C(n, j) |c_j| <= (n + 2) u sum_j |c_j|,
// where n + 2 instead of n + 1 pays for the denominator of gamma and for summing this bound.
// where n + 2 instead of n + 1 covers the denominator of gamma and the summation of this bound.
double power_to_bernstein_error(std::span<const double> c);

// Converts back: c_j = C(n, j) Delta^j b_0. c may be b.
template <class T>
void bernstein_to_power(std::span<const T> b, std::span<T> c) {
  const std::size_t n = b.size() - 1;
  SALTUS_ASSERT(n <= max_degree);
  for (std::size_t i = 0; i <= n; ++i) c[i] = b[i];
  for (std::size_t k = 1; k <= n; ++k) {
    for (std::size_t i = n; i >= k; --i) c[i] = c[i] - c[i - 1];
  }
  double binomial = 1.0;
  for (std::size_t j = 0; j <= n; ++j) {
    c[j] = c[j] * T(binomial);
    binomial = detail::next_binomial(binomial, n, j);
  }
}

// Splits at s by de Casteljau's algorithm: `left` and `right` are the coefficients over [0, s] and
// [s, 1], each on its own [0, 1]. The column of the triangle is kept in `right`, which may be b.
// For 0 <= s <= 1 the combinations are convex: in double each coefficient errs by at most 2 n u
// max|b|, to first order.
template <class T>
void split(std::span<const T> b, double s, std::span<T> left, std::span<T> right) {
  const std::size_t n = b.size() - 1;
  const T t(s);
  const T complement = T(1.0) - t;
  for (std::size_t i = 0; i <= n; ++i) right[i] = b[i];
  left[0] = right[0];
  for (std::size_t k = 1; k <= n; ++k) {
    for (std::size_t i = 0; i <= n - k; ++i) right[i] = complement * right[i] + t * right[i + 1];
    left[k] = right[0];
  }
}

// Returns p(s) without workspace, in O(n): Horner's rule in s / (1 - s), scaled (Farin, section
// 5.4). For Interval, s may be an interval; split() and range() give a tighter enclosure of p over
// it.
template <class T>
T evaluate(std::span<const T> b, const T& s) {
  const std::size_t n = b.size() - 1;
  SALTUS_ASSERT(n <= max_degree);
  const T complement = T(1.0) - s;
  T sum = b[0];
  T power(1.0);
  double binomial = 1.0;
  for (std::size_t i = 1; i <= n; ++i) {
    power = power * s;
    binomial = detail::next_binomial(binomial, n, i - 1);
    sum = sum * complement + T(binomial) * power * b[i];
  }
  return sum;
}

// Computes p', which has degree n - 1 and coefficients n (b_{i+1} - b_i). d has n elements, or one
// zero for n = 0.
template <class T>
void derivative(std::span<const T> b, std::span<T> d) {
  const std::size_t n = b.size() - 1;
  if (n == 0) d[0] = T(0.0);
  for (std::size_t i = 0; i < n; ++i) d[i] = detail::number<T>(n) * (b[i + 1] - b[i]);
}

// Writes the same polynomial with degree n + 1; e has n + 2 elements:
//   e_i = (i b_{i-1} + (n + 1 - i) b_i) / (n + 1)
template <class T>
void elevate(std::span<const T> b, std::span<T> e) {
  const std::size_t n = b.size() - 1;
  e[0] = b[0];
  for (std::size_t i = 1; i <= n; ++i) {
    e[i] = (detail::number<T>(i) * b[i - 1] + detail::number<T>(n + 1 - i) * b[i]) /
           detail::number<T>(n + 1);
  }
  e[n + 1] = b[n];
}

// Encloses p([0, 1]) by exactly the smallest and largest coefficient; no rounding happens.
template <class T>
Interval range(std::span<const T> b) {
  Interval r(b[0]);
  for (const T& x : b) r = hull(r, Interval(x));
  return r;
}

// Returns the number of sign changes in the list, zeros skipped (Descartes).
int sign_variations(std::span<const double> b);

// The fewest and the most sign changes over all lists of reals in the intervals.
struct SignVariations {
  int fewest = 0;
  int most = 0;
};
SignVariations sign_variations(std::span<const Interval> b);

}  // namespace saltus::bernstein
