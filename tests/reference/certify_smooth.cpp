// Certifies the reference values of the smooth problems in quad precision (113 bits), each by two
// methods that share no formula:
//
//   A  Radau IIA with 9 stages (order 17) on F(t, y, y') = 0 as the problem is written, algebraic
//      equations included; full Newton, Jacobian by differences; step doubling;
//   B  extrapolation of the linearly implicit Euler method, up to 16 columns, on the ODE that is
//      left once the algebraic unknowns are eliminated by hand; Jacobian by hand.
//
//   g++ -O2 -std=gnu++20 tests/reference/certify_smooth.cpp -lquadmath -o /tmp/certify
//   /tmp/certify robertson | van_der_pol | diode_rectifier
//
// prints the final values of A at two tolerances and of B, and in how many digits they agree. Not
// part of the tests: it runs for minutes, and its results are facts.
#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using Real = __float128;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;

std::string text(Real v) {
  char buffer[64];
  quadmath_snprintf(buffer, sizeof buffer, "%.27Qe", v);
  return buffer;
}

/// Solves a x = b by elimination with row exchange.
Vector solve(Matrix a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (fabsq(a[i][k]) > fabsq(a[p][k])) p = i;
    std::swap(a[k], a[p]);
    std::swap(b[k], b[p]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real l = a[i][k] / a[k][k];
      if (l == 0) continue;
      for (std::size_t j = k; j < n; ++j) a[i][j] -= l * a[k][j];
      b[i] -= l * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// ---- problems ------------------------------------------------------------------------------------

struct Problem {
  std::size_t n_dae, n_ode;
  Vector start;  // of the DAE; the first n_ode are those of the ODE
  Vector times;  // where values are printed
  Vector floor;  // per unknown: errors are relative to |y| + floor
  Real first_step;
  std::function<void(Real t, const Vector& y, const Vector& yp, Vector& f)> residual;
  std::function<void(Real t, const Vector& y, Vector& f)> ode;
  std::function<void(Real t, const Vector& y, Matrix& j)> ode_jacobian;
};

Problem robertson() {
  Problem p{3, 2, {1, 0, 0}, {40, 4e10Q}, {1e-12Q, 1e-12Q, 1e-6Q}, 1e-6Q, {}, {}, {}};
  const Real a = 0.04Q;
  p.residual = [=](Real, const Vector& y, const Vector& yp, Vector& f) {
    f[0] = yp[0] + a * y[0] - 1e4Q * y[1] * y[2];
    f[1] = yp[1] - a * y[0] + 1e4Q * y[1] * y[2] + 3e7Q * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1;
  };
  p.ode = [=](Real, const Vector& y, Vector& f) {
    const Real y3 = 1 - y[0] - y[1];
    f[0] = -a * y[0] + 1e4Q * y[1] * y3;
    f[1] = -f[0] - 3e7Q * y[1] * y[1];
  };
  p.ode_jacobian = [=](Real, const Vector& y, Matrix& j) {
    const Real y3 = 1 - y[0] - y[1];
    j[0][0] = -a - 1e4Q * y[1];
    j[0][1] = 1e4Q * (y3 - y[1]);
    j[1][0] = -j[0][0];
    j[1][1] = -j[0][1] - 6e7Q * y[1];
  };
  return p;
}

Problem van_der_pol() {
  Problem p{2, 2, {2, 0}, {2}, {1e-3Q, 1e-3Q}, 1e-8Q, {}, {}, {}};
  const Real mu = 1e6Q;
  p.residual = [=](Real, const Vector& y, const Vector& yp, Vector& f) {
    f[0] = yp[0] - y[1];
    f[1] = yp[1] / mu - ((1 - y[0] * y[0]) * y[1] - y[0]);
  };
  p.ode = [=](Real, const Vector& y, Vector& f) {
    f[0] = y[1];
    f[1] = mu * ((1 - y[0] * y[0]) * y[1] - y[0]);
  };
  p.ode_jacobian = [=](Real, const Vector& y, Matrix& j) {
    j[0][0] = 0;
    j[0][1] = 1;
    j[1][0] = mu * (-2 * y[0] * y[1] - 1);
    j[1][1] = mu * (1 - y[0] * y[0]);
  };
  return p;
}

/// Source 5 V sin(2 pi 50 t), R = 100, diode I_s = 1e-9, V_T = 0.05, C = 10e-6, load 1e4.
namespace diode {
const Real R = 100, load = 10000, C = 1e-5Q, I_s = 1e-9Q, V_T = 0.05Q;
Real source(Real t) { return 5 * sinq(100 * M_PIq * t); }
/// i from source = R i + V_T log(1 + i/I_s) + v, by Newton on w = V_T log(1 + i/I_s), the voltage
/// across the diode (convex, so it converges from the right).
Real voltage(Real t, Real v) {
  const Real s = source(t) - v;
  Real u = s > 0 ? fminq(s, V_T * logq(1 + s / (R * I_s))) : s;
  for (int k = 0; k < 200; ++k) {
    const Real e = I_s * expq(u / V_T);
    const Real step = (R * (e - I_s) + u - s) / (R * e / V_T + 1);
    u -= step;
    if (fabsq(step) < 1e-33Q * (1 + fabsq(u))) break;
  }
  return u;
}
}  // namespace diode

Problem diode_rectifier() {
  using namespace diode;
  Problem p{2, 1, {0, 0}, {0.064Q}, {1e-3Q, 1e-3Q}, 1e-6Q, {}, {}, {}};
  p.residual = [](Real t, const Vector& y, const Vector& yp, Vector& f) {
    const Real i = I_s * (expq(y[1] / V_T) - 1);
    f[0] = C * yp[0] - i + y[0] / load;
    f[1] = source(t) - R * i - y[1] - y[0];
  };
  p.ode = [](Real t, const Vector& y, Vector& f) {
    f[0] = ((source(t) - voltage(t, y[0]) - y[0]) / R - y[0] / load) / C;
  };
  p.ode_jacobian = [](Real t, const Vector& y, Matrix& j) {
    // du/dv = -1/(1 + R di/du)
    const Real du = -1 / (1 + R * I_s / V_T * expq(voltage(t, y[0]) / V_T));
    j[0][0] = ((-du - 1) / R - 1 / load) / C;
  };
  return p;
}

// ---- A -------------------------------------------------------------------------------------------

/// P_n(x), and P_{n-1}(x) beside it.
std::pair<Real, Real> legendre(int n, Real x) {
  Real before = 1, now = x;
  for (int k = 1; k < n; ++k) {
    const Real next = ((2 * k + 1) * x * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  return {now, before};
}

/// Roots in [-1, 1] of a function with simple roots there: found by scan, refined by bisection.
Vector roots_of(const std::function<Real(Real)>& f) {
  Vector roots;
  const int n = 4000;
  for (int k = 0; k < n; ++k) {
    Real lo = -1 + 2 * (k + Real(0.37Q)) / n, hi = lo + Real(2) / n;
    if (hi > 1 || (f(lo) > 0) == (f(hi) > 0)) continue;
    const bool rising = f(hi) > 0;
    for (int i = 0; i < 130; ++i) {
      const Real mid = (lo + hi) / 2;
      ((f(mid) > 0) == rising ? hi : lo) = mid;
    }
    roots.push_back((lo + hi) / 2);
  }
  return roots;
}

struct Radau {
  std::size_t s;
  Vector c;
  Matrix a;  // a_ij = integral of the Lagrange polynomial l_j from 0 to c_i

  explicit Radau(int stages) : s(static_cast<std::size_t>(stages)) {
    c = roots_of([&](Real x) {
      const auto [p, q] = legendre(stages, x);
      return p - q;
    });
    for (Real& x : c) x = (x + 1) / 2;
    c.push_back(1);  // the scan leaves the right end out
    if (c.size() != s) std::printf("wrong number of nodes\n");
    const Vector g = roots_of([&](Real x) { return legendre(stages, x).first; });
    a.assign(s, Vector(s, 0));
    for (Real x : g) {
      const Real slope =
          Real(stages) * (x * legendre(stages, x).first - legendre(stages, x).second) / (x * x - 1);
      const Real weight = 2 / ((1 - x * x) * slope * slope);
      for (std::size_t i = 0; i < s; ++i) {
        const Real at = c[i] * (x + 1) / 2;
        for (std::size_t j = 0; j < s; ++j) {
          Real l = weight * c[i] / 2;
          for (std::size_t k = 0; k < s; ++k)
            if (k != j) l *= (at - c[k]) / (c[j] - c[k]);
          a[i][j] += l;
        }
      }
    }
  }

  /// One step; the stage derivatives are the unknowns. False: Newton did not converge.
  bool step(const Problem& p, Real t, Real h, const Vector& y0, Vector& y1) const {
    const std::size_t n = p.n_dae;
    Vector k(s * n, 0), y(n), yp(n), f(n), g(n);
    Real before = 1e300Q;
    for (int iteration = 0; iteration < 40; ++iteration) {
      Matrix m(s * n, Vector(s * n, 0));
      Vector b(s * n);
      for (std::size_t i = 0; i < s; ++i) {
        for (std::size_t q = 0; q < n; ++q) {
          y[q] = y0[q];
          for (std::size_t j = 0; j < s; ++j) y[q] += h * a[i][j] * k[j * n + q];
          yp[q] = k[i * n + q];
        }
        p.residual(t + c[i] * h, y, yp, f);
        for (std::size_t q = 0; q < n; ++q) {
          b[i * n + q] = f[q];
          const Real dy = 1e-17Q * (fabsq(y[q]) + p.floor[q]);
          const Real keep = y[q];
          y[q] += dy;
          p.residual(t + c[i] * h, y, yp, g);
          y[q] = keep;
          for (std::size_t r = 0; r < n; ++r)
            for (std::size_t j = 0; j < s; ++j)
              m[i * n + r][j * n + q] += h * a[i][j] * (g[r] - f[r]) / dy;
          const Real dyp = 1e-17Q * (fabsq(yp[q]) + 1);
          yp[q] += dyp;
          p.residual(t + c[i] * h, y, yp, g);
          yp[q] = k[i * n + q];
          for (std::size_t r = 0; r < n; ++r) m[i * n + r][i * n + q] += (g[r] - f[r]) / dyp;
        }
      }
      const Vector d = solve(std::move(m), std::move(b));
      Real norm = 0;
      for (std::size_t i = 0; i < s * n; ++i) {
        k[i] -= d[i];
        norm = fmaxq(norm, fabsq(h * d[i]) / (fabsq(y0[i % n]) + p.floor[i % n]));
      }
      if (!(norm < 1e6Q)) return false;
      if (norm < 1e-28Q || (norm < 1e-24Q && norm > before / 4)) {
        y1 = y0;
        for (std::size_t q = 0; q < n; ++q)
          for (std::size_t j = 0; j < s; ++j) y1[q] += h * a[s - 1][j] * k[j * n + q];
        return true;
      }
      before = norm;
    }
    return false;
  }
};

std::vector<Vector> run_radau(const Problem& p, Real tolerance) {
  const Radau radau(9);
  std::vector<Vector> out;
  Vector y = p.start, big, half, small;
  Real t = 0, h = p.first_step;
  long steps = 0;
  for (const Real end : p.times) {
    while (t < end) {
      const bool last = t + h >= end;
      const Real use = last ? end - t : h;
      if (!radau.step(p, t, use, y, big) || !radau.step(p, t, use / 2, y, half) ||
          !radau.step(p, t + use / 2, use / 2, half, small)) {
        h = use / 4;
        continue;
      }
      Real error = 0;
      for (std::size_t q = 0; q < p.n_dae; ++q)
        error = fmaxq(error, fabsq(big[q] - small[q]) / (fabsq(small[q]) + p.floor[q]));
      const Real factor =
          0.85Q * powq(tolerance / fmaxq(error, 1e-40Q), 0.1Q);  // stage order 9, plus one
      if (error <= tolerance) {
        t = last ? end : t + use;
        y = small;
        ++steps;
      }
      if (!last || error > tolerance) h = use * fminq(4, fmaxq(0.1Q, factor));
    }
    out.push_back(y);
  }
  std::printf("A, tolerance %.0e: %ld steps\n", static_cast<double>(tolerance), steps);
  return out;
}

// ---- B -------------------------------------------------------------------------------------------

/// Hairer, Wanner: Solving Ordinary Differential Equations II, (IV.9.26): the linearly implicit
/// Euler method with n_j = 2, 3, 4, ... steps, extrapolated in powers of the step.
struct Extrapolation {
  int columns;

  bool step(const Problem& p, Real t, Real h, const Vector& y0, Vector& y1, Real& error) const {
    const std::size_t n = p.n_ode;
    Matrix jacobian(n, Vector(n));
    p.ode_jacobian(t, y0, jacobian);
    std::vector<Vector> row, previous;
    for (int j = 0; j < columns; ++j) {
      const int nj = j + 2;
      const Real hj = h / nj;
      Matrix m(n, Vector(n));
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t q = 0; q < n; ++q) m[r][q] = (r == q ? 1 : 0) - hj * jacobian[r][q];
      Vector y = y0, f(n);
      for (int i = 0; i < nj; ++i) {
        p.ode(t + (i + 1) * hj, y, f);
        for (Real& v : f) v *= hj;
        const Vector d = solve(m, f);
        for (std::size_t q = 0; q < n; ++q) y[q] += d[q];
        if (!(fabsq(y[0]) < 1e6Q)) return false;
      }
      row.assign(1, y);
      for (int k = 1; k <= j; ++k) {
        Vector next(n);
        const Real ratio = Real(nj) / (nj - k) - 1;
        for (std::size_t q = 0; q < n; ++q) {
          const auto before = static_cast<std::size_t>(k - 1);
          next[q] = row[before][q] + (row[before][q] - previous[before][q]) / ratio;
        }
        row.push_back(next);
      }
      previous = row;
    }
    y1 = row.back();
    error = 0;
    for (std::size_t q = 0; q < n; ++q) {
      error = fmaxq(error, fabsq(y1[q] - row[row.size() - 2][q]) / (fabsq(y1[q]) + p.floor[q]));
    }
    return true;
  }
};

std::vector<Vector> run_extrapolation(const Problem& p, int columns, Real tolerance) {
  const Extrapolation method{columns};
  std::vector<Vector> out;
  Vector y(p.start.begin(), p.start.begin() + static_cast<std::ptrdiff_t>(p.n_ode)), next;
  Real t = 0, h = p.first_step, error = 0;
  long steps = 0;
  for (const Real end : p.times) {
    while (t < end) {
      const bool last = t + h >= end;
      const Real use = last ? end - t : h;
      if (!method.step(p, t, use, y, next, error)) {
        h = use / 4;
        continue;
      }
      const Real factor = 0.8Q * powq(tolerance / fmaxq(error, 1e-40Q), Real(1) / columns);
      if (error <= tolerance) {
        t = last ? end : t + use;
        y = next;
        ++steps;
      }
      if (!last || error > tolerance) h = use * fminq(3, fmaxq(0.1Q, factor));
    }
    out.push_back(y);
  }
  std::printf("B, %d columns, tolerance %.0e: %ld steps\n", columns, static_cast<double>(tolerance),
              steps);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "";
  const Problem p = which == "robertson"         ? robertson()
                    : which == "van_der_pol"     ? van_der_pol()
                    : which == "diode_rectifier" ? diode_rectifier()
                                                 : Problem{};
  if (p.n_dae == 0) {
    std::printf("usage: certify robertson | van_der_pol | diode_rectifier\n");
    return 2;
  }
  const auto fine = run_radau(p, 1e-22Q), coarse = run_radau(p, 1e-19Q);
  const auto other = run_extrapolation(p, 16, argc > 2 ? strtoflt128(argv[2], nullptr) : 1e-20Q);
  for (std::size_t k = 0; k < p.times.size(); ++k) {
    std::printf("t = %.12g\n", static_cast<double>(p.times[k]));
    for (std::size_t q = 0; q < p.n_dae; ++q) {
      const Real v = fine[k][q];
      std::printf("  A %s  A against A: %.1e", text(v).c_str(),
                  static_cast<double>(fabsq((coarse[k][q] - v) / v)));
      if (q < p.n_ode) {
        std::printf("  B against A: %.1e", static_cast<double>(fabsq((other[k][q] - v) / v)));
      } else if (which == "diode_rectifier") {
        const Real u = diode::voltage(p.times[k], other[k][0]);
        std::printf("  B against A: %.1e", static_cast<double>(fabsq((u - v) / v)));
      } else {
        const Real y3 = 1 - other[k][0] - other[k][1];
        std::printf("  B against A: %.1e", static_cast<double>(fabsq((y3 - v) / v)));
      }
      std::printf("\n");
    }
  }
  return 0;
}
