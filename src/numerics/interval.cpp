#include <saltus/numerics/interval.hpp>

#include <array>

namespace saltus {

namespace {

using detail::infinity;
using detail::largest_double;
using detail::smallest_double;

// pi lies strictly between the double nearest to it and the next one; likewise pi/2, its half.
constexpr double pi_below = 3.141592653589793;
constexpr double pi_above = detail::next_up(pi_below);
constexpr Interval pi(pi_below, pi_above);
constexpr Interval two_pi(2 * pi_below, 2 * pi_above);
constexpr double half_pi_above = 0.5 * pi_above;

// Bounds of the exact value y from a libm result x with |x - y| <= 4 ulp(y).
//
// With u = 2^-53, ulp(y) <= 2 u |y|, so |x - y| <= 8 u |y| <= 8 u (1 + 9 u) |x|. The subtraction
// below rounds by at most u (1 + 10 u) |x|, forming the margin by less than 11 u^2 |x|: together less
// than 10 u |x|. In the subnormal range an ulp is `smallest` and the subtraction is exact, hence the
// second term. An infinite x stands for a value that may be below the largest double by 4 ulp.
double libm_margin(double x) { return 10 * 0x1p-53 * std::abs(x) + 4 * smallest_double; }
double libm_down(double x) {
  const double near = std::min(x, largest_double);
  return near == -infinity ? near : near - libm_margin(near);
}
double libm_up(double x) { return -libm_down(-x); }

// The same for f(argument) where f(0) = 0 exactly.
double odd_down(double argument, double value) { return argument == 0 ? 0.0 : libm_down(value); }
double odd_up(double argument, double value) { return argument == 0 ? 0.0 : libm_up(value); }

// Whether some integer may lie in x; false is a proof.
bool may_contain_integer(const Interval& x) { return std::floor(x.hi()) >= x.lo(); }

// f is sin or cos; its maxima are at `turns` in Z, its minima at turns + 1/2 in Z, where turns
// encloses (x - first maximum) / (2 pi). A continuous f takes its extremes at the ends or at interior
// extrema; an extremum that cannot be excluded contributes its value. Enclosing `turns` makes this
// right for arguments of any size: far out, the enclosure is wide and both extremes are assumed.
template <class F>
Interval wave(const Interval& x, const Interval& turns, F f) {
  const bool maximum = may_contain_integer(turns);
  const bool minimum = may_contain_integer(turns + Interval(0.5));
  // A point far out still has a good value; it needs no reasoning about extrema.
  if (maximum && minimum && !(x.is_point() && x.is_bounded())) return {-1.0, 1.0};
  const double at_lo = f(x.lo());
  const double at_hi = f(x.hi());
  const bool point = x.is_point();
  const double lo = minimum && !point ? -1.0 : libm_down(std::min(at_lo, at_hi));
  const double hi = maximum && !point ? 1.0 : libm_up(std::max(at_lo, at_hi));
  return {std::max(lo, -1.0), std::min(hi, 1.0)};
}

// x^m for x >= 0, m >= 1, rounded down; every factor is nonnegative, so lower bounds multiply.
double power_down(double x, unsigned m) {
  double p = x;
  double r = 1.0;
  for (bool first = true;; p = detail::mul_down(p, p)) {
    if ((m & 1U) != 0U) {
      r = first ? p : detail::mul_down(r, p);
      first = false;
    }
    if ((m >>= 1U) == 0U) return r;
  }
}
double power_up(double x, unsigned m) {
  double p = x;
  double r = 1.0;
  for (bool first = true;; p = detail::mul_up(p, p)) {
    if ((m & 1U) != 0U) {
      r = first ? p : detail::mul_up(r, p);
      first = false;
    }
    if ((m >>= 1U) == 0U) return r;
  }
}

// Hull of f at the four corners of the box, each widened by the libm margin.
template <class F>
Interval corners(const Interval& x, const Interval& y, F f) {
  const std::array<double, 4> v = {f(x.lo(), y.lo()), f(x.lo(), y.hi()), f(x.hi(), y.lo()),
                                   f(x.hi(), y.hi())};
  const auto [lo, hi] = std::minmax_element(v.begin(), v.end());
  return {libm_down(*lo), libm_up(*hi)};
}

}  // namespace

bool arithmetic_is_ieee() {
  // volatile: the processor must do this, not the compiler
  volatile double small = std::numeric_limits<double>::min();
  volatile double half_ulp = 0x1p-53;
  const bool gradual_underflow = small * 0.5 > 0 && small - small * 0.75 > 0;
  const bool to_nearest = 1.0 + half_ulp == 1.0 && 1.0 + 1.5 * half_ulp > 1.0 &&
                          -1.0 - half_ulp == -1.0 && -1.0 - 1.5 * half_ulp < -1.0;
  return gradual_underflow && to_nearest;
}

Interval sqrt(const Interval& x) {
  if (x.lo() < 0) return Interval::entire();
  // Correctly rounded; 0 and infinity are their own roots.
  const double lo = x.lo() == 0 ? 0.0 : detail::next_down(std::sqrt(x.lo()));
  const double hi = x.hi() == 0 ? 0.0 : detail::next_up(std::sqrt(x.hi()));
  return {lo, hi};
}

Interval exp(const Interval& x) {
  return {std::max(libm_down(std::exp(x.lo())), 0.0), libm_up(std::exp(x.hi()))};
}

Interval log(const Interval& x) {
  if (x.lo() < 0 || x.hi() == 0) return Interval::entire();
  return {x.lo() == 0 ? -infinity : libm_down(std::log(x.lo())), libm_up(std::log(x.hi()))};
}

Interval sin(const Interval& x) {
  if (x.is_point() && x.lo() == 0) return x;
  return wave(x, x / two_pi - Interval(0.25), [](double t) { return std::sin(t); });
}

Interval cos(const Interval& x) {
  return wave(x, x / two_pi, [](double t) { return std::cos(t); });
}

// Increasing between poles, which are where x / pi - 1/2 is an integer. No double is a pole (pi is
// irrational), so a point needs no such check, however far out it lies.
Interval tan(const Interval& x) {
  const bool finite_point = x.is_point() && x.is_bounded();
  if (!finite_point && may_contain_integer(x / pi - Interval(0.5))) return Interval::entire();
  return {odd_down(x.lo(), std::tan(x.lo())), odd_up(x.hi(), std::tan(x.hi()))};
}

Interval asin(const Interval& x) {
  if (x.lo() < -1 || x.hi() > 1) return Interval::entire();
  return {std::max(odd_down(x.lo(), std::asin(x.lo())), -half_pi_above),
          std::min(odd_up(x.hi(), std::asin(x.hi())), half_pi_above)};
}

Interval acos(const Interval& x) {
  if (x.lo() < -1 || x.hi() > 1) return Interval::entire();
  return {std::max(libm_down(std::acos(x.hi())), 0.0),
          std::min(libm_up(std::acos(x.lo())), pi_above)};
}

Interval atan(const Interval& x) {
  return {std::max(odd_down(x.lo(), std::atan(x.lo())), -half_pi_above),
          std::min(odd_up(x.hi(), std::atan(x.hi())), half_pi_above)};
}

Interval sinh(const Interval& x) {
  return {odd_down(x.lo(), std::sinh(x.lo())), odd_up(x.hi(), std::sinh(x.hi()))};
}

Interval cosh(const Interval& x) {
  return {std::max(libm_down(std::cosh(x.mig())), 1.0), libm_up(std::cosh(x.mag()))};
}

Interval tanh(const Interval& x) {
  return {std::max(odd_down(x.lo(), std::tanh(x.lo())), -1.0),
          std::min(odd_up(x.hi(), std::tanh(x.hi())), 1.0)};
}

// x^y is monotone in x for fixed y and in y for fixed x when x > 0, so its extremes are at corners
// (infinite ones as limits: where C's pow fixes an indeterminate form to 1, another corner covers
// it). At x = 0 this holds for y >= 0 with 0^0 = 1, as C has it.
Interval pow(const Interval& x, const Interval& y) {
  const bool positive = x.lo() > 0 || (x.lo() == 0 && y.lo() >= 0);
  if (positive) {
    const Interval r = corners(x, y, [](double a, double b) { return std::pow(a, b); });
    return {std::max(r.lo(), 0.0), r.hi()};
  }
  if (const std::optional<int> n = exact_int(y)) return powi(x, *n);
  return Interval::entire();
}

// A box that misses the origin and the cut is seen from the origin under an angle whose extreme
// directions pass through corners.
Interval atan2(const Interval& y, const Interval& x) {
  const bool meets_cut = x.lo() <= 0 && y.contains(0.0);
  if (meets_cut) return {-pi_above, pi_above};
  const Interval r = corners(y, x, [](double a, double b) { return std::atan2(a, b); });
  return {std::max(r.lo(), -pi_above), std::min(r.hi(), pi_above)};
}

Interval powi(const Interval& x, int n) {
  if (n == 0) return {1.0};
  const unsigned m = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  Interval r;
  if (m % 2 == 0 || x.lo() >= 0) {
    r = {power_down(x.mig(), m), power_up(x.mag(), m)};
  } else if (x.hi() <= 0) {
    r = {-power_up(-x.lo(), m), -power_down(-x.hi(), m)};
  } else {
    r = {-power_up(-x.lo(), m), power_up(x.hi(), m)};
  }
  return n < 0 ? Interval(1.0) / r : r;
}

}  // namespace saltus
