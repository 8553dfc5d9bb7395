// The four models the expression engine is measured on, written once for any scalar.
//   relay      3 equations, 1 switch
//   ladder     diodes and friction: 4 equations and 3 switches per section, 200 equations
//   diffusion  reaction-diffusion DAE in one dimension: 2 equations and 1 switch per cell
//   friction   1,000 friction oscillators, each with expensive branches
// A model is a residual F(t, p, y, y') with n equations; plain doubles give the hand-written code.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <saltus/expr.hpp>

namespace saltus::engine_models {

// Conditionals for plain numbers; the expression counterparts follow.
template <class A, class B>
double if_positive(double g, A&& a, B&& b) {
  return g > 0 ? a() : b();
}
inline double magnitude(double x) { return std::fabs(x); }
inline double larger(double a, double b) { return a > b ? a : b; }
inline double sign_of(double x) { return x > 0 ? 1.0 : -1.0; }

template <class A, class B>
Expr if_positive(const Expr& g, A&& a, B&& b) {
  return where(g > 0.0, a(), b());
}
inline Expr magnitude(const Expr& x) { return abs(x); }
inline Expr larger(const Expr& a, const Expr& b) { return max(a, b); }
inline Expr sign_of(const Expr& x) { return sign(x); }

struct Relay {
  static constexpr std::size_t n_parameters = 2;
  std::size_t n = 3;

  template <class T>
  void operator()(const T&, const T* p, const T* y, const T* yp, T* f) const {
    const T& zeta = p[0];
    const T& omega = p[1];
    const T s = sign_of(y[0]);
    f[0] = yp[0] - (-(2.0 * zeta * omega + 1.0) * y[0] + y[1] - s);
    f[1] = yp[1] - (-(2.0 * zeta * omega + omega * omega) * y[0] + y[2] + 2.0 * s);
    f[2] = yp[2] - (-(omega * omega) * y[0] - s);
  }
};

struct Ladder {
  static constexpr std::size_t n_parameters = 6;
  std::size_t sections = 50;
  std::size_t n = 200;
  explicit Ladder(std::size_t s = 50) : sections(s), n(4 * s) {}

  template <class T>
  void operator()(const T& t, const T* p, const T* y, const T* yp, T* f) const {
    using std::exp;
    using std::sin;
    using std::tanh;
    const T& capacity = p[0];
    const T& inductance = p[1];
    const T& resistance = p[2];
    const T& saturation = p[3];
    const T& thermal = p[4];
    const T& k = p[5];
    const T source = sin(6.0 * t);
    for (std::size_t i = 0; i < sections; ++i) {
      const T& v = y[4 * i];
      const T& il = y[4 * i + 1];
      const T& id = y[4 * i + 2];
      const T& fr = y[4 * i + 3];
      const T vl = i > 0 ? y[4 * i - 4] : source;
      const T out = i + 1 < sections ? y[4 * i + 5] : T(0.0);
      f[4 * i] = capacity * yp[4 * i] - (il - out - id);
      f[4 * i + 1] = inductance * yp[4 * i + 1] - (vl - v - resistance * il - fr);
      f[4 * i + 2] = id - if_positive(
                              v - 0.6,
                              [&] {
                                return T(saturation *
                                         (exp(0.6 / thermal) * (1.0 + (v - 0.6) / thermal) - 1.0));
                              },
                              [&] { return T(saturation * (exp(v / thermal) - 1.0)); });
      f[4 * i + 3] = fr - k * tanh(20.0 * il) * (larger(magnitude(il) - 0.1, T(0.0)) + 0.05);
    }
  }
};

struct Diffusion {
  static constexpr std::size_t n_parameters = 3;
  std::size_t cells;
  std::size_t n;
  explicit Diffusion(std::size_t c = 50000) : cells(c), n(2 * c) {}

  template <class T>
  void operator()(const T&, const T* p, const T* y, const T* yp, T* f) const {
    const T& d = p[0];
    const T& r = p[1];
    const T& a = p[2];
    for (std::size_t i = 0; i < cells; ++i) {
      const T& u = y[2 * i];
      const T& w = y[2 * i + 1];
      const T left = i > 0 ? y[2 * i - 2] : T(0.0);
      const T right = i + 1 < cells ? y[2 * i + 2] : T(0.0);
      const T source = if_positive(
          u - 0.5, [&] { return T(a * (u - 0.5)); }, [&] { return T(0.0); });
      f[2 * i] = yp[2 * i] - d * (left - 2.0 * u + right) - r * (u * (1.0 - u) * w) + source;
      f[2 * i + 1] = w * (1.0 + u * u) - u;
    }
  }
};

struct Friction {
  static constexpr std::size_t n_parameters = 3;
  std::size_t oscillators;
  std::size_t n;
  explicit Friction(std::size_t m = 1000) : oscillators(m), n(2 * m) {}

