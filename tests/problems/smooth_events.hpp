// Problems whose fields are smooth on both sides of their events, with solutions known to the last digits:
// for orders of convergence through three events. Each can be begun at any time before its first event,
// which shifts the grid of fixed steps against the events.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

struct SmoothEventProblem {
  std::string name;
  double t_end = 1.0;
  /// With start values that belong to t_begin.
  void (*write)(Model& model, double t_begin);
  std::vector<Named<double>> final_values;
  int n_events = 3;
};

/// A ball in air: v' = -g - a v - b v^3, impacts with restitution e. Solved by Taylor series of h and v in
/// long double.
struct BallInAir {
  static constexpr double g = 9.81, a = 0.2, b = 0.05, e = 0.8, height = 1.0, t_end = 1.75;
  struct Point {
    long double t, h, v;
  };

  /// Taylor polynomials of degree 24, evaluated dt further.
  static Point advance(const Point& p, long double dt) {
    constexpr std::size_t degree = 24;
    const long double grav = g, linear = a, cubic = b;
    std::array<long double, degree + 1> v{}, square{};
    v[0] = p.v;
    for (std::size_t k = 0; k < degree; ++k) {
      for (std::size_t i = 0; i <= k; ++i) square[k] += v[i] * v[k - i];
      long double cube = 0;
      for (std::size_t i = 0; i <= k; ++i) cube += square[i] * v[k - i];
      v[k + 1] = (-linear * v[k] - cubic * cube - (k == 0 ? grav : 0.0L)) /
                 static_cast<long double>(k + 1);
    }
    Point q{p.t + dt, 0.0L, 0.0L};
    for (std::size_t k = degree; k + 1 > 0; --k) {
      q.v = q.v * dt + v[k];
      q.h = q.h * dt + v[k] / static_cast<long double>(k + 1);
    }
    q.h = p.h + q.h * dt;
    return q;
  }

  /// The solution at t, and how many impacts are before it.
  static Point at(long double t, int* n_impacts = nullptr) {
    constexpr long double step = 0.01L;
    Point p{0.0L, height, 0.0L};
    if (n_impacts != nullptr) *n_impacts = 0;
    while (p.t < t) {
      Point q = advance(p, std::min(step, t - p.t));
      if (q.h < 0) {
        long double dt = q.t - p.t;
        for (int i = 0; i < 30; ++i) {
          q = advance(p, dt);
          dt -= q.h / q.v;
        }
        q = advance(p, dt);
        q.h = 0.0L;
        q.v *= -static_cast<long double>(e);
        if (n_impacts != nullptr) ++*n_impacts;
      }
      if (t - q.t < 1e-18L) q.t = t;
      p = q;
    }
    return p;
  }
};

inline void write_ball_in_air(Model& m, double t_begin) {
  using B = BallInAir;
  const B::Point start = B::at(t_begin);
  Expr h = m.state("h", static_cast<double>(start.h)),
       v = m.state("v", static_cast<double>(start.v));
  m.equation("h", der(h) == v);
  m.equation("v", der(v) == -B::g - B::a * v - B::b * v * v * v);
  m.when("bounce", h < 0.0, {{v, -B::e * pre(v)}});
}

/// Logistic growth that is cut back to a quarter whenever it exceeds 0.8.
struct Harvest {
  static constexpr double rate = 3.0, start = 0.2, high = 0.8, rest = 0.25, t_end = 3.2;
  static long double logit(long double y) { return std::log(y / (1 - y)); }
  static long double at(long double t) {
    const long double r = rate, from_rest = logit(static_cast<long double>(high) * rest);
    const long double top = logit(high);
    long double l = logit(start) + r * t;
    while (l > top) l -= top - from_rest;
    return 1 / (1 + std::exp(-l));
  }
};

inline void write_harvest(Model& m, double t_begin) {
  Expr y = m.state("y", static_cast<double>(Harvest::at(t_begin)));
  m.equation("y", der(y) == Harvest::rate * y * (1.0 - y));
  m.when("harvest", y > Harvest::high, {{y, Harvest::rest * pre(y)}});
}

/// A spiral to the unit circle, x + i y = r e^(i p), that turns faster below the axis than above it.
struct Spiral {
  static constexpr double above = 1.0, below = 2.5, r_start = 0.5, p_start = 1.0, t_end = 7.5;
  struct Point {
    long double x, y;
  };
  static Point at(long double t) {
    const long double pi = std::acos(-1.0L), r0 = r_start;
    const long double r = 1 / std::sqrt(1 + (1 / (r0 * r0) - 1) * std::exp(-2 * t));
    long double phase = p_start, left = t;
    for (bool up = true;; up = !up) {
      const long double speed = up ? above : below;
      const long double rest = (pi - std::fmod(phase, pi)) / speed;
      if (rest >= left)
        return {r * std::cos(phase + speed * left), r * std::sin(phase + speed * left)};
      phase = pi * std::round((phase + speed * rest) / pi);
      left -= rest;
    }
  }
};

inline void write_spiral(Model& m, double t_begin) {
  const Spiral::Point start = Spiral::at(t_begin);
  Expr x = m.state("x", static_cast<double>(start.x)),
       y = m.state("y", static_cast<double>(start.y));
  Expr speed = where(y > 0.0, Spiral::above, Spiral::below);
  m.equation("x", der(x) == x * (1.0 - x * x - y * y) - speed * y);
  m.equation("y", der(y) == y * (1.0 - x * x - y * y) + speed * x);
}

inline std::vector<SmoothEventProblem> smooth_event_problems() {
  const auto ball = BallInAir::at(BallInAir::t_end);
  const auto spiral = Spiral::at(Spiral::t_end);
  return {
      {"ball in air",
       BallInAir::t_end,
       &write_ball_in_air,
       {{"h", static_cast<double>(ball.h)}, {"v", static_cast<double>(ball.v)}}},
      {"harvest",
       Harvest::t_end,
       &write_harvest,
       {{"y", static_cast<double>(Harvest::at(Harvest::t_end))}}},
      {"spiral",
       Spiral::t_end,
       &write_spiral,
       {{"x", static_cast<double>(spiral.x)}, {"y", static_cast<double>(spiral.y)}}},
  };
}

}  // namespace saltus::problems
