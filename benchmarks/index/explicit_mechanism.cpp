#include "index/explicit_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace saltus::bench {

namespace {

/// A x = b by elimination with row pivots, in place.
void solve_dense(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[p * n + k])) p = i;
    }
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[p * n + j]);
    std::swap(b[k], b[p]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i];
  }
}

/// The solution (y, lambda) of M y - G^T lambda = right, G y = -below, with the first m rows of G.
std::vector<double> saddle_point(const ExplicitMechanism& c, const double* q, std::size_t m,
                                 const std::vector<double>& right, const double* below) {
  const std::size_t n = c.size(), all = n + m;
  std::vector<double> mass(n * n, 0.0), g(c.n_constraints * n, 0.0), a(all * all, 0.0), b = right;
  c.mass(q, mass.data());
  c.jacobian(q, g.data());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i * all + j] = mass[i * n + j];
    for (std::size_t k = 0; k < m; ++k) {
      a[i * all + n + k] = -g[k * n + i];
      a[(n + k) * all + i] = g[k * n + i];
    }
  }
  for (std::size_t k = 0; k < m; ++k) b.push_back(-below[k]);
  solve_dense(a, b);
  return b;
}

void project_mechanism(const ExplicitMechanism& c, std::span<double> x) {
  const std::size_t n = c.size();
  double* q = x.data();
  double* v = q + n;
  std::vector<double> g(c.n_constraints, 0.0), rows(c.n_constraints * n, 0.0);
  // Newton's method; two steps from a point that is off by 1e-6 reach rounding, the third shows it.
  for (int k = 0; k < 3; ++k) {
    c.position(q, g.data());
    const auto step = saddle_point(c, q, c.n_positions, std::vector<double>(n, 0.0), g.data());
    for (std::size_t i = 0; i < n; ++i) q[i] += step[i];
  }
  for (int k = 0; k < 2; ++k) {
    c.jacobian(q, rows.data());
    for (std::size_t r = 0; r < c.n_constraints; ++r) {
      g[r] = 0.0;
      for (std::size_t i = 0; i < n; ++i) g[r] += rows[r * n + i] * v[i];
    }
    const auto step = saddle_point(c, q, c.n_constraints, std::vector<double>(n, 0.0), g.data());
    for (std::size_t i = 0; i < n; ++i) v[i] += step[i];
  }
}

}  // namespace

std::shared_ptr<const System> make_explicit(const ExplicitMechanism& mechanism) {
  const auto c = std::make_shared<const ExplicitMechanism>(mechanism);
  const std::size_t n = c->size();
  SystemFunctions functions;
  for (std::size_t i = 0; i < n; ++i) functions.unknowns.push_back({c->coordinates[i], c->q[i]});
  for (std::size_t i = 0; i < n; ++i) {
    functions.unknowns.push_back({"v_" + c->coordinates[i], c->v[i]});
  }
  functions.derivative = [c, n](double, std::span<const double> x, std::span<double> xdot) {
    std::vector<double> f(n, 0.0), gamma(c->n_constraints, 0.0);
    c->force(x.data(), x.data() + n, f.data());
    c->curvature(x.data(), x.data() + n, gamma.data());
    const auto a = saddle_point(*c, x.data(), c->n_constraints, f, gamma.data());
    for (std::size_t i = 0; i < n; ++i) {
      xdot[i] = x[n + i];
      xdot[n + i] = a[i];
    }
  };
  functions.project = [c](double, std::span<double> x) { project_mechanism(*c, x); };
  return make_system(std::move(functions));
}

