#pragma once

// Taylor kernels: integer and real powers. Contract and notation in saltus/numerics/taylor.hpp.

#include <cmath>
#include <optional>
#include <utility>

#include <saltus/numerics/taylor/elementary.hpp>

namespace saltus::taylor {

namespace detail {

// a^m, m >= 1, by the binary powering of saltus::powi (scalar.hpp). The three arrays swap roles as the
// loop runs; the address of the one that holds the result is returned.
template <class T>
T* binary_power(T* result, T* base, T* other, const T* a, unsigned m, int K) {
  for (int k = 0; k <= K; ++k) base[k] = a[k];
  while ((m & 1U) == 0U) {
    taylor::sqr(other, base, K);
    std::swap(base, other);
    m >>= 1U;
  }
  for (int k = 0; k <= K; ++k) result[k] = base[k];
  while ((m >>= 1U) != 0U) {
    taylor::sqr(other, base, K);
    std::swap(base, other);
    if ((m & 1U) != 0U) {
      taylor::mul(other, result, base, K);
      std::swap(result, other);
    }
  }
  return result;
}

}  // namespace detail

// a^n by repeated multiplication: exact at a_0 = 0, where any formula with a logarithm or a division
// by a_0 would fail. n < 0 divides at the end.
template <class T>
void powi(T* r, const T* a, int n, int K, T* scratch) {
  using saltus::powi;
  if (n == 0) return constant(r, T(1.0), K);
  const unsigned m = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  T* s0 = scratch;
  T* s1 = scratch + (K + 1);
  T* s2 = scratch + 2 * (K + 1);
  const T* p = detail::binary_power(s0, s1, s2, a, m, K);
  if (n > 0) {
    for (int k = 0; k <= K; ++k) r[k] = p[k];
  } else {
    T* one = p == s0 ? s1 : s0;
    constant(one, T(1.0), K);
    div(r, one, p, K);
  }
  r[0] = powi(a[0], n);  // the same bits for double, a tighter enclosure for Interval
}

namespace detail {

template <class T>
bool is_constant(const T* b, int K) {
  for (int k = 1; k <= K; ++k) {
    if (exact_int(b[k]) != std::optional<int>(0)) return false;
  }
  return true;
}

// Constant exponent p, r = a^p:  a r' = p r a', hence
//   r_k = (1 / (k a_0)) sum_{j=1..k} (j p - (k - j)) a_j r_{k-j}
template <class T>
void constant_power(T* r, const T* a, const T& p, int K) {
  for (int k = 1; k <= K; ++k) {
    T sum(0.0);
    for (int j = 1; j <= k; ++j) {
      const T factor = T(static_cast<double>(j)) * p - T(static_cast<double>(k - j));
      sum = sum + factor * a[j] * r[k - j];
    }
    r[k] = sum / (T(static_cast<double>(k)) * a[0]);
  }
}

}  // namespace detail

// a^b. A constant exponent that is an integer uses repeated multiplication, so a negative or zero
// base is fine; any other constant exponent needs a_0 > 0, as does a varying one, for which
// r = exp(c), c = b log a.
template <class T>
void pow(T* r, const T* a, const T* b, int K, T* scratch) {
  using std::pow;
  if (detail::is_constant(b, K)) {
    if (const std::optional<int> n = exact_int(b[0])) {
      taylor::powi(r, a, *n, K, scratch);
      r[0] = pow(a[0], b[0]);  // the scalar function of this operation is pow, not powi
    } else {
      r[0] = pow(a[0], b[0]);
      detail::constant_power(r, a, b[0], K);
    }
    return;
  }
  T* log_a = scratch;
  T* c = scratch + (K + 1);
  taylor::log(log_a, a, K);
  taylor::mul(c, b, log_a, K);
  r[0] = pow(a[0], b[0]);
  for (int k = 1; k <= K; ++k) {
    r[k] = detail::weighted_sum(c, r, k, k) / T(static_cast<double>(k));
  }
}

}  // namespace saltus::taylor
