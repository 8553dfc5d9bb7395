// Two bodies with dry friction between them (GESDA's example, equation (19)): the first one is pushed to and fro, and
// takes the second one along as long as friction allows.
#pragma once

#include "problems/sliding_reference.hpp"

namespace saltus::problems {

struct TwoBodies {
  static constexpr double m1 = 1.0, m2 = 1.0, mu = 0.4, normal_force = 1.0;
  static constexpr double friction = mu * normal_force;
};

struct TwoBodyStates {
  Expr p1, p2, v1, v2;
};
inline TwoBodyStates two_body_states(Model& m, const NamedState& x = {}) {
  const auto start = [&](const char* name, double value) {
    return m.state(name, x.empty() ? value : x.at(name));
  };
  return {start("p1", 1.0), start("p2", 1.0), start("v1", 0.0), start("v2", 0.0)};
}
/// `force`: on the second body.
inline void write_two_body_motion(Model& m, const TwoBodyStates& s, const Expr& force) {
  using P = TwoBodies;
  m.equation("p1", der(s.p1) == s.v1);
  m.equation("p2", der(s.p2) == s.v2);
  m.equation("v1", P::m1 * der(s.v1) == sin(m.time()) - force);
  m.equation("v2", P::m2 * der(s.v2) == force);
}

inline void write_two_bodies(Model& m) {
  const TwoBodyStates s = two_body_states(m);
  write_two_body_motion(m, s, TwoBodies::friction * sign(s.v1 - s.v2));
}

/// The same for a hysteresis: as GESDA's example it begins with the first body ahead.
inline void write_two_bodies_ahead(Model& m) {
  const TwoBodyStates s = two_body_states(m);
  Expr direction = where(m.named("ahead", s.v1 - s.v2 >= 0.0), Expr(1.0), Expr(-1.0));
  write_two_body_motion(m, s, TwoBodies::friction * direction);
}

/// Three modes by hand: one per direction, and GESDA's equation (20) for sticking, with its alpha between 0 and 1.
inline void write_two_body_modes(Model& m) {
  const TwoBodyStates s = two_body_states(m);
  Expr force = m.algebraic("force"), alpha = m.algebraic("alpha", {.guess = 0.5});
  write_two_body_motion(m, s, force);
  m.equation("alpha", force == TwoBodies::friction * (1.0 - 2.0 * alpha));
  const ModeId ahead = m.mode("1"), behind = m.mode("2"), stick = m.mode("3");
  m.equation(ahead, "ahead", alpha == 0.0);
  m.equation(behind, "behind", alpha == 1.0);
  m.equation(stick, "stick", s.v1 == s.v2);
  m.start_in(stick);
  m.require(stick, alpha >= 0.0 && alpha <= 1.0);
  m.transition("forward stops", ahead, {stick, behind}, s.v1 < s.v2);
  m.transition("backward stops", behind, {stick, ahead}, s.v1 > s.v2);
  m.transition("forward", stick, ahead, alpha < 0.0);
  m.transition("backward", stick, behind, alpha > 1.0);
}

/// Ordinary friction, and sticking as a mode that is named as the motion on its surface.
inline void write_two_bodies_with_named_mode(Model& m) {
  const TwoBodyStates s = two_body_states(m);
  Expr force = m.algebraic("force");
  write_two_body_motion(m, s, force);
  const ModeId stick = m.mode("stick"), slip = m.mode("slip");
  m.equation(stick, "stick", s.v1 == s.v2);
  m.equation(slip, "slip", force == TwoBodies::friction * sign(s.v1 - s.v2));
  m.start_in(stick);
  m.transition("catch", slip, stick, s.v1 - s.v2 > 0.0, {.at_sliding = true});
  m.transition("forward", stick, slip, force > TwoBodies::friction);
  m.transition("backward", stick, slip, force < -TwoBodies::friction);
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
    const TwoBodyStates s = two_body_states(m, x);
    write_two_body_motion(m, s,
                          mode == "1"   ? Expr(P::friction)
                          : mode == "2" ? Expr(-P::friction)
                                        : sin(m.time()) / 2.0);
  };
  p.vanishes = [events = p.events](std::size_t k, double t, const NamedState& x) {
    if (events[k].kind != EventKind::exit_sliding) return x.at("v1") - x.at("v2");
    return events[k].direction - std::sin(t) / (2 * P::friction);
  };
  return p;
}

}  // namespace saltus::problems
