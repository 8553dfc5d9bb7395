// Models of known characteristic values, as published in articles about the index.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <saltus/model.hpp>

namespace saltus::problems {

inline constexpr double gravity = 9.81;

/// First order; `copies` times the same constraint, each with a multiplier of its own.
inline void write_pendulum(Model& m, double factor = 0.0) {
  Expr x = m.state("x", 0.8), y = m.state("y", -0.6), u = m.state("u", 0.3), v = m.state("v", 0.4);
  Expr lambda = m.algebraic("lambda", {.guess = 1.0});
  Expr force = lambda;
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  const Expr length = x * x + y * y - 1.0;
  if (factor != 0.0) force = force + factor * m.algebraic("lambda_2");
  m.equation(der(u) == -force * x);
  m.equation(der(v) == -force * y - gravity);
  m.equation("length", length == 0.0);
  if (factor != 0.0) m.equation("length again", factor * length == 0.0);
}

/// A planar body that hangs on three parallel rods of length one: the third constraint is redundant
/// on the solution set only.
inline void write_rods(Model& m) {
  constexpr double inertia = 0.3;
  Expr x = m.state("x", 0.6), y = m.state("y", -0.8), phi = m.state("phi", 0.0);
  Expr vx = m.state("vx", 0.8), vy = m.state("vy", 0.6), omega = m.state("omega", 0.0);
  Expr fx(0.0), fy(0.0), torque(0.0);
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(phi) == omega);
  std::vector<Expr> constraints;
  for (const int i : {-1, 0, 1}) {
    const double b = i;
    Expr lambda = m.algebraic("lambda_" + std::to_string(i + 2), {.guess = 1.0});
    Expr dx = x + b * cos(phi) - b, dy = y + b * sin(phi);
    fx = fx + lambda * dx;
    fy = fy + lambda * dy;
    torque = torque + lambda * (b * (dy * cos(phi) - dx * sin(phi)));
    constraints.push_back(0.5 * (dx * dx + dy * dy - 1.0));
  }
  m.equation(der(vx) == -fx);
  m.equation(der(vy) == -fy - gravity);
  m.equation(inertia * der(omega) == -torque);
  for (const Expr& c : constraints) m.equation(c == 0.0);
}

/// z and z' of mixed unknowns, rotated in the plane of a and b by the angle w t.
struct Mixed {
  std::vector<Expr> z, zdot;

  void rotate(const Expr& t, std::size_t a, std::size_t b, double w) {
    const Expr c = cos(w * t), s = sin(w * t);
    const Expr za = c * z[a] - s * z[b], zb = s * z[a] + c * z[b];
    const Expr pa = c * zdot[a] - s * zdot[b] - w * zb, pb = s * zdot[a] + c * zdot[b] + w * za;
    z[a] = za, z[b] = zb, zdot[a] = pa, zdot[b] = pb;
  }
};

/// A chain of five and two states, mixed by rotations that depend on time: differentiation index 5.
inline void write_chain(Model& m) {
  Mixed x;
  for (int i = 0; i < 7; ++i) {
    Expr unknown = m.state("x" + std::to_string(i), std::cos(i + 0.5));
    x.z.push_back(unknown);
    x.zdot.push_back(der(unknown));
  }
  const Expr t = m.time();
  x.rotate(t, 0, 2, 1.0);
  x.rotate(t, 1, 4, 0.7);
  x.rotate(t, 3, 6, 1.3);
  x.rotate(t, 5, 0, 0.5);
  x.rotate(t, 2, 6, 0.9);
  std::vector<Expr> r = {x.zdot[0] + x.z[0] - 0.3 * x.z[4] - sin(t),
                         x.zdot[1] + 0.5 * x.z[1] - x.z[0] + 0.2 * x.z[6] - cos(2.0 * t),
                         x.z[2] - sin(1.5 * t),
                         x.zdot[2] - x.z[3] - cos(0.8 * t),
                         x.zdot[3] - x.z[4],
                         x.zdot[4] - x.z[5] - sin(0.7 * t),
                         x.zdot[5] - x.z[6]};
  const auto mix_rows = [&](std::size_t a, std::size_t b) {
    const Expr ra = cos(t) * r[a] - sin(t) * r[b], rb = sin(t) * r[a] + cos(t) * r[b];
    r[a] = ra, r[b] = rb;
  };
  mix_rows(0, 3);
  mix_rows(2, 6);
  for (const Expr& row : r) m.equation(row == 0.0);
}

struct BoostValues {
  double c = 1e-2, l = 1.0, r = 2.0;
};

