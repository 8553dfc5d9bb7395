// Andrews' squeezing mechanism: seven bodies in a plane, driven by a constant moment against a spring;
// angles q and six loop closures, index 3 (test set for IVP solvers, Mazzia and Magherini; Hairer and
// Wanner, Solving ODEs II, VII.7):
//
//   M(q) q'' = f(q, q') - G(q)^T lambda,   0 = g(q),   G = dg/dq.
#pragma once

#include "problems/mechanism.hpp"

namespace saltus::problems {

namespace andrews {

// Masses, inertias and lengths in SI units, named as in the test set.
inline constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .0705, m6 = .00706,
                        m7 = .05498;
inline constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                        i6 = 5.667e-7, i7 = 1.912e-5;
inline constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
inline constexpr double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5;
inline constexpr double ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2;
inline constexpr double ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5;
inline constexpr double zf = 2e-2, zt = 4e-2, fa = 1421e-5;
inline constexpr double stiffness = 4530, spring_length = 7785e-5, moment = 33e-3;

inline constexpr const char* angles[] = {"beta",  "theta", "gamma",  "phi",
                                         "delta", "omega", "epsilon"};
/// Consistent, at rest, for theta = 0.
inline constexpr double starts[] = {
    -0.0617138900142764496358948458001, 0.0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};

inline constexpr double multiplier_guesses[] = {100.0, -6.0, 0.0, 0.0, 0.0, 0.0};

using Vector7 = std::vector<Expr>;

/// The mass matrix times a vector: its nonzero entries stand in 2x2 blocks and one by itself.
inline Vector7 mass_times(const Vector7& q, const Vector7& w) {
  Expr c = cos(q[1]), sp = sin(q[3]), so = sin(q[5]);
  const double a = e - ea, b = zf - fa;
  Expr m00 = m1 * ra * ra + m2 * (rr * rr + da * da - 2.0 * da * rr * c) + i1 + i2;
  Expr m10 = m2 * (da * da - da * rr * c) + i2;
  const double m11 = m2 * da * da + i2, m22 = m3 * (sa * sa + sb * sb) + i3, m33 = m4 * a * a + i4;
  Expr m43 = m4 * (a * a + zt * a * sp) + i4;
  Expr m44 = m4 * (zt * zt + 2.0 * zt * a * sp + a * a) + (m5 * (ta * ta + tb * tb) + i4 + i5);
  const double m55 = m6 * b * b + i6;
  Expr m65 = m6 * (b * b - u * b * so) + i6;
  Expr m66 = m6 * (b * b - 2.0 * u * b * so + u * u) + (m7 * (ua * ua + ub * ub) + i6 + i7);
  return {m00 * w[0] + m10 * w[1], m10 * w[0] + m11 * w[1], m22 * w[2],
          m33 * w[3] + m43 * w[4], m43 * w[3] + m44 * w[4], m55 * w[5] + m65 * w[6],
          m65 * w[5] + m66 * w[6]};
}

struct Spring {
  Expr dx, dy, length;  // from its fixed end to the body
};
inline Spring spring(const Expr& gamma) {
  Expr dx = sd * cos(gamma) + sc * sin(gamma) + (xb - xc);
  Expr dy = sd * sin(gamma) - sc * cos(gamma) + (yb - yc);
  return {dx, dy, sqrt(dx * dx + dy * dy)};
}

inline Vector7 forces(const Vector7& q, const Vector7& v) {
  const Spring s = spring(q[2]);
  Expr force = -stiffness * (s.length - spring_length) / s.length;
  Expr fx = force * s.dx, fy = force * s.dy, cg = cos(q[2]), sg = sin(q[2]);
  return {moment - m2 * da * rr * v[1] * (v[1] + 2.0 * v[0]) * sin(q[1]),
          m2 * da * rr * v[0] * v[0] * sin(q[1]),
          fx * (sc * cg - sd * sg) + fy * (sd * cg + sc * sg),
          m4 * zt * (e - ea) * v[4] * v[4] * cos(q[3]),
          -m4 * zt * (e - ea) * v[3] * (v[3] + 2.0 * v[4]) * cos(q[3]),
          -m6 * u * (zf - fa) * v[6] * v[6] * cos(q[5]),
          m6 * u * (zf - fa) * v[5] * (v[5] + 2.0 * v[6]) * cos(q[5])};
}

/// The six loop closures: three bars from the crank, in x and y.
inline std::vector<Expr> closures(const Vector7& q) {
  Expr x = rr * cos(q[0]) - d * cos(q[0] + q[1]), y = rr * sin(q[0]) - d * sin(q[0] + q[1]);
  Expr pd = q[3] + q[4], oe = q[5] + q[6];
  return {x - ss * sin(q[2]) - xb,
          y + ss * cos(q[2]) - yb,
          x - e * sin(pd) - zt * cos(q[4]) - xa,
          y + e * cos(pd) - zt * sin(q[4]) - ya,
          x - zf * cos(oe) - u * sin(q[6]) - xa,
          y - zf * sin(oe) + u * cos(q[6]) - ya};
}

/// G^T lambda, written out as in the test set.
inline Vector7 reactions(const Vector7& q, const std::vector<Expr>& l) {
  Expr bt = q[0] + q[1], pd = q[3] + q[4], oe = q[5] + q[6];
  Expr lx = l[0] + l[2] + l[4], ly = l[1] + l[3] + l[5];
  Expr crank = d * (sin(bt) * lx - cos(bt) * ly);
  Expr bar = -e * (cos(pd) * l[2] + sin(pd) * l[3]);
  Expr link = zf * (sin(oe) * l[4] - cos(oe) * l[5]);
  return {rr * (cos(q[0]) * ly - sin(q[0]) * lx) + crank,   crank,
          -ss * (cos(q[2]) * l[0] + sin(q[2]) * l[1]),      bar,
          bar + zt * (sin(q[4]) * l[2] - cos(q[4]) * l[3]), link,
          link - u * (cos(q[6]) * l[4] + sin(q[6]) * l[5])};
}

}  // namespace andrews

/// The same mechanism from other angles and guesses.
inline void write_andrews_squeezer_from(
    Model& m, std::span<const double> angles_at_start,
    std::span<const double> guesses = andrews::multiplier_guesses) {
  using namespace andrews;
  Vector7 q, v, w;
  for (std::size_t k = 0; k < 7; ++k) {
    q.push_back(m.state(angles[k], angles_at_start[k], {.derivative_start = 0.0}));
    v.push_back(der(q[k]));
    w.push_back(der(q[k], 2));
  }
  std::vector<Expr> lambda;
  for (std::size_t k = 0; k < 6; ++k) {
    lambda.push_back(m.algebraic("lambda" + std::to_string(k + 1), {.guess = guesses[k]}));
  }
  const Vector7 inertia = mass_times(q, w), force = forces(q, v), reaction = reactions(q, lambda);
  for (std::size_t k = 0; k < 7; ++k) {
    m.equation(std::string("motion of ") + angles[k], inertia[k] == force[k] - reaction[k]);
  }
  const std::vector<Expr> g = closures(q);
  const char* const loops[] = {"loop 1x", "loop 1y", "loop 2x", "loop 2y", "loop 3x", "loop 3y"};
  // 28 mm at up to 1500 rad/s, squared for the acceleration.
  for (std::size_t k = 0; k < 6; ++k) write_constraint(m, loops[k], g[k], {0.028, 40.0, 6e4});

  for (std::size_t k = 0; k < 7; ++k) m.output(std::string("v_") + angles[k], v[k]);
  for (std::size_t k = 0; k < 7; ++k) m.output(std::string("w_") + angles[k], w[k]);
  const Vector7 momentum = mass_times(q, v);
  Expr twice_kinetic = 0.0;
  for (std::size_t k = 0; k < 7; ++k) twice_kinetic += v[k] * momentum[k];
  Expr stretch = spring(q[2]).length - spring_length;
  m.invariant("energy", 0.5 * twice_kinetic + 0.5 * stiffness * stretch * stretch - moment * q[0],
              "J");
}

inline void write_andrews_squeezer(Model& m) { write_andrews_squeezer_from(m, andrews::starts); }

inline Mechanism andrews_squeezer() {
  return {"Andrews squeezer",
          &write_andrews_squeezer,
          0.03,
          {{"beta", 15.8107711951537070971194},      {"theta", -15.7563710584118394697278},
           {"gamma", 0.0408222401196458048582823},   {"phi", -0.534730116342079593770185},
           {"delta", 0.524409965879954069371656},    {"omega", 0.534730116342079593770185},
           {"epsilon", 1.04808074104193787306852},   {"v_beta", 1139.92030225910606419810},
           {"v_theta", -1424.37929517754007319603},  {"v_gamma", 11.0329119106185937453273},
           {"v_phi", 19.2933741050320408316276},     {"v_delta", 0.573569914829502453817688},
           {"v_omega", -19.2933741050320408316276},  {"v_epsilon", 0.323179149249130874990748},
           {"w_beta", -24631.7631228746344700508},   {"w_theta", 51850.3196364642315337540},
           {"w_gamma", 324102.600707578605811941},   {"w_phi", 566749.422000995326493295},
           {"w_delta", 16743.6354183454446096446},   {"w_omega", -566749.422000995326493295},
           {"w_epsilon", 9826.50780154416268849050}, {"lambda1", 199.175348104538628186240},
           {"lambda2", -29.7553099749717633244157},  {"lambda3", 23.0665436116221511286174},
           {"lambda4", 31.4527252757711370753845},   {"lambda5", 22.6424947863943785777129},
           {"lambda6", 11.6173923526112559068015}},
          "ivp_andrews_squeezer.json"};
}

}  // namespace saltus::problems
