// Two bodies with dry friction between them (GESDA's example, equation (19)): the first one is pushed to and fro, and
// takes the second one along as long as friction allows.
#pragma once

#include "problems/sliding_reference.hpp"

namespace saltus::problems {

struct TwoBodies {
  static constexpr double m1 = 1.0, m2 = 1.0, mu = 0.4, normal_force = 1.0;
  static constexpr double friction = mu * normal_force;
};

inline void write_two_bodies(Model& m) {
  using P = TwoBodies;
  Expr p1 = m.state("p1", 1.0), p2 = m.state("p2", 1.0), v1 = m.state("v1", 0.0),
       v2 = m.state("v2", 0.0);
  m.equation("p1", der(p1) == v1);
  m.equation("p2", der(p2) == v2);
  m.equation("v1", P::m1 * der(v1) == sin(m.time()) - P::friction * sign(v1 - v2));
  m.equation("v2", P::m2 * der(v2) == P::friction * sign(v1 - v2));
}

inline SlidingProblem two_body_stick_slip() {
  using P = TwoBodies;
  SlidingProblem p{.name = "two bodies", .write = &write_two_bodies, .t_end = 10.0};
  p.states = {"p1", "p2", "v1", "v2"};
  p.file = "twobody_stickslip.json";
  read_reference(p, {{"", "v1 - v2 > 0"}});
  p.n_sliding_at_start = 1;
  p.start = {{"p1", 1.0}, {"p2", 1.0}, {"v1", 0.0}, {"v2", 0.0}};
  p.write_stretch = [](Model& m, const std::string& mode, const NamedState& x) {
    Expr p1 = m.state("p1", x.at("p1")), p2 = m.state("p2", x.at("p2")),
         v1 = m.state("v1", x.at("v1")), v2 = m.state("v2", x.at("v2"));
    Expr push = sin(m.time());
    Expr force = mode == "1" ? Expr(P::friction) : mode == "2" ? Expr(-P::friction) : push / 2.0;
    m.equation("p1", der(p1) == v1);
    m.equation("p2", der(p2) == v2);
    m.equation("v1", P::m1 * der(v1) == push - force);
    m.equation("v2", P::m2 * der(v2) == force);
  };
  return p;
}

}  // namespace saltus::problems
