// DISODE45, problem 1: with g = y2 - 0.2 - sin(2 y1),
//
//   y1' = y2 - sin(2 y1),
//   y2' = 2 cos(2 y1) (y2 - sin(2 y1)) - y1 - sign(g) / (1 + |g|^(3/2)).
//
// Each side is undefined beyond the surface, as powers of negative numbers are. One crossing, then sliding
// three times, left tangentially.
#pragma once

#include <cmath>
#include <stdexcept>

#include <saltus/system/function_system.hpp>

#include "problems/sliding_reference.hpp"

namespace saltus::problems {

struct DisodeP1 {
  static double surface(double y1, double y2) { return y2 - 0.2 - std::sin(2 * y1); }
  static double y2_start() { return -1.0 - std::sin(1.5); }

  /// Of the side where g > 0 (above) or g < 0; elsewhere it does not exist.
  static void field(double y1, double y2, bool above, std::span<double> ydot) {
    const double distance = above ? surface(y1, y2) : -surface(y1, y2);
    if (distance < 0.0) throw std::domain_error("the power 3/2 of a negative number");
    const double push = 1.0 / (1.0 + std::pow(distance, 1.5));
    const double slope = y2 - std::sin(2 * y1);
    ydot[0] = slope;
    ydot[1] = 2 * std::cos(2 * y1) * slope - y1 + (above ? -push : push);
  }
};

inline void write_disode_p1(Model& m) {
  Expr y1 = m.state("y1", -0.75), y2 = m.state("y2", DisodeP1::y2_start());
  Expr g = y2 - 0.2 - sin(2.0 * y1);
  m.equation("y1", der(y1) == y2 - sin(2.0 * y1));
  m.equation("y2", der(y2) == 2.0 * cos(2.0 * y1) * (y2 - sin(2.0 * y1)) - y1 -
                                  sign(g) / (1.0 + pow(abs(g), 1.5)));
}

inline SystemFunctions disode_p1_description() {
  return {
      .unknowns = {{.name = "y1", .start = -0.75}, {.name = "y2", .start = DisodeP1::y2_start()}},
      .switches = {{"g"}},
      .switching = [](double, auto x, auto g) { g[0] = DisodeP1::surface(x[0], x[1]); }};
}

/// f is told on which side it is, and throws beyond its surface.
inline SystemFunctions disode_p1_one_sided() {
  SystemFunctions functions = disode_p1_description();
  functions.locked_derivative = [](double, auto x, auto side, auto xdot) {
    DisodeP1::field(x[0], x[1], side[0] != 0, xdot);
  };
  return functions;
}

/// f looks by itself on which side it is: f and g, nothing else.
inline SystemFunctions disode_p1_f_and_g() {
  SystemFunctions functions = disode_p1_description();
  functions.derivative = [](double, auto x, auto xdot) {
    DisodeP1::field(x[0], x[1], DisodeP1::surface(x[0], x[1]) > 0.0, xdot);
  };
  return functions;
}

/// `relation`: what events are called: the text of the model's relation, or the name of the functions' switch.
inline SlidingProblem disode_p1(const std::string& relation = "y2 - 0.2 - sin(2*y1) > 0") {
  SlidingProblem p{.name = "DISODE45 problem 1", .write = &write_disode_p1, .t_end = 30.0};
  p.states = {"y1", "y2"};
  p.file = "disode_p1_sliding.json";
  read_reference(p, {{"", relation}});
  p.start = {{"y1", -0.75}, {"y2", DisodeP1::y2_start()}};
  p.write_stretch = [](Model& m, const std::string& mode, const NamedState& x) {
    Expr y1 = m.state("y1", x.at("y1")), y2 = m.state("y2", x.at("y2"));
    Expr g = y2 - 0.2 - sin(2.0 * y1), slope = y2 - sin(2.0 * y1);
    // Continued beyond the surface as it begins there: an oracle may overshoot by its error.
    Expr push = 1.0 / (1.0 + pow(abs(g, Tracking::untracked), 1.5));
    Expr u = mode == "+" ? -push : mode == "-" ? push : y1;
    m.equation("y1", der(y1) == slope);
    m.equation("y2", der(y2) == 2.0 * cos(2.0 * y1) * slope - y1 + u);
  };
  p.vanishes = [events = p.events](std::size_t k, double, const NamedState& x) {
    if (events[k].kind != EventKind::exit_sliding) return DisodeP1::surface(x.at("y1"), x.at("y2"));
    return events[k].direction + x.at("y1");
  };
  return p;
}

}  // namespace saltus::problems
