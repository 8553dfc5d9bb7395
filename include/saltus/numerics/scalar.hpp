#pragma once

// Scalar helpers that the standard library lacks, for double and for every other algebra.
//
// Generic code is written once over T in {double, Batch, Interval, Quad} and calls elementary
// functions unqualified after a using-declaration (`using std::exp; exp(x)`): double resolves to
// <cmath>, the class types to the functions declared with them.

#include <limits>
#include <optional>

namespace saltus {

// Returns x * x. It is a separate function because Interval has a tighter rule for it.
inline constexpr double sqr(double x) { return x * x; }

// Returns x^n for an integer exponent, by right-to-left binary powering:
//   powi(x, 0) = 1,  powi(x, n) = 1 / powi(x, -n) for n < 0, and for n > 0
//   p <- x, r <- none; for each bit of n from the lowest: if set, r <- r * p (first time r <- p);
//   then p <- p * p while higher bits remain.
// The order is part of the contract: every evaluation tier performs exactly these multiplications,
// so all of them give the same bits. Relative error at most |n| u to first order (u = 2^-53 for
// double): a product carries the rounding factors of both operands and one more, so x^n carries n -
// 1 of them in any order, and the division adds one.
template <class T>
constexpr T powi(const T& x, int n) {
  if (n == 0) return T(1.0);
  // Through unsigned because -INT_MIN does not exist.
  unsigned m = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  T p = x;
  while ((m & 1U) == 0U) {  // skips the multiplications by one
    p = p * p;
    m >>= 1U;
  }
  T r = p;
  while ((m >>= 1U) != 0U) {
    p = p * p;
    if ((m & 1U) != 0U) r = r * p;
  }
  return n < 0 ? T(1.0) / r : r;
}

// Returns the int that equals x, if there is one. Decides whether a real exponent is an integer.
inline constexpr std::optional<int> exact_int(double x) {
  constexpr double bound = std::numeric_limits<int>::max();
  if (!(x >= -bound && x <= bound)) return std::nullopt;
  const int n = static_cast<int>(x);
  if (static_cast<double>(n) != x) return std::nullopt;
  return n;
}

}  // namespace saltus
