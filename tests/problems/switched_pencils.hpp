// Random switched linear DAEs E_k x' = A_k x + f_k(t) from Weierstrass canonical forms, with their exact
// solutions: with z = T x and g = S^-1 f,
//
//   E = S diag(I, N) T,  A = S diag(J, I) T:    z1' = J z1 + g1,    N z2' = z2 + g2.
//
// z1 passes a switch unchanged. z2 = -sum N^k g2^(k) after it, whatever it was before: with e the difference,
// x has the impulses T^-1 (0, -N^(k+1) e) delta^(k) (the consistency projector and its impulsive part).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

using LongVector = std::vector<long double>;
/// Square, row by row.
struct LongMatrix {
  explicit LongMatrix(std::size_t size = 0) : n(size), values(size * size, 0.0L) {}
  static LongMatrix identity(std::size_t n) {
    LongMatrix m(n);
    for (std::size_t i = 0; i < n; ++i) m(i, i) = 1.0L;
    return m;
  }
  long double& operator()(std::size_t i, std::size_t j) { return values[i * n + j]; }
  long double operator()(std::size_t i, std::size_t j) const { return values[i * n + j]; }
  LongMatrix operator*(const LongMatrix& b) const {
    LongMatrix c(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < n; ++j) c(i, j) += (*this)(i, k) * b(k, j);
      }
    }
    return c;
  }
  LongVector operator*(const LongVector& x) const {
    LongVector y(n, 0.0L);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) y[i] += (*this)(i, j) * x[j];
    }
    return y;
  }
  std::size_t n;
  LongVector values;
};

/// exp(M) by Taylor's series of M/2^s, squared s times.
inline LongMatrix exponential(LongMatrix m) {
  long double size = 0.0L;
  for (const long double v : m.values) size = std::max(size, std::abs(v));
  int squarings = 0;
  for (size *= static_cast<long double>(m.n); size > 0.5L; size /= 2) ++squarings;
  for (long double& v : m.values) v = std::ldexp(v, -squarings);
  LongMatrix sum = LongMatrix::identity(m.n), term = sum;
  for (int k = 1; k <= 24; ++k) {
    term = term * m;
    for (long double& v : term.values) v /= k;
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += term.values[i];
  }
  for (int k = 0; k < squarings; ++k) sum = sum * sum;
  return sum;
}

/// One mode. g and f are quadratic in t: three coefficients each.
struct Pencil {
  static constexpr int degree = 2;
  std::size_t n = 0, d = 0;  // d finite eigenvalues
  int index = 0;
  LongMatrix e, a, t, t_inverse;
  LongMatrix j;  // of z1, in the first d rows
  LongMatrix nilpotent;
  std::vector<std::array<long double, degree + 1>> f, g;

