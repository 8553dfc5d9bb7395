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

/// Prey x and predators y (Lotka, Volterra): x' = x - x y, y' = c (x y - y). Solved by Taylor series in long
/// double.
struct PreyAndPredators {
  struct Point {
    long double t, x, y;
  };
  static Point advance(const Point& p, long double c, long double dt) {
    constexpr std::size_t degree = 24;
    std::array<long double, degree + 1> x{}, y{};
    x[0] = p.x, y[0] = p.y;
    for (std::size_t k = 0; k < degree; ++k) {
      long double product = 0;
      for (std::size_t i = 0; i <= k; ++i) product += x[i] * y[k - i];
      const auto next = static_cast<long double>(k + 1);
      x[k + 1] = (x[k] - product) / next;
      y[k + 1] = c * (product - y[k]) / next;
    }
    Point q{p.t + dt, 0.0L, 0.0L};
    for (std::size_t k = degree + 1; k-- > 0;) {
      q.x = q.x * dt + x[k];
      q.y = q.y * dt + y[k];
    }
    return q;
  }
  /// A step that ends where x passes a level.
  static Point advance_to(const Point& p, long double c, long double level, long double dt) {
    for (int i = 0; i < 30; ++i) {
      const Point q = advance(p, c, dt);
      dt -= (q.x - level) / (q.x - q.x * q.y);
    }
    return advance(p, c, dt);
  }
  /// From the start to t; at_level(point) is what happens where x passes the level, and changes c.
  template <class AtLevel>
  static Point follow(Point p, long double t, long double level, long double c, AtLevel at_level) {
    constexpr long double step = 0.01L;
    while (p.t < t) {
      const long double dt = std::min(step, t - p.t);
      Point q = advance(p, c, dt);
      if ((q.x - level) * (p.x - level) < 0) {
        q = advance_to(p, c, level, dt);
        at_level(q, c);
        // Off the surface, so that it is not found again.
        q = advance(q, c, std::min(1e-3L, t - q.t));
      }
      if (t - q.t < 1e-18L) q.t = t;
      p = q;
    }
    return p;
  }
};

/// Half of all is taken whenever there is much prey.
struct Harvest {
  static constexpr double high = 1.5, rest = 0.5, x_start = 0.8, y_start = 0.4, c = 3.0,
                          t_end = 3.3;
  static PreyAndPredators::Point at(long double t, int* n_events = nullptr) {
    return PreyAndPredators::follow({0.0L, x_start, y_start}, t, high, c,
                                    [&](PreyAndPredators::Point& p, long double&) {
                                      p.x = static_cast<long double>(high) * rest;
                                      p.y *= rest;
                                      if (n_events != nullptr) ++*n_events;
                                    });
  }
};

inline void write_harvest(Model& m, double t_begin) {
  const auto start = Harvest::at(t_begin);
  Expr x = m.state("x", static_cast<double>(start.x)),
       y = m.state("y", static_cast<double>(start.y));
  m.equation("x", der(x) == x - x * y);
  m.equation("y", der(y) == Harvest::c * (x * y - y));
  m.when("harvest", x > Harvest::high, {{x, Harvest::rest * pre(x)}, {y, Harvest::rest * pre(y)}});
}

/// Predators are hungrier while there is little prey.
struct Hunters {
  static constexpr double level = 1.2, many = 1.0, few = 2.0, x_start = 2.0, y_start = 0.6,
                          t_end = 8.5;
  static PreyAndPredators::Point at(long double t, int* n_events = nullptr) {
    return PreyAndPredators::follow({0.0L, x_start, y_start}, t, level, many,
                                    [&](PreyAndPredators::Point& p, long double& c) {
                                      p.x = level;
                                      c = c == many ? few : many;
                                      if (n_events != nullptr) ++*n_events;
                                    });
  }
};

inline void write_hunters(Model& m, double t_begin) {
  const auto start = Hunters::at(t_begin);
  Expr x = m.state("x", static_cast<double>(start.x)),
       y = m.state("y", static_cast<double>(start.y));
  Expr hunger = where(x > Hunters::level, Hunters::many, Hunters::few);
  m.equation("x", der(x) == x - x * y);
  m.equation("y", der(y) == hunger * (x * y - y));
}

inline std::vector<SmoothEventProblem> smooth_event_problems() {
  const auto ball = BallInAir::at(BallInAir::t_end);
  const auto harvest = Harvest::at(Harvest::t_end);
  const auto hunters = Hunters::at(Hunters::t_end);
  return {{"ball in air",
           BallInAir::t_end,
           &write_ball_in_air,
           {{"h", static_cast<double>(ball.h)}, {"v", static_cast<double>(ball.v)}}},
          {"harvest",
           Harvest::t_end,
           &write_harvest,
           {{"x", static_cast<double>(harvest.x)}, {"y", static_cast<double>(harvest.y)}}},
          {"hunters",
           Hunters::t_end,
           &write_hunters,
           {{"x", static_cast<double>(hunters.x)}, {"y", static_cast<double>(hunters.y)}}}};
}

}  // namespace saltus::problems