/// Modes 1 (switch off, diode on) to 4 (both conduct).
inline void write_boost_converter(Model& m, int mode, BoostValues p = {}) {
  constexpr double source = 48.0;
  Expr vc = m.state("v_c", 10.0), il = m.state("i_l", 10.0), vd = m.state("v_d", 10.0),
       vs = m.state("v_s", 10.0), ir = m.state("i_r", 10.0), id = m.state("i_d", 10.0),
       is = m.state("i_s", 10.0);
  m.equation(p.c * der(vc) == id - ir);
  m.equation(p.l * der(il) == source - vs);
  m.equation(vd + vc - vs == 0.0);
  m.equation(p.r * ir == vc);
  m.equation(is + id == il);
  const bool switch_off = mode == 1 || mode == 3, diode_on = mode == 1 || mode == 4;
  m.equation("switch", (switch_off ? is : vs) == 0.0);
  m.equation("diode", (diode_on ? vd : id) == 0.0);
}

/// Two bodies that stick to each other: the sliding DAE of GESDA's report, eq. (20).
inline void write_sticking_bodies(Model& m) {
  constexpr double k = 0.4;
  Expr p1 = m.state("p1", 1.0), p2 = m.state("p2", 1.0), v1 = m.state("v1", 1.0),
       v2 = m.state("v2", 1.0), alpha = m.algebraic("alpha", {.guess = 1.0});
  m.equation(der(p1) == v1);
  m.equation(der(p2) == v2);
  m.equation(der(v1) == sin(m.time()) - k + 2 * k * alpha);
  m.equation(der(v2) == k - 2 * k * alpha);
  m.equation("stick", v1 == v2);
}

/// Wunderlich's bowed string, eqs. (7.8) and (7.10), with N = cells; the bow slides or sticks.
inline void write_bowed_string(Model& m, std::uint32_t cells, bool sticks) {
  constexpr double length = 0.7, tension = 55, density = 0.5, v0 = 0.5, frequency = 2,
                   friction = 0.4 * 18, bow_mass = 1;
  const double dx = length / cells;
  const std::uint32_t contact = cells / 10;
  Expr yb = m.state("y_b", 0.0), vb = m.state("v_b", sticks ? 0.0 : v0);
  std::vector<Expr> u, v;
  for (std::uint32_t i = 0; i <= cells; ++i) {
    u.push_back(m.state("u_" + std::to_string(i), 0.0));
    v.push_back(m.state("v_" + std::to_string(i), 0.0));
  }
  Expr left = m.algebraic("lambda_left"), right = m.algebraic("lambda_right");
  // On the string; v_rel = v_c - v_b < 0 where it slides.
  Expr force = sticks ? m.algebraic("friction") : Expr(friction);
  m.equation(der(yb) == vb);
  m.equation("bow", bow_mass * der(vb) == -v0 * frequency * sin(frequency * m.time()) - force);
  for (std::uint32_t i = 0; i <= cells; ++i) {
    m.equation(der(u[i]) == v[i]);
    Expr pull = -2.0 * u[i];
    if (i > 0) pull = pull + u[i - 1];
    if (i < cells) pull = pull + u[i + 1];
    Expr load = (tension / (dx * dx)) * pull;
    if (i == 0) load = load - left;
    if (i == cells) load = load - right;
    if (i == contact) load = load + force;
    m.equation(density * der(v[i]) == load);
  }
  m.equation("left end", u[0] == 0.0);
  m.equation("right end", u[cells] == 0.0);
  if (sticks) m.equation("stick", v[contact] == vb);
}

/// A sliding mode, eq. (5.38) of Wunderlich's thesis, whose surface contains an algebraic variable:
/// g = x2 - 1 fixes alpha directly, so nothing is to be differentiated.
inline void write_sliding_on_an_algebraic_surface(Model& m) {
  Expr x1 = m.state("x1", 0.5), x2 = m.state("x2", 0.5),
       alpha = m.algebraic("alpha", {.guess = 0.5});
  m.equation(der(x1) == alpha * (1.0 + x1) - 2.0 * (1.0 - alpha));
  m.equation(x2 == alpha * (2.0 + x1) + (1.0 - alpha) * (0.5 * x1));
  m.equation("surface", x2 == 1.0);
}

inline void write_more_equations_than_unknowns(Model& m) {
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
  m.equation(der(x) == y);
  m.equation(x == sin(m.time()));
  m.equation(y == cos(m.time()));
  m.allow_unequal_counts();
}

inline void write_more_unknowns_than_equations(Model& m) {
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0), z = m.state("z", 1.0);
  m.equation(der(x) == y + z);
  m.equation(x == sin(m.time()));
  m.allow_unequal_counts();
}

}  // namespace saltus::problems
