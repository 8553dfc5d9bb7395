#pragma once

// Computes with closed real intervals and outward rounding.
//
// Claim: for every function f below and all real x in X (y in Y) where f is defined,
// f(x, y) is in f(X, Y). Bounds are never NaN; lo() < +inf and hi() > -inf always.
//
// How the claim is kept without touching the rounding mode (so: thread safe, no fenv):
//  * + - * / sqrt are correctly rounded to nearest, so the exact value lies within one neighbour of
//    the computed bound; the bound moves to that neighbour (detail::next_down / next_up, integer
//    steps on the bit pattern, hence right for zero, subnormals and overflow: a computed +inf that
//    stands for a finite value above the largest double steps down to the largest double).
//    Results known to be exact stay: a sum that is 0 (gradual underflow makes it exact), products
//    and quotients with a factor 0 or 1, negation, abs, min, max, hull.
//  * Elementary functions come from libm. glibc's manual ("Known Maximum Errors in Math Functions",
//    x86_64) lists at most 2 ulp for those used here; we allow 4 ulp of the exact value and then
//    clamp to the range of the function (interval.cpp derives the margin).
// Assumed: IEEE 754 binary64 with gradual underflow (no flush to zero, no -ffast-math). The
// compiler's part is checked below, the processor's by arithmetic_is_ieee().
//
// The result is entire() outside a domain (division by an interval containing 0, sqrt or log of
// something partly negative, asin outside [-1, 1], real power of a negative base). A caller that
// needs a verdict bisects. Intervals hold real numbers, so 0 * entire() = 0.

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <saltus/numerics/scalar.hpp>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "intervals need IEEE arithmetic: compile this source without -ffast-math"
#endif
static_assert(FLT_EVAL_METHOD == 0, "intervals need arithmetic in double, not in longer registers");

namespace saltus {

// Returns whether this thread computes as assumed: rounding to nearest, gradual underflow. Linking
// a program with -ffast-math switches underflow off for the whole process, however its sources were
// compiled; enclosures would then be wrong.
bool arithmetic_is_ieee();

namespace detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double largest_double = std::numeric_limits<double>::max();
inline constexpr double smallest_double = std::numeric_limits<double>::denorm_min();

// Returns the next double below x; -inf stays. Doubles of one sign are ordered like their bit
// patterns.
inline constexpr double next_down(double x) {
  if (x == -infinity) return x;
  if (x == 0) return -smallest_double;
  const auto bits = std::bit_cast<std::int64_t>(x);
  return std::bit_cast<double>(bits > 0 ? bits - 1 : bits + 1);
}
inline constexpr double next_up(double x) { return -next_down(-x); }

// Return lower bounds of x + y, x * y, x / y. A product or quotient that is 0 or NaN is either
// exact (a factor is 0; 0 * inf = 0), or an underflow whose sign follows from the factors.
inline constexpr double add_down(double x, double y) {
  const double s = x + y;
  return s == 0 ? 0.0 : next_down(s);
}
inline constexpr double add_up(double x, double y) { return -add_down(-x, -y); }
inline constexpr double underflow_down(double x, double y) {
  return x == 0 || y == 0 || (x > 0) == (y > 0) ? 0.0 : -smallest_double;
}
inline constexpr double mul_down(double x, double y) {
  const double p = x * y;
  return p > 0 || p < 0 ? next_down(p) : underflow_down(x, y);
}
inline constexpr double mul_up(double x, double y) { return -mul_down(-x, y); }
inline constexpr double div_down(double x, double y) {
  const double q = x / y;
  return q > 0 || q < 0 ? next_down(q) : underflow_down(x, y);
}
inline constexpr double div_up(double x, double y) { return -div_down(-x, y); }

}  // namespace detail

class Interval {
 public:
  constexpr Interval() = default;  // [0, 0]
  // A point. NaN gives entire(); an infinity gives the reals beyond the largest double.
  constexpr Interval(double x) : Interval(x, x) {}
  // [lo, hi]; anything that is not lo <= hi (NaN, reversed bounds) gives entire().
  constexpr Interval(double lo, double hi)
      : lo_(lo <= hi ? std::min(lo, detail::largest_double) : -detail::infinity),
        hi_(lo <= hi ? std::max(hi, -detail::largest_double) : detail::infinity) {}
  static constexpr Interval entire() { return {-detail::infinity, detail::infinity}; }

  constexpr double lo() const { return lo_; }
  constexpr double hi() const { return hi_; }

  constexpr bool contains(double x) const { return lo_ <= x && x <= hi_; }
  constexpr bool contains(const Interval& x) const { return lo_ <= x.lo_ && x.hi_ <= hi_; }
  constexpr bool is_point() const { return lo_ == hi_; }
  constexpr bool is_entire() const { return lo_ == -detail::infinity && hi_ == detail::infinity; }
  constexpr bool is_bounded() const { return lo_ > -detail::infinity && hi_ < detail::infinity; }

  // These hold if every element satisfies them.
  constexpr bool certainly_positive() const { return lo_ > 0; }
  constexpr bool certainly_nonnegative() const { return lo_ >= 0; }
  constexpr bool certainly_negative() const { return hi_ < 0; }
  constexpr bool certainly_nonpositive() const { return hi_ <= 0; }

  // Returns an upper bound of hi - lo.
  constexpr double width() const { return detail::add_up(hi_, -lo_); }
  // Returns a finite element near the middle; halves first so that hi - lo cannot overflow.
  constexpr double mid() const {
    if (is_entire()) return 0.0;
    const double m = 0.5 * lo_ + 0.5 * hi_;
    return std::clamp(std::clamp(m, lo_, hi_), -detail::largest_double, detail::largest_double);
  }
  // Return the largest and smallest absolute value of an element.
  constexpr double mag() const { return std::max(-lo_, hi_); }
  constexpr double mig() const { return std::max({lo_, -hi_, 0.0}); }

