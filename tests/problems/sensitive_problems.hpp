// Named problems with their parameters as arguments, for derivatives beside differences: friction, relays, impacts,
// circuits, constraints.
#pragma once

#include <numbers>

#include "problems/sensitive_problem.hpp"

namespace saltus::problems {

/// Declares all that are no states, by their names.
inline std::vector<Expr> declare_parameters(Model& m, const std::vector<std::string>& names,
                                            std::span<const double> values) {
  std::vector<Expr> all;
  for (std::size_t k = 0; k < names.size(); ++k) all.push_back(m.parameter(names[k], values[k]));
  return all;
}

/// Sticks three times and slips between.
inline SensitiveProblem sensitive_belt() {
  SensitiveProblem p{
      .name = "belt",
      .parameters = {{"m", 1.0}, {"k", 3.0}, {"Fs", 1.0}, {"vd", 0.2}, {"gamma", 3.0}, {"x", 0.0}}};
  p.write = [](Model& m, std::span<const double> at) {
    const auto c = declare_parameters(m, {"m", "k", "Fs", "vd", "gamma"}, at);
    const Expr x = m.state("x", at[5]), v = m.state("v", 0.0);
    m.equation(der(x) == v);
    m.equation(c[0] * der(v) == -c[1] * x - c[2] * sign(v - c[3]) / (1.0 + c[4] * abs(v - c[3])));
  };
  p.t_end = 12.0;
  p.variables = {"x", "v"};
  return p;
}

/// One crossing, slides three times, leaves tangentially.
inline SensitiveProblem sensitive_disode_p1() {
  SensitiveProblem p{.name = "DISODE45 problem 1",
                     .parameters = {{"y1", -0.75}, {"y2", -1.0 - std::sin(1.5)}, {"level", 0.2}}};
  p.write = [](Model& m, std::span<const double> at) {
    const Expr y1 = m.state("y1", at[0]), y2 = m.state("y2", at[1]);
    const Expr level = m.parameter("level", at[2]);
    const Expr g = y2 - level - sin(2.0 * y1);
    m.equation(der(y1) == y2 - sin(2.0 * y1));
    m.equation(der(y2) == 2.0 * cos(2.0 * y1) * (y2 - sin(2.0 * y1)) - y1 -
                              sign(g) / (1.0 + pow(abs(g), 1.5)));
  };
  p.t_end = 30.0;
  p.variables = {"y1", "y2"};
  return p;
}

/// Slides 28 times.
inline SensitiveProblem sensitive_disode_p3() {
  SensitiveProblem p{.name = "DISODE45 problem 3", .parameters = {{"omega", 25.0}, {"zeta", 0.05}}};
  p.write = [](Model& m, std::span<const double> at) {
    const auto c = declare_parameters(m, {"omega", "zeta"}, at);
    const Expr y1 = m.state("y1", 0.0), y2 = m.state("y2", 0.2), y3 = m.state("y3", 0.06);
    const Expr w = c[0], damping = 2.0 * c[1] * w;
    m.equation(der(y1) == -(damping + 1.0) * y1 + y2 - sign(y1));
    m.equation(der(y2) == -(damping + w * w) * y1 + y3 + 2.0 * sign(y1));
    m.equation(der(y3) == -(w * w) * y1 - sign(y1));
  };
  p.t_end = 4 * std::numbers::pi;
  p.variables = {"y1", "y2", "y3"};
  p.step = 3e-5;
  // The crossing at t = 3.33 and its repetitions are nearly flat: they make a million tolerances of what engines are off.
  p.tolerance_of_differences = 1e-14;
  p.tolerance = 1e-12;
  return p;
}

inline SensitiveProblem sensitive_two_bodies() {
  SensitiveProblem p{
      .name = "two bodies",
      .parameters = {{"m1", 1.0}, {"m2", 1.0}, {"mu", 0.4}, {"FN", 1.0}, {"p2", 1.0}}};
  p.write = [](Model& m, std::span<const double> at) {
    const auto c = declare_parameters(m, {"m1", "m2", "mu", "FN"}, at);
    const Expr p1 = m.state("p1", 1.0), p2 = m.state("p2", at[4]);
    const Expr v1 = m.state("v1", 0.0), v2 = m.state("v2", 0.0);
    const Expr force = c[2] * c[3] * sign(v1 - v2);
    m.equation(der(p1) == v1);
    m.equation(der(p2) == v2);
    m.equation(c[0] * der(v1) == sin(m.time()) - force);
    m.equation(c[1] * der(v2) == force);
  };
  p.t_end = 10.0;
  p.variables = {"p1", "p2", "v1", "v2"};
  return p;
}

/// Seven impacts.
inline SensitiveProblem sensitive_ball() {
  SensitiveProblem p{.name = "bouncing ball",
                     .parameters = {{"g", 9.81}, {"e", 0.8}, {"h", 10.0}, {"v", 0.0}}};
  p.write = [](Model& m, std::span<const double> at) {
    const auto c = declare_parameters(m, {"g", "e"}, at);
    const Expr h = m.state("h", at[2]), v = m.state("v", at[3]);
    m.equation(der(h) == v);
    m.equation(der(v) == -c[0]);
    m.when("bounce", h < 0.0, {{v, -c[1] * pre(v)}});
  };
  p.t_end = 10.0;
  p.variables = {"h", "v"};
  return p;
}

/// Closes twice and opens twice at times that are parameters; between the diode stops by itself.
inline SensitiveProblem sensitive_boost_converter() {
  SensitiveProblem p{.name = "boost converter",
                     .parameters = {{"C", 0.01},
                                    {"R", 20.0},
                                    {"L", 0.2},
                                    {"V", 48.0},
                                    {"closes", 0.1},
                                    {"opens", 0.16},
                                    {"vC", 10.0},
                                    {"iL", 1.0}}};
  p.write = [](Model& m, std::span<const double> at) {
    const auto c = declare_parameters(m, {"C", "R", "L", "V", "closes", "opens"}, at);
    const Expr vC = m.state("vC", at[6]), iL = m.state("iL", at[7]);
    const Expr iD = m.algebraic("iD"), vS = m.algebraic("vS");
    m.equation(c[0] * der(vC) == iD - vC / c[1]);
    m.equation(c[2] * der(iL) == c[3] - vS);
    m.diode("D", vS - vC, iD);
    const Expr closed = m.discrete("closed", 0.0);
    for (const double later : {0.0, 0.16}) {
      const std::string cycle = later == 0.0 ? "first" : "second";
      m.when("close, " + cycle, m.time() > c[4] + later, {{closed, 1.0}});
      m.when("open, " + cycle, m.time() > c[5] + later, {{closed, 0.0}});
    }
    m.ideal_switch("S", vS, iL - iD, closed > 0.5);
  };
  p.t_end = 0.35;
  p.variables = {"vC", "iL", "iD", "vS"};
  p.explicit_engines = false;
  return p;
}

/// A mass at the end of a rod or rope of length 1: a DAE of index 3.
struct ConstrainedMass {
  Expr x, y, u, v, force;
  ConstrainedMass(Model& m, const Expr& gravity)
      : x(m.state("x", 1.0)),
        y(m.state("y", 0.0)),
        u(m.state("u", 0.0)),
        v(m.state("v", 0.0)),
        force(m.algebraic("force")) {
    m.equation(der(x) == u);
    m.equation(der(y) == v);
    m.equation(der(u) == -force * x);
    m.equation(der(v) == -force * y - gravity);
  }
};

inline SensitiveProblem sensitive_wall_pendulum() {
  SensitiveProblem p{.name = "pendulum at a wall",
                     .parameters = {{"g", 9.81}, {"e", 0.7}, {"wall", 0.1}}};
  p.write = [](Model& m, std::span<const double> at) {
    const auto c = declare_parameters(m, {"g", "e", "wall"}, at);
    const ConstrainedMass q(m, c[0]);
    m.equation(q.x * q.x + q.y * q.y == 1.0);
    m.when("wall", q.x < -c[2], {{q.u, -c[1] * pre(q.u)}, {q.v, -c[1] * pre(q.v)}});
  };
  p.t_end = 1.0;
  p.variables = {"x", "y", "u", "v", "force"};
  p.explicit_engines = false;
  return p;
}

inline SensitiveProblem sensitive_cut_rope() {
  SensitiveProblem p{.name = "cut rope", .parameters = {{"g", 9.81}, {"cut at", 0.3}}};
  p.write = [](Model& m, std::span<const double> at) {
    const auto c = declare_parameters(m, {"g", "cut at"}, at);
    const ConstrainedMass q(m, c[0]);
    const ModeId held = m.mode("held"), cut = m.mode("cut");
    m.equation(held, q.x * q.x + q.y * q.y == 1.0);
    m.equation(cut, q.force == 0.0);
    m.transition("cut", held, cut, m.time() > c[1]);
  };
  p.t_end = 0.9;
  p.variables = {"x", "y", "u", "v"};
  p.explicit_engines = false;
  return p;
}

/// Of 100 cells between two clamps: with them as constraints a DAE of index 3 with 206 unknowns, without them an ODE.
inline void write_sensitive_string(Model& m, std::span<const double> at, bool has_clamps) {
  constexpr double length = 0.7, density = 0.5, v0 = 0.5, omega = 2.0, mu = 0.4, bow_mass = 1.0;
  constexpr std::uint32_t n = 100, contact = 10;
  const auto c = declare_parameters(m, {"tension", "FN"}, at);
  const Expr stiffness = c[0] * (n * n / (length * length));
  const std::vector<double> zero(n + 1, 0.0);
  const Expr yb = m.state("yb", 0.0), vb = m.state("vb", v0);
  const Expr u = m.states("u", zero), v = m.states("v", zero);
  const Expr force = -mu * c[1] * sign(v[contact] - vb);
  m.equation("bow position", der(yb) == vb);
  m.equation("bow", bow_mass * der(vb) == -v0 * omega * sin(omega * m.time()) - force);
  m.equation("positions", der(u) == v);
  if (has_clamps) {
    const Expr left = m.algebraic("left reaction"), right = m.algebraic("right reaction");
    m.equation("left end", density * der(v[0U]) == stiffness * (u[1U] - 2.0 * u[0U]) - left);
    m.equation("right end", density * der(v[n]) == stiffness * (u[n - 1] - 2.0 * u[n]) - right);
    m.equation("left clamp", u[0U] == 0.0);
    m.equation("right clamp", u[n] == 0.0);
  } else {
    m.output("left reaction", stiffness * u[1U]);
    m.equation("left end", der(v[0U]) == 0.0);
    m.equation("right end", der(v[n]) == 0.0);
  }
  const auto bend = [&](Index i) { return stiffness * (u[i + 1] - 2.0 * u[i] + u[i - 1]); };
  const auto pull = [&](Index i) { return density * der(v)[i]; };
  const auto part = [&](const std::string& name, std::uint32_t first, std::uint32_t end) {
    m.equation(name, map(end - first, pull, first) == map(end - first, bend, first));
  };
  part("left part", 1, contact);
  m.equation("contact",
             density * der(v[contact]) ==
                 stiffness * (u[contact + 1] - 2.0 * u[contact] + u[contact - 1]) + force);
  part("right part", contact + 1, n);
}

/// Is taken along by the bow at t = 0.0689; from there on it sticks.
inline SensitiveProblem sensitive_string() {
  SensitiveProblem p{.name = "bowed string", .parameters = {{"tension", 55.0}, {"FN", 18.0}}};
  p.write = [](Model& m, std::span<const double> at) { write_sensitive_string(m, at, true); };
  p.write_explicit = [](Model& m, std::span<const double> at) {
    write_sensitive_string(m, at, false);
  };
  p.t_end = 0.1;
  p.variables = {"yb", "vb", "u[10]", "v[10]", "u[50]", "v[50]", "left reaction"};
  p.explicit_engines = false;
  // Its fastest waves go round 33 times before it sticks. What a run is off by changes with the tension as their phase
  // does: at a tolerance of 1e-12 the time of the event is off by 8e-11 and its differences by 2e-5, whatever the step.
  p.step = 1e-4;
  p.tolerance_of_differences = 1e-14;
  p.tolerance = 1e-10;
  return p;
}

/// All small ones.
inline std::vector<SensitiveProblem> sensitive_problems() {
  return {sensitive_belt(),          sensitive_disode_p1(), sensitive_disode_p3(),
          sensitive_two_bodies(),    sensitive_ball(),      sensitive_boost_converter(),
          sensitive_wall_pendulum(), sensitive_cut_rope()};
}

}  // namespace saltus::problems
