#pragma once

// Taylor kernels of functions with a kink: abs, min, max. Contract in saltus/numerics/taylor.hpp.
//
// Away from the kink the result is one of the smooth branches. At a kink the double and Quad kernels
// follow the branch that holds for small t > 0 (decided by the first coefficient that tells the
// branches apart). The Interval kernels, when the branch is not certain, give a first coefficient
// that encloses both slopes (enough for a mean value form: the function is Lipschitz) and entire()
// above, because no Taylor remainder exists across a kink.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <saltus/numerics/interval.hpp>
#include <saltus/numerics/taylor/arithmetic.hpp>

namespace saltus::taylor {

namespace detail {

// -1, 0, +1: sign of a(t) - b(t) for small t > 0; 0 if all coefficients agree or one is NaN.
template <class T>
int compare_series(const T* a, const T* b, int K) {
  for (int k = 0; k <= K; ++k) {
    if (a[k] < b[k]) return -1;
    if (b[k] < a[k]) return 1;
    if (!(a[k] == b[k])) return 0;
  }
  return 0;
}

template <class T>
void copy(T* r, const T* a, int K) {
  for (int k = 0; k <= K; ++k) r[k] = a[k];
}

// Coefficients above order 0 of a function that is a on one side of a kink and b on the other.
inline void across_kink(Interval* r, const Interval* a, const Interval* b, int K) {
  if (K >= 1) r[1] = hull(a[1], b[1]);
  for (int k = 2; k <= K; ++k) r[k] = Interval::entire();
}

}  // namespace detail

template <class T>
void abs(T* r, const T* a, int K) {
  using std::abs;
  bool negative = false;
  if constexpr (std::is_same_v<T, Interval>) {
    const bool certain = a[0].lo() > 0 || a[0].hi() < 0;  // at 0 itself the branch is open
    if (!certain) {
      r[0] = abs(a[0]);
      if (K >= 1) r[1] = hull(a[1], -a[1]);
      for (int k = 2; k <= K; ++k) r[k] = Interval::entire();
      return;
    }
    negative = a[0].hi() <= 0;
  } else {
    const T zero(0.0);
    for (int k = 0; k <= K; ++k) {
      if (a[k] == zero) continue;
      negative = a[k] < zero;
      break;
    }
  }
  for (int k = 1; k <= K; ++k) r[k] = negative ? -a[k] : a[k];
  r[0] = abs(a[0]);
}

template <class T>
void min(T* r, const T* a, const T* b, int K) {
  using std::min;
  if constexpr (std::is_same_v<T, Interval>) {
    if (a[0].hi() < b[0].lo()) {
      detail::copy(r, a, K);
    } else if (b[0].hi() < a[0].lo()) {
      detail::copy(r, b, K);
    } else {
      detail::across_kink(r, a, b, K);
    }
  } else {
    detail::copy(r, detail::compare_series(a, b, K) <= 0 ? a : b, K);
  }
  r[0] = min(a[0], b[0]);
}

template <class T>
void max(T* r, const T* a, const T* b, int K) {
  using std::max;
  if constexpr (std::is_same_v<T, Interval>) {
    if (a[0].lo() > b[0].hi()) {
      detail::copy(r, a, K);
    } else if (b[0].lo() > a[0].hi()) {
      detail::copy(r, b, K);
    } else {
      detail::across_kink(r, a, b, K);
    }
  } else {
    detail::copy(r, detail::compare_series(a, b, K) >= 0 ? a : b, K);
  }
  r[0] = max(a[0], b[0]);
}

}  // namespace saltus::taylor
