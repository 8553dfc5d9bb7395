// A string between two clamps under a bow (Wunderlich, 7.2.4, equation (7.8)): method of lines, with the
// clamps as constraints on positions and their reactions: a DAE of index 3 with 206 unknowns.
#pragma once

#include "problems/sliding_reference.hpp"

namespace saltus::problems {

struct BowedString {
  static constexpr double length = 0.7, tension = 55.0, density = 0.5, v0 = 0.5, omega = 2.0,
                          mu = 0.4, bow_mass = 1.0;
  static constexpr std::uint32_t n = 100, contact = 10;
  static constexpr double stiffness = tension * n * n / (length * length);

  static Expr excitation(Model& m) { return -v0 * omega * sin(omega * m.time()); }
};

inline void write_bowed_string(Model& m, double normal_force) {
  using P = BowedString;
  const std::vector<double> zero(P::n + 1, 0.0);
  Expr yb = m.state("yb", 0.0), vb = m.state("vb", P::v0);
  Expr u = m.states("u", zero), v = m.states("v", zero);
  Expr left = m.algebraic("left reaction"), right = m.algebraic("right reaction");
  Expr force = -P::mu * normal_force * sign(v[P::contact] - vb);  // on the string
  m.equation("bow position", der(yb) == vb);
  m.equation("bow", P::bow_mass * der(vb) == P::excitation(m) - force);
  m.equation("positions", der(u) == v);
  m.equation("left end", P::density * der(v[0U]) == P::stiffness * (u[1U] - 2.0 * u[0U]) - left);
  m.equation("right end",
             P::density * der(v[P::n]) == P::stiffness * (u[P::n - 1] - 2.0 * u[P::n]) - right);
  const auto bend = [&](Index i) { return P::stiffness * (u[i + 1] - 2.0 * u[i] + u[i - 1]); };
  const auto pull = [&](Index i) { return P::density * der(v)[i]; };
  const auto part = [&](const std::string& name, std::uint32_t first, std::uint32_t end) {
    m.equation(name, map(end - first, pull, first) == map(end - first, bend, first));
  };
  part("left part", 1, P::contact);
  m.equation(
      "contact",
      P::density * der(v[P::contact]) ==
          P::stiffness * (u[P::contact + 1] - 2.0 * u[P::contact] + u[P::contact - 1]) + force);
  part("right part", P::contact + 1, P::n);
  m.equation("left clamp", u[0U] == 0.0);
  m.equation("right clamp", u[P::n] == 0.0);
}

/// Without the clamped ends: an ODE, for an oracle.
inline void write_bowed_string_stretch(Model& m, const std::string& mode, const NamedState& start,
                                       double normal_force) {
  using P = BowedString;
  std::vector<double> us, vs;
  for (std::uint32_t i = 1; i < P::n; ++i) {
    us.push_back(start.at("u[" + std::to_string(i) + "]"));
    vs.push_back(start.at("v[" + std::to_string(i) + "]"));
  }
  // Numbered as in the model by a first element that stays zero.
  us.insert(us.begin(), 0.0), vs.insert(vs.begin(), 0.0);
  Expr yb = m.state("yb", start.at("yb")), vb = m.state("vb", start.at("vb"));
  Expr u = m.states("u", us), v = m.states("v", vs);
  const std::uint32_t c = P::contact, last = P::n - 1;
  Expr lift = P::stiffness * (u[c + 1] - 2.0 * u[c] + u[c - 1]);
  const double friction = P::mu * normal_force;
  Expr force = mode == "1"   ? Expr(-friction)
               : mode == "2" ? Expr(friction)
                             : (P::density * P::excitation(m) - P::bow_mass * lift) /
                                   (P::bow_mass + P::density);
  m.equation("bow position", der(yb) == vb);
  m.equation("bow", P::bow_mass * der(vb) == P::excitation(m) - force);
  m.equation("positions", der(u) == v);
  m.equation("left end", der(v[0U]) == 0.0);
  const auto part = [&](const std::string& name, std::uint32_t first, std::uint32_t end) {
    m.equation(
        name,
        map(
            end - first, [&](Index i) { return P::density * der(v)[i]; }, first) ==
            map(
                end - first,
                [&](Index i) { return P::stiffness * (u[i + 1] - 2.0 * u[i] + u[i - 1]); }, first));
  };
  part("left part", 1, c);
  m.equation("contact", P::density * der(v[c]) == lift + force);
  part("right part", c + 1, last);
  m.equation("last", P::density * der(v[last]) == P::stiffness * (u[last - 1] - 2.0 * u[last]));
}

inline SlidingProblem bowed_string_with(const std::string& name, const std::string& file,
                                        double normal_force) {
  using P = BowedString;
  SlidingProblem p{
      .name = name, .write = [=](Model& m) { write_bowed_string(m, normal_force); }, .t_end = 6.0};
  p.states = {"yb", "vb"};
  for (const char* array : {"u", "v"}) {
    p.start[array + std::string("[0]")] = 0.0;
    for (std::uint32_t i = 1; i < P::n; ++i) {
      p.states.push_back(array + ("[" + std::to_string(i) + "]"));
      p.start[p.states.back()] = 0.0;
    }
  }
  p.start["yb"] = 0.0, p.start["vb"] = P::v0;
  p.file = file;
  read_reference(p, {{"", "v[10] - vb > 0"}});
  p.write_stretch = [normal_force](Model& m, const std::string& mode, const NamedState& start) {
    write_bowed_string_stretch(m, mode, start, normal_force);
  };
  p.vanishes = [normal_force, events = p.events](std::size_t k, double t, const NamedState& x) {
    if (events[k].kind != EventKind::exit_sliding) return x.at("v[10]") - x.at("vb");
    const double lift = P::stiffness * (x.at("u[11]") - 2 * x.at("u[10]") + x.at("u[9]"));
    const double push = -P::v0 * P::omega * std::sin(P::omega * t);
    const double force =
        (P::density * push - P::bow_mass * lift) / (P::bow_mass + P::density);  // on the string
    return events[k].direction + force / (P::mu * normal_force);
  };
  return p;
}

inline SlidingProblem bowed_string() {
  return bowed_string_with("bowed string", "bowed_string.json", 18.0);
}
inline SlidingProblem bowed_string_light() {
  return bowed_string_with("bowed string, FN = 1.8", "bowed_string_FN1p8.json", 1.8);
}

}  // namespace saltus::problems
