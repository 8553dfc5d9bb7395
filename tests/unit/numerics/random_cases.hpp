#pragma once

// Random numbers that look for trouble, and how many of them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

#include <saltus/numerics/interval.hpp>

namespace saltus::numerics_test {

// Number of sampled values in a property test: SALTUS_PROPERTY_CASES, or a default that keeps a
// suite near a second.
inline long property_cases(long by_default = 200000) {
  const char* text = std::getenv("SALTUS_PROPERTY_CASES");
  const long n = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return n > 0 ? n : by_default;
}

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : engine_(seed) {}

  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine_);
  }
  int integer(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(engine_); }
  double sign() { return integer(0, 1) == 0 ? -1.0 : 1.0; }

  // x moved by up to `steps` neighbours in either direction.
  double near(double x, int steps = 4) {
    const int n = integer(-steps, steps);
    for (int i = 0; i < std::abs(n); ++i) {
      x = std::nextafter(x, n < 0 ? -HUGE_VAL : HUGE_VAL);
    }
    return std::clamp(x, -std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
  }

  // A finite double of any kind.
  double number() {
    using Limits = std::numeric_limits<double>;
    switch (integer(0, 9)) {
      case 0:
      case 1:
        return uniform(-10.0, 10.0);
      case 2:
        return any_bits();
      case 3:  // subnormal
        return sign() * std::ldexp(uniform(0.0, 1.0), Limits::min_exponent - 1);
      case 4:
        return sign() * 0.0;
      case 5:  // around a multiple of pi/2, up to far out
        return near(1.5707963267948966 *
                    std::floor(std::ldexp(sign() * uniform(0.0, 1.0), integer(0, 40))));
      case 6:
        return near(sign());
      case 7: {
        const double edge[] = {Limits::max(),    Limits::min(),     Limits::denorm_min(),
                               709.782712893384, 745.1332191019411, 0x1p-540,
                               0x1p511};
        return near(sign() * edge[integer(0, 6)]);
      }
      case 8:
        return integer(-20, 20);
      default:
        return sign() * std::ldexp(uniform(1.0, 2.0), integer(-40, 40));
    }
  }

  // An interval of any kind: a point, a few neighbours, narrow, wide, between two numbers, a ray.
  Interval interval() {
    const double x = number();
    switch (integer(0, 6)) {
      case 0:
        return {x};
      case 1:
        return ordered(x, near(x));
      case 2:
        return ordered(x, x * (1 + std::ldexp(uniform(0.0, 1.0), integer(-50, 0))));
      case 3:
        return ordered(x, x + uniform(0.0, 10.0));
      case 4:
      case 5:
        return ordered(x, number());
      default:
        return integer(0, 3) != 0   ? Interval(x)
               : integer(0, 1) == 0 ? Interval(x, std::numeric_limits<double>::infinity())
                                    : Interval(-std::numeric_limits<double>::infinity(), x);
    }
  }

  // A finite element: an end, the middle, or anything between.
  double element(const Interval& x) {
    const double lo = std::max(x.lo(), -std::numeric_limits<double>::max());
    const double hi = std::min(x.hi(), std::numeric_limits<double>::max());
    switch (integer(0, 4)) {
      case 0:
        return lo;
      case 1:
        return hi;
      case 2:
        return x.mid();
      case 3:
        return std::clamp(near(integer(0, 1) == 0 ? lo : hi), lo, hi);
      default: {
        const double s = uniform(0.0, 1.0);
        return std::clamp((1 - s) * lo + s * hi, lo, hi);
      }
    }
  }

 private:
  static Interval ordered(double a, double b) { return {std::min(a, b), std::max(a, b)}; }
  double any_bits() {
    for (;;) {
      const double x = std::bit_cast<double>(static_cast<std::uint64_t>(engine_()));
      if (std::isfinite(x)) return x;
    }
  }
  std::mt19937_64 engine_;
};

}  // namespace saltus::numerics_test