  /// The k-th derivative of g_i.
  long double g_at(std::size_t i, long double time, int k = 0) const {
    long double sum = 0.0L, power = 1.0L;
    for (int p = k; p <= degree; ++p, power *= time) {
      long double factor = g[i][static_cast<std::size_t>(p)];
      for (int q = p; q > p - k; --q) factor *= q;
      sum += factor * power;
    }
    return sum;
  }
  /// z2 as the equations determine it; zero in the first d rows.
  LongVector determined(long double time) const {
    LongVector sum(n, 0.0L);
    LongMatrix power = LongMatrix::identity(n);
    for (int k = 0; k <= degree; ++k, power = power * nilpotent) {
      LongVector gk(n, 0.0L);
      for (std::size_t i = d; i < n; ++i) gk[i] = g_at(i, time, k);
      const LongVector part = power * gk;
      for (std::size_t i = d; i < n; ++i) sum[i] -= part[i];
    }
    return sum;
  }
  /// The consistent point after a switch from x at a time.
  LongVector projected(const LongVector& x, long double time) const {
    LongVector z = t * x;
    const LongVector z2 = determined(time);
    for (std::size_t i = d; i < n; ++i) z[i] = z2[i];
    return t_inverse * z;
  }
  /// Strengths of delta^(order) of all unknowns.
  LongVector impulse(const LongVector& x, long double time, int order) const {
    LongVector z = t * x, e2(n, 0.0L);
    const LongVector z2 = determined(time);
    for (std::size_t i = d; i < n; ++i) e2[i] = z[i] - z2[i];
    for (int k = 0; k <= order; ++k) e2 = nilpotent * e2;
    for (long double& v : e2) v = -v;
    return t_inverse * e2;
  }
  /// From a consistent point at t0 to t1.
  LongVector moved(const LongVector& x, long double t0, long double t1) const {
    const std::size_t np = degree + 1;
    LongMatrix m(d + np);  // z1 and 1, s, s^2 with s = t - t0
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t k = 0; k < d; ++k) m(i, k) = j(i, k);
      for (int p = 0; p <= degree; ++p) {
        long double factorial = 1.0L;
        for (int q = 2; q <= p; ++q) factorial *= q;
        m(i, d + static_cast<std::size_t>(p)) = g_at(i, t0, p) / factorial;
      }
    }
    for (std::size_t p = 1; p < np; ++p) m(d + p, d + p - 1) = static_cast<long double>(p);
    for (long double& v : m.values) v *= t1 - t0;
    LongVector y(d + np, 0.0L), z = t * x;
    for (std::size_t i = 0; i < d; ++i) y[i] = z[i];
    y[d] = 1.0L;
    y = exponential(m) * y;
    z = determined(t1);
    for (std::size_t i = 0; i < d; ++i) z[i] = y[i];
    return t_inverse * z;
  }
  bool every_unknown_has_a_derivative() const {
    for (std::size_t c = 0; c < n; ++c) {
      bool found = false;
      for (std::size_t r = 0; r < n; ++r) found = found || e(r, c) != 0;
      if (!found) return false;
    }
    return true;
  }
};

/// Builds pencils whose entries are exact in double precision: S and T are products of few elementary
/// matrices with small integers and of powers of two, J has eighths.
class PencilWriter {
 public:
  explicit PencilWriter(std::uint64_t seed) : random_(seed) {}

  int between(int a, int b) { return std::uniform_int_distribution<int>(a, b)(random_); }

  Pencil write(std::size_t n) {
    Pencil p;
    p.n = n;
    // Now and then an ODE, or a system without any freedom.
    const int kind = between(0, 9);
    p.d = kind == 0   ? n
          : kind == 1 ? 0
                      : static_cast<std::size_t>(between(1, static_cast<int>(n) - 1));
    p.j = LongMatrix(n);
    p.nilpotent = LongMatrix(n);
    for (std::size_t i = 0; i < p.d; ++i) {
      for (std::size_t k = 0; k < p.d; ++k) p.j(i, k) = between(-6, 6) / 8.0L;
    }
    for (std::size_t i = p.d; i < n;) {
      const std::size_t block =
          std::min(n - i, static_cast<std::size_t>(between(1, 10) <= 9 ? between(1, 3) : 4));
      for (std::size_t k = i; k + 1 < i + block; ++k) p.nilpotent(k, k + 1) = 1.0L;
      p.index = std::max(p.index, static_cast<int>(block));
      i += block;
    }
    LongMatrix s, s_inverse;
    regular(n, s, s_inverse, 8);
    regular(n, p.t, p.t_inverse, 1);
    LongMatrix left = p.nilpotent, right = p.j;
    for (std::size_t i = 0; i < n; ++i) (i < p.d ? left : right)(i, i) += 1.0L;
    p.e = s * left * p.t;
    p.a = s * right * p.t;
    p.g.resize(n);
    p.f.resize(n);
    for (auto& gi : p.g) {
      for (long double& c : gi) c = between(-4, 4) / 4.0L;
    }
    for (std::size_t k = 0; k <= Pencil::degree; ++k) {
      LongVector column(n);
      for (std::size_t i = 0; i < n; ++i) column[i] = p.g[i][k];
      column = s * column;
      for (std::size_t i = 0; i < n; ++i) p.f[i][k] = column[i];
    }
    return p;
  }

