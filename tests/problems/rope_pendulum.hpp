// A mass on a rope (after Wunderlich 2005, Example 5.11): the rope is cut where the centrifugal force is
// too much, the mass flies, and a longer rope catches it, taking the radial part of its velocity.
// And one whose rope goes slack: the mass flies inside the circle until the rope is taut again.
#pragma once

#include <cmath>

#include "problems/mode_problem.hpp"

namespace saltus::problems {

namespace rope_detail {

/// Angle and its rate after a time: phi'' = -g/l sin(phi), by many small steps of the classical method of
/// order 4 (the error, about (s/n)^4, is below 1e-17).
struct Swing {
  long double phi = 0.0L, rate = 0.0L;
  void move(long double s, long double g_over_l, int n = 20000) {
    const long double h = s / n;
    const auto f = [&](long double a) { return -g_over_l * std::sin(a); };
    for (int k = 0; k < n; ++k) {
      const long double k1 = f(phi), r1 = rate;
      const long double k2 = f(phi + h / 2 * r1), r2 = rate + h / 2 * k1;
      const long double k3 = f(phi + h / 2 * r2), r3 = rate + h / 2 * k2;
      const long double k4 = f(phi + h * r3), r4 = rate + h * k3;
      phi += h / 6 * (r1 + 2 * r2 + 2 * r3 + r4);
      rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
  }
};

/// Position and velocity; phi is measured from the lowest point, anticlockwise.
struct Mass {
  long double x = 0.0L, y = 0.0L, vx = 0.0L, vy = 0.0L;
  static Mass on_rope(long double l, const Swing& s) {
    return {l * std::sin(s.phi), -l * std::cos(s.phi), l * s.rate * std::cos(s.phi),
            l * s.rate * std::sin(s.phi)};
  }
  Mass flown(long double s, long double g) const {
    return {x + vx * s, y + vy * s - g / 2 * s * s, vx, vy - g * s};
  }
  /// What the taut rope leaves.
  Swing caught(long double l) const { return {std::atan2(x, -y), (vy * x - vx * y) / (l * l)}; }
  /// Of the multiplier: the radial velocity that is lost, over the length.
  NamedState pull(long double l) const {
    return {{"force", static_cast<double>((x * vx + y * vy) / (l * l))}};
  }
  NamedState velocities() const {
    return {{"der(x)", static_cast<double>(vx)}, {"der(y)", static_cast<double>(vy)}};
  }
  std::vector<Named<double>> values() const {
    return {{"x", static_cast<double>(x)}, {"y", static_cast<double>(y)}};
  }
};

}  // namespace rope_detail

struct CutRope {
  static constexpr double g = 9.81, length = 1.0, longer = 2.0;
  static constexpr double limit =
      9.81;  // of the squared speed: reached half a length below the start
  static constexpr double t_end = 3.0;
};

inline void write_cut_rope(ModeWriter& w) {
  using P = CutRope;
  Model& m = w.m;
  Expr x = w.state("x", P::length, {.derivative_start = 0.0, .unit = "m"});
  Expr y = w.state("y", 0.0, {.derivative_start = 0.0, .unit = "m"});
  Expr force =
      w.algebraic("force", {.unit = "1/s2", .description = "in the rope, per mass and length"});
  Expr r2 = x * x + y * y, v2 = der(x) * der(x) + der(y) * der(y);
  m.output("energy", 0.5 * v2 + P::g * y, "J/kg");
  m.output("angular momentum", x * der(y) - y * der(x), "m2/s");
  const ModeId rope = m.mode("rope"), flight = m.mode("flight"), caught = m.mode("caught");
  for (const ModeId taut : {rope, caught}) {
    m.equation(taut, "x", der(der(x)) == -force * x);
    m.equation(taut, "y", der(der(y)) == -force * y - P::g);
  }
  m.equation(rope, "length", r2 == P::length * P::length);
  m.equation(caught, "length", r2 == P::longer * P::longer);
  m.equation(flight, "x", der(der(x)) == 0.0);
  m.equation(flight, "y", der(der(y)) == -P::g);
  w.transition("cut", rope, {flight}, v2 > P::limit, {.conserved = {"energy"}});
  // A rope pulls towards its other end: angular momentum about that stays.
  w.transition("catch", flight, {caught}, r2 > P::longer * P::longer,
               {.conserved = {"angular momentum"}});
}

inline ModeProblem cut_rope() {
  using P = CutRope;
  using rope_detail::Mass, rope_detail::Swing;
  ModeProblem p{
      .name = "cut rope", .write = &write_cut_rope, .t_end = P::t_end, .first_mode = "rope"};
  const long double g = P::g, pi = std::acos(-1.0L);
  const auto too_fast = [&](long double t) {
    Swing s{pi / 2, 0.0L};
    s.move(t, g / P::length, 2000);
    return s.rate * s.rate * P::length * P::length - P::limit;
  };
  const long double t1 = root_between(too_fast, 0.1L, 0.7L);
  Swing s{pi / 2, 0.0L};
  s.move(t1, g / P::length);
  const Mass cut = Mass::on_rope(P::length, s);
  const auto too_far = [&](long double t) {
    const Mass at = cut.flown(t, g);
    return at.x * at.x + at.y * at.y - static_cast<long double>(P::longer) * P::longer;
  };
  const long double flight = root_between(too_far, 0.0L, 2.0L);
  const Mass caught = cut.flown(flight, g);
  Swing after = caught.caught(P::longer);
  p.events = {{static_cast<double>(t1), "rope", "flight"},
              {static_cast<double>(t1 + flight), "flight", "caught",
               Mass::on_rope(P::longer, after).velocities(), caught.pull(P::longer)}};
  after.move(P::t_end - t1 - flight, g / P::longer);
  p.final_values = Mass::on_rope(P::longer, after).values();
  return p;
}

/// Started at the lowest point with v0^2 = 3.5 g l the rope is slack at y = (v0^2 - 2 g l)/(3 g) = l/2,
/// where v^2 = g y. From there r^2 = l^2 - vy g s^3 + g^2 s^4/4: it is taut again after 4 vy/g.
struct SlackRope {
  static constexpr double g = 9.81, length = 1.0, t_end = 2.5;
  static double v0() { return std::sqrt(3.5 * g * length); }
};

inline void write_slack_rope(ModeWriter& w) {
  using P = SlackRope;
  Model& m = w.m;
  Expr x = w.state("x", 0.0, {.derivative_start = P::v0(), .unit = "m"});
  Expr y = w.state("y", -P::length, {.derivative_start = 0.0, .unit = "m"});
  Expr force = w.algebraic("force", {.unit = "1/s2"});
  m.output("energy", 0.5 * (der(x) * der(x) + der(y) * der(y)) + P::g * y, "J/kg");
  m.output("angular momentum", x * der(y) - y * der(x), "m2/s");
  const ModeId taut = m.mode("taut"), slack = m.mode("slack");
  m.equation(taut, "x", der(der(x)) == -force * x);
  m.equation(taut, "y", der(der(y)) == -force * y - P::g);
  m.equation(taut, "length", x * x + y * y == P::length * P::length);
  m.equation(slack, "x", der(der(x)) == 0.0);
  m.equation(slack, "y", der(der(y)) == -P::g);
  w.transition("slack", taut, {slack}, force < 0.0, {.conserved = {"energy"}});
  w.transition("taut", slack, {taut}, x * x + y * y > P::length * P::length,
               {.conserved = {"angular momentum"}});
}

inline ModeProblem slack_rope() {
  using P = SlackRope;
  using rope_detail::Mass, rope_detail::Swing;
  ModeProblem p{
      .name = "slack rope", .write = &write_slack_rope, .t_end = P::t_end, .first_mode = "taut"};
  const long double g = P::g, l = P::length, begin = std::sqrt(3.5L * g * l) / l;
  const auto below = [&](long double t) {
    Swing s{0.0L, begin};
    s.move(t, g / l, 2000);
    return -std::cos(s.phi) - 0.5L;
  };
  const long double t1 = root_between(below, 0.2L, 0.8L);
  Swing s{0.0L, begin};
  s.move(t1, g / l);
  const Mass let_go = Mass::on_rope(l, s);
  const long double flight = 4 * let_go.vy / g;
  const Mass caught = let_go.flown(flight, g);
  Swing after = caught.caught(l);
  p.events = {{static_cast<double>(t1), "taut", "slack"},
              {static_cast<double>(t1 + flight), "slack", "taut",
               Mass::on_rope(l, after).velocities(), caught.pull(l)}};
  after.move(P::t_end - t1 - flight, g / l);
  p.final_values = Mass::on_rope(l, after).values();
  return p;
}

}  // namespace saltus::problems