  constexpr Interval& operator+=(const Interval& b) { return *this = *this + b; }
  constexpr Interval& operator-=(const Interval& b) { return *this = *this - b; }
  constexpr Interval& operator*=(const Interval& b) { return *this = *this * b; }
  constexpr Interval& operator/=(const Interval& b) { return *this = *this / b; }

  constexpr Interval operator+() const { return *this; }
  constexpr Interval operator-() const { return {Unchecked{}, -hi_, -lo_}; }

  friend constexpr Interval operator+(const Interval& a, const Interval& b) {
    if (is_zero(b)) return a;
    if (is_zero(a)) return b;
    return {Unchecked{}, detail::add_down(a.lo_, b.lo_), detail::add_up(a.hi_, b.hi_)};
  }
  friend constexpr Interval operator-(const Interval& a, const Interval& b) { return a + (-b); }
  friend constexpr Interval operator*(const Interval& a, const Interval& b);
  friend constexpr Interval operator/(const Interval& a, const Interval& b);

  // Compares sets, not elements.
  friend constexpr bool operator==(const Interval&, const Interval&) = default;

  friend constexpr Interval hull(const Interval& a, const Interval& b) {
    return {Unchecked{}, std::min(a.lo_, b.lo_), std::max(a.hi_, b.hi_)};
  }
  friend constexpr std::optional<Interval> intersect(const Interval& a, const Interval& b) {
    const double lo = std::max(a.lo_, b.lo_);
    const double hi = std::min(a.hi_, b.hi_);
    if (lo > hi) return std::nullopt;
    return Interval(lo, hi);
  }

 private:
  struct Unchecked {};
  constexpr Interval(Unchecked, double lo, double hi) : lo_(lo), hi_(hi) {}
  static constexpr bool is_zero(const Interval& a) { return a.lo_ == 0 && a.hi_ == 0; }
  static constexpr bool is_one(const Interval& a) { return a.lo_ == 1 && a.hi_ == 1; }

  double lo_ = 0;
  double hi_ = 0;
};

// The extreme products are products of bounds; the signs decide which ones.
inline constexpr Interval operator*(const Interval& a, const Interval& b) {
  using detail::mul_down;
  using detail::mul_up;
  using Raw = Interval::Unchecked;
  if (Interval::is_one(a)) return b;
  if (Interval::is_one(b)) return a;
  if (a.lo_ >= 0) {
    return {Raw{}, mul_down(b.lo_ >= 0 ? a.lo_ : a.hi_, b.lo_),
            mul_up(b.hi_ >= 0 ? a.hi_ : a.lo_, b.hi_)};
  }
  if (a.hi_ <= 0) {
    return {Raw{}, mul_down(b.hi_ >= 0 ? a.lo_ : a.hi_, b.hi_),
            mul_up(b.lo_ >= 0 ? a.hi_ : a.lo_, b.lo_)};
  }
  if (b.lo_ >= 0) return {Raw{}, mul_down(a.lo_, b.hi_), mul_up(a.hi_, b.hi_)};
  if (b.hi_ <= 0) return {Raw{}, mul_down(a.hi_, b.lo_), mul_up(a.lo_, b.lo_)};
  return {Raw{}, std::min(mul_down(a.lo_, b.hi_), mul_down(a.hi_, b.lo_)),
          std::max(mul_up(a.lo_, b.lo_), mul_up(a.hi_, b.hi_))};
}

inline constexpr Interval operator/(const Interval& a, const Interval& b) {
  using detail::div_down;
  using detail::div_up;
  if (Interval::is_one(b)) return a;
  if (b.lo_ > 0) {
    return {Interval::Unchecked{}, div_down(a.lo_, a.lo_ >= 0 ? b.hi_ : b.lo_),
            div_up(a.hi_, a.hi_ >= 0 ? b.lo_ : b.hi_)};
  }
  if (b.hi_ < 0) return (-a) / (-b);
  return Interval::entire();
}

inline constexpr Interval abs(const Interval& x) { return {x.mig(), x.mag()}; }
inline constexpr Interval min(const Interval& a, const Interval& b) {
  return {std::min(a.lo(), b.lo()), std::min(a.hi(), b.hi())};
}
inline constexpr Interval max(const Interval& a, const Interval& b) {
  return {std::max(a.lo(), b.lo()), std::max(a.hi(), b.hi())};
}
inline constexpr Interval sqr(const Interval& x) {
  return {detail::mul_down(x.mig(), x.mig()), detail::mul_up(x.mag(), x.mag())};
}

Interval sqrt(const Interval& x);
Interval exp(const Interval& x);
Interval log(const Interval& x);
Interval sin(const Interval& x);
Interval cos(const Interval& x);
Interval tan(const Interval& x);  // entire() across a pole
Interval asin(const Interval& x);
Interval acos(const Interval& x);
Interval atan(const Interval& x);
Interval sinh(const Interval& x);
Interval cosh(const Interval& x);
Interval tanh(const Interval& x);
// Returns the real power. A point exponent that is an integer admits any base (it becomes powi).
Interval pow(const Interval& x, const Interval& y);
// Returns [-pi, pi] as soon as the box meets the cut {y = 0, x <= 0}.
Interval atan2(const Interval& y, const Interval& x);
// Returns a tight enclosure: even powers are nonnegative. Encloses the real power, not the rounded
// scalar one.
Interval powi(const Interval& x, int n);

inline constexpr std::optional<int> exact_int(const Interval& x) {
  return x.is_point() ? exact_int(x.lo()) : std::nullopt;
}

}  // namespace saltus