 private:
  /// Rows added to other rows, then scaled: rows of S are in units of their equations.
  void regular(std::size_t n, LongMatrix& m, LongMatrix& inverse, int bits) {
    m = inverse = LongMatrix::identity(n);
    for (std::size_t k = 0; k < 3 * n; ++k) {
      const auto r = static_cast<std::size_t>(between(0, static_cast<int>(n) - 1));
      const auto c = static_cast<std::size_t>(between(0, static_cast<int>(n) - 1));
      if (r == c) continue;
      const long double factor = between(0, 1) == 0 ? -1.0L : 1.0L;
      LongMatrix step = LongMatrix::identity(n), back = step;
      step(r, c) = factor;
      back(r, c) = -factor;
      m = step * m;
      inverse = inverse * back;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const int power = between(-bits, bits);
      for (std::size_t c = 0; c < n; ++c) {
        m(r, c) = std::ldexp(m(r, c), power);
        inverse(c, r) = std::ldexp(inverse(c, r), -power);
      }
    }
  }

  std::mt19937_64 random_;
};

struct PencilSwitch {
  double t = 0.0;
  std::uint32_t from = 0, to = 0;
};

/// Two or three modes and the times at which they follow each other.
struct SwitchedPencils {
  std::vector<Pencil> modes;
  std::vector<PencilSwitch> switches;
  LongVector start;
  double t_end = 0.0;
  /// Unknowns that had no derivative before the switch have no history under the policy keep; the exact
  /// solution takes their values for one, as the policy impulse does.
  bool exact_under_keep = true;

  std::shared_ptr<const ModelDefinition> model(RestartPolicy policy) const {
    Model m("switched pencils");
    const std::size_t n = modes[0].n;
    std::vector<Expr> x;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(m.state("x" + std::to_string(i), static_cast<double>(start[i])));
    }
    Expr t = m.time();
    for (std::size_t k = 0; k < modes.size(); ++k) {
      const ModeId mode = m.mode("m" + std::to_string(k));
      for (std::size_t i = 0; i < n; ++i) {
        const auto& f = modes[k].f[i];
        Expr left(0.0), right = static_cast<double>(f[0]) + static_cast<double>(f[1]) * t +
                                static_cast<double>(f[2]) * t * t;
        for (std::size_t c = 0; c < n; ++c) {
          const double e = static_cast<double>(modes[k].e(i, c));
          const double a = static_cast<double>(modes[k].a(i, c));
          if (e != 0) left = left + e * der(x[c]);
          if (a != 0) right = right + a * x[c];
        }
        m.equation(mode, "row " + std::to_string(i), left == right);
      }
    }
    for (std::size_t k = 0; k < switches.size(); ++k) {
      const PencilSwitch& s = switches[k];
      const double next = k + 1 < switches.size() ? switches[k + 1].t : 2 * t_end;
      m.transition("switch " + std::to_string(k), s.from, s.to, t >= s.t && t < next,
                   {.restart = policy});
    }
    return m.build();
  }
};

inline SwitchedPencils random_switched_pencils(std::uint64_t seed) {
  PencilWriter writer(seed);
  SwitchedPencils p;
  const auto n = static_cast<std::size_t>(writer.between(2, 6));
  const int n_modes = writer.between(2, 3);
  for (int k = 0; k < n_modes; ++k) p.modes.push_back(writer.write(n));
  std::uint32_t mode = 0;
  double t = 0.0;
  for (int k = 0; k < 3; ++k) {
    t += writer.between(2, 6) / 8.0;
    const std::uint32_t next = (mode + 1) % static_cast<std::uint32_t>(n_modes);
    p.switches.push_back({t, mode, next});
    p.exact_under_keep = p.exact_under_keep && p.modes[mode].every_unknown_has_a_derivative();
    mode = next;
  }
  p.t_end = t + 0.5;
  LongVector any(n);
  for (long double& v : any) v = writer.between(-8, 8) / 4.0L;
  p.start = p.modes[0].projected(any, 0.0L);
  return p;
}

}  // namespace saltus::problems
