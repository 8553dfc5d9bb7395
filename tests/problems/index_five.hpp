// Linear DAEs of differentiation index 5 with closed solutions: a chain z2 … z6, where z2 is given and each
// further member is a derivative, and two states z0, z1 that follow the chain.
#pragma once

#include <complex>
#include <cstddef>

#include "problems/smooth_problem.hpp"

namespace saltus::problems {

namespace index_five {

/// z_k(t) and its first derivative. Each z is a sum of exponentials: complex amplitudes over exponents.
struct Term {
  std::complex<long double> amplitude;
  std::complex<long double> exponent;
};
using Sum = std::vector<Term>;

inline Sum sine(long double w) { return {{{0, -1}, {0, w}}}; }  // real part of -i exp(i w t)
inline Sum cosine(long double w) { return {{{1, 0}, {0, w}}}; }
inline Sum plus(Sum a, const Sum& b, long double factor = 1) {
  for (const Term& t : b) a.push_back({factor * t.amplitude, t.exponent});
  return a;
}
inline Sum derivative(Sum a) {
  for (Term& t : a) t.amplitude *= t.exponent;
  return a;
}
inline long double value(const Sum& a, long double t) {
  long double v = 0;
  for (const Term& term : a) v += (term.amplitude * std::exp(term.exponent * t)).real();
  return v;
}
/// The solution of z' = -rate z + forcing from z(0) = start.
inline Sum followed(const Sum& forcing, long double rate, long double start) {
  Sum z = forcing;
  for (Term& t : z) t.amplitude /= t.exponent + rate;
  const long double rest = start - value(z, 0);
  z.push_back({{rest, 0}, {-rate, 0}});
  return z;
}

inline std::vector<Sum> solution() {
  std::vector<Sum> z(7);
  z[2] = sine(1.5L);
  z[3] = plus(derivative(z[2]), cosine(0.8L), -1);
  z[4] = derivative(z[3]);
  z[5] = plus(derivative(z[4]), sine(0.7L), -1);
  z[6] = derivative(z[5]);
  z[0] = followed(plus(sine(1), z[4], 0.3L), 1, 1);
  z[1] = followed(plus(plus(cosine(2), z[0]), z[6], -0.2L), 0.5L, 0.5L);
  return z;
}

/// Unknowns are mixed in the plane of a and b by the angle w t.
struct Rotation {
  std::size_t a, b;
  double w;
};
inline constexpr Rotation rotations[] = {
    {0, 2, 1.0}, {1, 4, 0.7}, {3, 6, 1.3}, {5, 0, 0.5}, {2, 6, 0.9}};

/// The equations in z, with sums of z and z' written out.
inline std::vector<Expr> residuals(const std::vector<Expr>& z, const std::vector<Expr>& zdot,
                                   const Expr& t) {
  return {zdot[0] + z[0] - 0.3 * z[4] - sin(t),
          zdot[1] + 0.5 * z[1] - z[0] + 0.2 * z[6] - cos(2.0 * t),
          z[2] - sin(1.5 * t),
          zdot[2] - z[3] - cos(0.8 * t),
          zdot[3] - z[4],
          zdot[4] - z[5] - sin(0.7 * t),
          zdot[5] - z[6]};
}

}  // namespace index_five

/// As it stands: its structure tells the index.
inline void write_index_five(Model& m) {
  const auto start = index_five::solution();
  std::vector<Expr> z, zdot;
  for (std::size_t k = 0; k < 7; ++k) {
    z.push_back(
        m.state("x" + std::to_string(k), static_cast<double>(index_five::value(start[k], 0))));
    if (k < 6) zdot.push_back(der(z[k]));
  }
  for (const Expr& r : index_five::residuals(z, zdot, m.time())) m.equation(r == 0.0);
}

/// Unknowns and equations mixed by rotations that depend on time: every unknown and most equations carry
/// derivatives, and only numbers tell the index.
inline void write_index_five_mixed(Model& m) {
  const auto start = index_five::solution();
  const Expr t = m.time();
  std::vector<Expr> z, zdot;
  for (std::size_t k = 0; k < 7; ++k) {  // at t = 0 unknowns are not mixed
    z.push_back(
        m.state("x" + std::to_string(k), static_cast<double>(index_five::value(start[k], 0))));
    zdot.push_back(der(z[k]));
  }
  for (const auto& [a, b, w] : index_five::rotations) {
    const Expr c = cos(w * t), s = sin(w * t);
    const Expr za = c * z[a] - s * z[b], zb = s * z[a] + c * z[b];
    const Expr pa = c * zdot[a] - s * zdot[b] - w * zb, pb = s * zdot[a] + c * zdot[b] + w * za;
    z[a] = za, z[b] = zb, zdot[a] = pa, zdot[b] = pb;
  }
  std::vector<Expr> r = index_five::residuals(z, zdot, t);
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 3}, {2, 6}}) {
    const Expr ra = cos(t) * r[a] - sin(t) * r[b], rb = sin(t) * r[a] + cos(t) * r[b];
    r[a] = ra, r[b] = rb;
  }
  for (const Expr& row : r) m.equation(row == 0.0);
}

/// The two states alone, the chain put in by hand as functions of time: index 0.
inline void write_index_five_states(Model& m) {
  Expr z0 = m.state("x0", 1.0), z1 = m.state("x1", 0.5);
  const Expr t = m.time();
  const Expr z4 = 0.8 * sin(0.8 * t) - 2.25 * sin(1.5 * t);
  const Expr z6 = 5.0625 * sin(1.5 * t) - 0.512 * sin(0.8 * t) - 0.7 * cos(0.7 * t);
  m.equation("z0", der(z0) == -z0 + 0.3 * z4 + sin(t));
  m.equation("z1", der(z1) == -0.5 * z1 + z0 - 0.2 * z6 + cos(2.0 * t));
}

inline ReferencePoint index_five_at(double t, bool mixed) {
  const auto sums = index_five::solution();
  std::vector<long double> z;
  for (const auto& sum : sums) z.push_back(index_five::value(sum, t));
  if (mixed) {
    for (auto r = std::rbegin(index_five::rotations); r != std::rend(index_five::rotations); ++r) {
      const long double c = std::cos(static_cast<long double>(r->w) * t);
      const long double s = std::sin(static_cast<long double>(r->w) * t);
      const long double a = c * z[r->a] + s * z[r->b], b = c * z[r->b] - s * z[r->a];
      z[r->a] = a, z[r->b] = b;
    }
  }
  ReferencePoint point{t, {}};
  for (std::size_t k = 0; k < z.size(); ++k) {
    point.values.push_back({"x" + std::to_string(k), static_cast<double>(z[k])});
  }
  return point;
}

inline SmoothProblem index_five_chain() {
  return {"chain of index 5", &write_index_five, {index_five_at(5.0, false)}};
}
inline SmoothProblem index_five_states() {
  SmoothProblem problem{
      "its states by hand", &write_index_five_states, {index_five_at(5.0, false)}};
  problem.references[0].values.resize(2);
  return problem;
}
inline SmoothProblem mixed_index_five_chain() {
  return {"mixed chain of index 5", &write_index_five_mixed, {index_five_at(5.0, true)}};
}

}  // namespace saltus::problems
