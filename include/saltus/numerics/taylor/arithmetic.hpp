#pragma once

// Taylor kernels: rational operations and the square root. Contract in saltus/numerics/taylor.hpp.

#include <cmath>

#include <saltus/numerics/scalar.hpp>

namespace saltus::taylor {

// Elements that a `scratch` argument must offer, the same for all kernels.
constexpr int scratch_size(int K) { return 3 * (K + 1); }

template <class T>
void constant(T* r, const T& c, int K) {
  r[0] = c;
  for (int k = 1; k <= K; ++k) r[k] = T(0.0);
}

template <class T>
void scale(T* r, const T* a, const T& c, int K) {
  for (int k = 0; k <= K; ++k) r[k] = a[k] * c;
}

template <class T>
void neg(T* r, const T* a, int K) {
  for (int k = 0; k <= K; ++k) r[k] = -a[k];
}

template <class T>
void add(T* r, const T* a, const T* b, int K) {
  for (int k = 0; k <= K; ++k) r[k] = a[k] + b[k];
}

template <class T>
void sub(T* r, const T* a, const T* b, int K) {
  for (int k = 0; k <= K; ++k) r[k] = a[k] - b[k];
}

// r_k = sum_{j=0..k} a_j b_{k-j}
template <class T>
void mul(T* r, const T* a, const T* b, int K) {
  for (int k = 0; k <= K; ++k) {
    T sum = a[0] * b[k];
    for (int j = 1; j <= k; ++j) sum = sum + a[j] * b[k - j];
    r[k] = sum;
  }
}

// From a = r b:  r_k = (a_k - sum_{j=1..k} b_j r_{k-j}) / b_0
template <class T>
void div(T* r, const T* a, const T* b, int K) {
  for (int k = 0; k <= K; ++k) {
    T rest = a[k];
    for (int j = 1; j <= k; ++j) rest = rest - b[j] * r[k - j];
    r[k] = rest / b[0];
  }
}

namespace detail {

// Coefficient k of a^2 from a_0 .. a_k:  2 sum_{j < k/2} a_j a_{k-j}, plus a_{k/2}^2 if k is even.
template <class T>
T square_coefficient(const T* a, int k) {
  using saltus::sqr;
  if (k == 0) return sqr(a[0]);
  T half = a[0] * a[k];
  for (int j = 1; 2 * j < k; ++j) half = half + a[j] * a[k - j];
  const T twice = half + half;
  return k % 2 == 0 ? twice + sqr(a[k / 2]) : twice;
}

// sum_{j=1..m} j a_j q_{k-j}, the sum shared by all recurrences of the form k r_k = ...; 0 if m < 1.
template <class T>
T weighted_sum(const T* a, const T* q, int k, int m) {
  if (m < 1) return T(0.0);
  T sum = a[1] * q[k - 1];
  for (int j = 2; j <= m; ++j) sum = sum + T(static_cast<double>(j)) * a[j] * q[k - j];
  return sum;
}

}  // namespace detail

template <class T>
void sqr(T* r, const T* a, int K) {
  for (int k = 0; k <= K; ++k) r[k] = detail::square_coefficient(a, k);
}

// From a = r^2:  r_k = (a_k - sum_{j=1..k-1} r_j r_{k-j}) / (2 r_0)
template <class T>
void sqrt(T* r, const T* a, int K) {
  using std::sqrt;
  r[0] = sqrt(a[0]);
  const T twice_r0 = r[0] + r[0];
  for (int k = 1; k <= K; ++k) {
    // The inner products of r_1 .. r_{k-1} are the square of the shifted series r_1, r_2, ...
    const T inner = k < 2 ? T(0.0) : detail::square_coefficient(r + 1, k - 2);
    r[k] = (a[k] - inner) / twice_r0;
  }
}

}  // namespace saltus::taylor
