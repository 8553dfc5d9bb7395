// DISODE45, problem 4: two masses on a spring with friction that differs between left and right. Thirteen crossings, the first mass sticks, three
// crossings more, then both stick: 18 events.
#pragma once

#include <saltus/system/function_system.hpp>

#include "problems/sliding_reference.hpp"

namespace saltus::problems {

inline void write_disode_p4(Model& m) {
  Expr y1 = m.state("y1", -2.0), y2 = m.state("y2", 3.0), v1 = m.state("v1", 0.0),
       v2 = m.state("v2", 0.0);
  Expr f1 = where(y1 <= 0.0, Expr(0.6), Expr(1.0)), f2 = where(y2 <= 0.0, Expr(0.5), Expr(0.2));
  m.equation("y1", der(y1) == v1);
  m.equation("y2", der(y2) == v2);
  m.equation("v1", der(v1) == -(y1 - y2) - f1 * sign(v1));
  m.equation("v2", der(v2) == -(y2 - y1) - f2 * sign(v2));
}

/// As the paper asks for it: f, which looks by itself on which side it is, and g.
inline SystemFunctions disode_p4_f_and_g() {
  return {.unknowns = {{.name = "y1", .start = -2.0},
                       {.name = "y2", .start = 3.0},
                       {.name = "v1", .start = 0.0},
                       {.name = "v2", .start = 0.0}},
          .derivative =
              [](double, auto x, auto xdot) {
                const double f1 = x[0] <= 0.0 ? 0.6 : 1.0, f2 = x[1] <= 0.0 ? 0.5 : 0.2;
                xdot[0] = x[2];
                xdot[1] = x[3];
                xdot[2] = -(x[0] - x[1]) - (x[2] > 0.0 ? f1 : -f1);
                xdot[3] = -(x[1] - x[0]) - (x[3] > 0.0 ? f2 : -f2);
              },
          .switches = {{"y1"}, {"y2"}, {"v1"}, {"v2"}},
          .switching = [](double, auto x, auto g) { std::copy(x.begin(), x.end(), g.begin()); }};
}

inline SlidingProblem disode_p4() {
  SlidingProblem p{.name = "DISODE45 problem 4", .write = &write_disode_p4, .t_end = 12.0};
  p.states = {"y1", "y2", "v1", "v2"};
  p.file = "disode_p4_two_masses_friction.json";
  // Modes are called "+-LR": signs of both velocities (0: sticks), sides of both positions.
  read_reference(p, {{"y1", "y1 <= 0"}, {"y2", "y2 <= 0"}, {"v1", "v1 > 0"}, {"v2", "v2 > 0"}},
                 [](const std::string& mode, const std::string& guard) {
                   const std::size_t at =
                       (guard[0] == 'y' ? 2U : 0U) + static_cast<std::size_t>(guard[1] - '1');
                   const char c = mode[at];
                   return c == '+' || c == 'R' ? 1 : c == '-' || c == 'L' ? -1 : 0;
                 });
  p.start = {{"y1", -2.0}, {"y2", 3.0}, {"v1", 0.0}, {"v2", 0.0}};
  p.write_stretch = [](Model& m, const std::string& mode, const NamedState& x) {
    Expr y1 = m.state("y1", x.at("y1")), y2 = m.state("y2", x.at("y2")),
         v1 = m.state("v1", x.at("v1")), v2 = m.state("v2", x.at("v2"));
    const double f1 = mode[2] == 'L' ? 0.6 : 1.0, f2 = mode[3] == 'L' ? 0.5 : 0.2;
    const auto acceleration = [](char sign, const Expr& pull, double friction) {
      return sign == '0' ? Expr(0.0) : sign == '+' ? pull - friction : pull + friction;
    };
    m.equation("y1", der(y1) == v1);
    m.equation("y2", der(y2) == v2);
    m.equation("v1", der(v1) == acceleration(mode[0], y2 - y1, f1));
    m.equation("v2", der(v2) == acceleration(mode[1], y1 - y2, f2));
  };
  // There is no exit.
  p.vanishes = [events = p.events](std::size_t k, double, const NamedState& x) {
    return x.at(events[k].surface.substr(0, 2));
  };
  return p;
}

}  // namespace saltus::problems