ExplicitMechanism explicit_compound_pendulum() {
  constexpr double mass = 36.0, gravity = 9.81, arm = 0.5, inertia = 3.0;
  const double angle = 20 * std::numbers::pi / 180, s = std::sin(angle), cs = std::cos(angle);
  ExplicitMechanism c{
      {"xg", "yg", "theta"}, {arm * cs, arm * s, angle}, {-arm * s, arm * cs, 1.0}, 2, 2};
  c.mass = [](const double*, double* m) { m[0] = m[4] = mass, m[8] = inertia; };
  c.force = [](const double*, const double*, double* f) { f[0] = mass * gravity; };
  c.position = [](const double* q, double* g) {
    g[0] = q[0] - arm * std::cos(q[2]);
    g[1] = q[1] - arm * std::sin(q[2]);
  };
  c.jacobian = [](const double* q, double* g) {
    g[0] = 1.0, g[2] = arm * std::sin(q[2]);
    g[4] = 1.0, g[5] = -arm * std::cos(q[2]);
  };
  c.curvature = [](const double* q, const double* v, double* gamma) {
    gamma[0] = arm * std::cos(q[2]) * v[2] * v[2];
    gamma[1] = arm * std::sin(q[2]) * v[2] * v[2];
  };
  c.energy = [](const double* q, const double* v) {
    return 0.5 * (mass * (v[0] * v[0] + v[1] * v[1]) + inertia * v[2] * v[2]) -
           mass * gravity * q[0];
  };
  return c;
}

ExplicitMechanism explicit_rolling_spheres() {
  constexpr double r = 0.05, sum = 0.6, mass = 1.0, inertia = 0.4 * mass * r * r;
  const double pi = std::numbers::pi, w = 45.0 / 8 * pi / 180;
  ExplicitMechanism c{{"rho", "alpha", "beta", "phi", "theta", "psi"},
                      {sum, 0.0, pi / 2, 0.0, pi / 2, pi / 2},
                      {0.0, -w, w, sum / r * w, sum / r * w, 0.0},
                      1,
                      3};
  c.mass = [](const double* q, double* m) {
    const double ca = std::cos(q[1]);
    m[0] = mass, m[7] = mass * q[0] * q[0], m[14] = mass * q[0] * q[0] * ca * ca;
    m[21] = m[28] = m[35] = inertia;
    m[23] = m[33] = inertia * std::cos(q[4]);
  };
  c.force = [](const double* q, const double* v, double* f) {
    const double rho = q[0], ca = std::cos(q[1]), sa = std::sin(q[1]), st = std::sin(q[4]);
    f[0] = mass * rho * (v[1] * v[1] + v[2] * v[2] * ca * ca);
    f[1] = -mass * rho * (2 * v[0] * v[1] + rho * v[2] * v[2] * ca * sa);
    f[2] = -2 * mass * rho * (v[0] * v[2] * ca * ca - rho * v[2] * v[1] * ca * sa);
    f[3] = inertia * v[4] * v[5] * st;
    f[4] = -inertia * v[3] * v[5] * st;
    f[5] = inertia * v[3] * v[4] * st;
  };
  c.position = [](const double* q, double* g) { g[0] = q[0] - sum; };
  c.jacobian = [](const double* q, double* g) {
    const double st = std::sin(q[4]), cp = std::cos(q[5]), sp = std::sin(q[5]);
    g[0] = 1.0;
    g[7] = sum, g[9] = -r * st * cp, g[10] = r * sp;
    g[14] = sum, g[15] = -r * st * sp, g[16] = -r * cp;
  };
  c.curvature = [](const double* q, const double* v, double* gamma) {
    const double ct = std::cos(q[4]), st = std::sin(q[4]), cp = std::cos(q[5]), sp = std::sin(q[5]);
    const double fp = v[3], tp = v[4], pp = v[5];
    gamma[0] = 0.0;
    gamma[1] = -r * (fp * (ct * tp * cp - st * sp * pp) - tp * cp * pp);
    gamma[2] = -r * (fp * (ct * tp * sp + st * cp * pp) - tp * sp * pp);
  };
  c.energy = [](const double* q, const double* v) {
    const double ca = std::cos(q[1]);
    return 0.5 * mass * (v[0] * v[0] + q[0] * q[0] * (v[1] * v[1] + v[2] * v[2] * ca * ca)) +
           0.5 * inertia *
               (v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + 2 * v[3] * v[5] * std::cos(q[4]));
  };
  return c;
}

}  // namespace saltus::bench
