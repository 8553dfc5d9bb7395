// Structural pounding (DISODE45, problem 2) as plain functions: a structure that is shaken meets a stop
// at y = 0.005 and is pushed back by u, differently on its way in and on its way out. With D = y - 0.005,
//
//   2 y'' = -4.1 y' - 210.125 y - u - 2 sin(14 t),
//   u = 0                                          where D < 0,
//   u = c D^(3/2) + 1.98 sqrt(2 c sqrt(D)) y'      where D > 0, y' > 0,
//   u = c D^(3/2)                                  where D > 0, y' < 0.
//
// 18 events up to t = 3; switch "speed" matters during contact only.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>

#include <saltus/system/function_system.hpp>

namespace saltus::problems {

/// What the square roots do with a negative argument.
enum class BeyondSurface { gives_nan, throws };

struct Pounding {
  static constexpr double stiffness = 2.47e6;
  static constexpr double stop = 0.005;

  static double root(double value, BeyondSurface beyond) {
    if (value >= 0.0) return std::sqrt(value);
    if (beyond == BeyondSurface::throws) throw std::domain_error("square root of a negative depth");
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// The push of the stop; exists for depth >= 0 only.
  static double push(double depth, double speed, bool inward, BeyondSurface beyond) {
    const double root_depth = root(depth, beyond);
    const double spring = stiffness * root_depth * root_depth * root_depth;
    return inward ? spring + 1.98 * root(2.0 * stiffness * root_depth, beyond) * speed : spring;
  }

  static double acceleration(double t, double y, double speed, double u) {
    return 0.5 * (-4.1 * speed - 210.125 * y - u - 2.0 * std::sin(14.0 * t));
  }
};

/// What both ways of writing it share.
inline SystemFunctions pounding_description() {
  return {.unknowns = {{.name = "y", .start = 0.0, .nominal = 0.01},
                       {.name = "v", .start = 0.0, .nominal = 0.1}},
          .switches = {{"contact"}, {"speed"}},
          .switching =
              [](double, auto x, auto g) {
                g[0] = x[0] - Pounding::stop;
                g[1] = x[1];
              },
          .matters = [](std::uint32_t which, auto side) { return which == 0 || side[0] != 0; }};
}

/// Only f, which decides by itself on which side it is, and g: runs one-sided.
inline SystemFunctions disode_p2_functions() {
  SystemFunctions functions = pounding_description();
  functions.derivative = [](double t, auto x, auto xdot) {
    const double depth = x[0] - Pounding::stop;
    const double u =
        depth > 0.0 ? Pounding::push(depth, x[1], x[1] > 0.0, BeyondSurface::throws) : 0.0;
    xdot[0] = x[1];
    xdot[1] = Pounding::acceleration(t, x[0], x[1], u);
  };
  return functions;
}

/// f is told the sides; during contact it does not exist beyond the stop's surface.
inline SystemFunctions disode_p2_locked_functions(BeyondSurface beyond) {
  SystemFunctions functions = pounding_description();
  functions.locked_derivative = [beyond](double t, auto x, auto side, auto xdot) {
    const double u =
        side[0] != 0 ? Pounding::push(x[0] - Pounding::stop, x[1], side[1] != 0, beyond) : 0.0;
    xdot[0] = x[1];
    xdot[1] = Pounding::acceleration(t, x[0], x[1], u);
  };
  return functions;
}

}  // namespace saltus::problems
