// DISODE45, problem 3: a relay feedback system that slides 28 times, for 2 ms to 1.2 s, with 55 events up to 4 pi.
#pragma once

#include <numbers>

#include "problems/sliding_reference.hpp"

namespace saltus::problems {

struct DisodeP3 {
  static constexpr double omega = 25.0, zeta = 0.05;
};

inline void write_disode_p3_with(Model& m, const Expr& y1, const Expr& y2, const Expr& y3,
                                 const Expr& relay) {
  constexpr double w = DisodeP3::omega, damping = 2 * DisodeP3::zeta * w;
  m.equation("y1", der(y1) == -(damping + 1) * y1 + y2 - relay);
  m.equation("y2", der(y2) == -(damping + w * w) * y1 + y3 + 2.0 * relay);
  m.equation("y3", der(y3) == -(w * w) * y1 - relay);
}

inline void write_disode_p3(Model& m) {
  Expr y1 = m.state("y1", 0.0), y2 = m.state("y2", 0.2), y3 = m.state("y3", 0.06);
  write_disode_p3_with(m, y1, y2, y3, sign(y1));
}

inline SlidingProblem disode_p3() {
  SlidingProblem p{
      .name = "DISODE45 problem 3", .write = &write_disode_p3, .t_end = 4 * std::numbers::pi};
  p.states = {"y1", "y2", "y3"};
  p.file = "disode_p3_relay.json";
  read_reference(p, {{"", "y1 > 0"}});
  p.n_sliding_at_start = 1;
  p.start = {{"y1", 0.0}, {"y2", 0.2}, {"y3", 0.06}};
  p.write_stretch = [](Model& m, const std::string& mode, const NamedState& x) {
    Expr y1 = m.state("y1", x.at("y1")), y2 = m.state("y2", x.at("y2")),
         y3 = m.state("y3", x.at("y3"));
    constexpr double damping = 2 * DisodeP3::zeta * DisodeP3::omega;
    // y1' = 0
    Expr relay = mode == "+" ? Expr(1.0) : mode == "-" ? Expr(-1.0) : y2 - (damping + 1) * y1;
    write_disode_p3_with(m, y1, y2, y3, relay);
  };
  p.vanishes = [events = p.events](std::size_t k, double, const NamedState& x) {
    if (events[k].kind != EventKind::exit_sliding) return x.at("y1");
    return events[k].direction - x.at("y2");
  };
  return p;
}

}  // namespace saltus::problems