  template <class T>
  void operator()(const T&, const T* p, const T* y, const T* yp, T* f) const {
    using std::exp;
    const T& k = p[0];
    const T& mu = p[1];
    const T& a = p[2];
    for (std::size_t i = 0; i < oscillators; ++i) {
      const T& x = y[2 * i];
      const T& v = y[2 * i + 1];
      const T left = i > 0 ? y[2 * i - 2] : T(0.0);
      const T right = i + 1 < oscillators ? y[2 * i + 2] : T(0.0);
      const T force = if_positive(
          v, [&] { return T(-mu * (1.0 + a * exp(-v))); },
          [&] { return T(mu * (1.0 + a * exp(v))); });
      f[2 * i] = yp[2 * i] - v;
      f[2 * i + 1] = yp[2 * i + 1] - (k * (left - 2.0 * x + right) + force);
    }
  }
};

/// One evaluation point, the same everywhere: [t | p | y | y'].
struct Point {
  double t = 0.3;
  std::vector<double> p, y, yp;
};

template <class M>
Point point_of(const M& m) {
  Point x;
  for (std::size_t i = 0; i < M::n_parameters; ++i)
    x.p.push_back(0.4 + 0.13 * static_cast<double>(i));
  for (std::size_t i = 0; i < m.n; ++i) {
    x.y.push_back(0.9 * std::sin(0.7 * static_cast<double>(i) + 0.2));
    x.yp.push_back(0.5 * std::cos(0.3 * static_cast<double>(i) + 0.1));
  }
  return x;
}

/// A model as expressions: its residual nodes and the layout of its arguments.
struct Built {
  Graph graph;
  std::vector<NodeId> residual;
  std::vector<InputSegment> segments;  // time, parameters, y, y'
  std::vector<InputRange> y_columns;   // y and y' as columns
};

inline void describe_arguments(Built& b, std::uint32_t n_parameters, std::uint32_t n) {
  b.segments = {{{InputKind::time, 0, 1, 0}},
                {{InputKind::parameter, 0, n_parameters, 0}},
                {{InputKind::state, 0, n, 0}},
                {{InputKind::state, 0, n, 1}}};
  b.y_columns = {{InputKind::state, 0, n, 0}, {InputKind::state, 0, n, 1}};
}

template <class M>
void build(const M& m, Built& b) {
  const auto n = static_cast<std::uint32_t>(m.n);
  Graph& g = b.graph;
  const Expr t = time(g);
  const Expr p = parameters(g, "p", M::n_parameters);
  const std::uint32_t first = g.declare_array(InputKind::state, "y", n);
  std::vector<Expr> ps, ys, yps, f(m.n);
  for (std::uint32_t i = 0; i < M::n_parameters; ++i) ps.push_back(p[i]);
  for (std::uint32_t i = 0; i < n; ++i) {
    ys.emplace_back(g, g.input(InputKind::state, first + i));
    yps.emplace_back(g, g.input(InputKind::state, first + i, 1));
  }
  m(t, ps.data(), ys.data(), yps.data(), f.data());
  for (const Expr& e : f) b.residual.push_back(e.in(g));
  describe_arguments(b, M::n_parameters, n);
}

/// The reaction-diffusion model as families: the same equations, written once for all cells.
/// Outputs are interleaved like those of the scalar form.
inline std::vector<Output> build_diffusion_family(std::uint32_t cells, Built& b) {
  Graph& g = b.graph;
  const Expr p = parameters(g, "p", 3);
  const Expr y = states(g, "y", 2 * cells);
  const Expr d = p[0];
  const Expr r = p[1];
  const Expr a = p[2];
  const Expr yp = der(y);
  auto cell = [&](Index i) {
    const Expr u = y[2 * i];
    const Expr left = concat({0.0, u.slice(0, cells - 1)});
    const Expr right = concat({u.slice(1, cells - 1), 0.0});
    const Expr w = y[2 * i + 1];
    const Expr source = where(u - 0.5 > 0.0, a * (u - 0.5), 0.0);
    return yp[2 * i] - d * (left - 2.0 * u + right) - r * (u * (1.0 - u) * w) + source;
  };
  const Expr balance = map(cells, cell);
  const Expr algebra =
      map(cells, [&](Index i) { return y[2 * i + 1] * (1.0 + y[2 * i] * y[2 * i]) - y[2 * i]; });
  b.residual = {balance.id(), algebra.id()};
  describe_arguments(b, 3, 2 * cells);
  return {{.node = balance.id(), .first = 0, .stride = 2, .lanes = cells},
          {.node = algebra.id(), .first = 1, .stride = 2, .lanes = cells}};
}

}  // namespace saltus::engine_models
