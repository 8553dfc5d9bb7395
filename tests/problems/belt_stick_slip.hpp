// A mass on a spring, taken along by a belt with friction that falls with speed (Wunderlich, 7.2.3); and the same on a
// belt whose speed oscillates, so that the surface moves.
#pragma once

#include "problems/sliding_reference.hpp"

namespace saltus::problems {

struct Belt {
  static constexpr double k = 3.0, friction = 1.0, gamma = 3.0, speed = 0.2;
  static constexpr double amplitude = 0.1, frequency = 2.0;  // of a speed that oscillates
};

inline Expr belt_speed(Model& m, bool oscillates) {
  if (!oscillates) return Belt::speed;
  return Belt::speed + Belt::amplitude * sin(Belt::frequency * m.time());
}

inline void write_belt(Model& m, double v_start, bool oscillates) {
  Expr x = m.state("x", 0.0), v = m.state("v", v_start);
  Expr relative = v - belt_speed(m, oscillates);
  m.equation("x", der(x) == v);
  m.equation("v", der(v) == -Belt::k * x - Belt::friction * sign(relative) /
                                               (1.0 + Belt::gamma * abs(relative)));
}

inline SlidingProblem belt(const std::string& name, const std::string& file, double v_start,
                           bool oscillates) {
  SlidingProblem p{
      .name = name, .write = [=](Model& m) { write_belt(m, v_start, oscillates); }, .t_end = 15.0};
  p.states = {"x", "v"};
  p.file = file;
  read_reference(p, {{"", oscillates ? "v - (0.1*sin(2*time) + 0.2) > 0" : "v - 0.2 > 0"}});
  p.start = {{"x", 0.0}, {"v", v_start}};
  p.write_stretch = [oscillates](Model& m, const std::string& mode, const NamedState& at) {
    Expr x = m.state("x", at.at("x")), v = m.state("v", at.at("v"));
    Expr relative = v - belt_speed(m, oscillates);
    m.equation("x", der(x) == v);
    if (mode == "3") {
      constexpr double rise = Belt::amplitude * Belt::frequency;
      m.equation("v", der(v) == (oscillates ? rise * cos(Belt::frequency * m.time()) : Expr(0.0)));
    } else {
      const double s = mode == "1" ? 1.0 : -1.0;
      m.equation("v",
                 der(v) == -Belt::k * x - Belt::friction * s / (1.0 + Belt::gamma * s * relative));
    }
  };
  p.vanishes = [oscillates, events = p.events](std::size_t k, double t, const NamedState& at) {
    const double swing = oscillates ? Belt::amplitude : 0.0, w = Belt::frequency;
    if (events[k].kind != EventKind::exit_sliding)
      return at.at("v") - Belt::speed - swing * std::sin(w * t);
    // Friction, as a part of the largest, points against the relative motion it resists.
    return events[k].direction +
           (Belt::k * at.at("x") + swing * w * std::cos(w * t)) / Belt::friction;
  };
  return p;
}

inline SlidingProblem belt_stick_slip() { return belt("belt", "belt_stickslip.json", 0.0, false); }
inline SlidingProblem belt_stick_slip_v1() {
  return belt("belt, v(0) = 1", "belt_stickslip_v1.json", 1.0, false);
}
inline SlidingProblem oscillating_belt() {
  return belt("oscillating belt", "oscillating_belt.json", 0.0, true);
}

}  // namespace saltus::problems
