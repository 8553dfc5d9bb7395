// Problems with known solutions for the tests of Radau.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <saltus/integrate/engine.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus::radau_test {

using In = std::span<const double>;
using Out = std::span<double>;

struct RadauProblem {
  std::shared_ptr<const System> system;
  double t0 = 0.0;
  double t1 = 1.0;
  std::vector<double> x0;
  std::vector<double> xdot0;
  std::vector<double> x1;  // at t1
};

/// An engine with the workspace it needs.
class RadauRun {
 public:
  RadauRun(std::shared_ptr<const System> system, const EngineOptions& options)
      : system_(std::move(system)),
        workspace_(system_->workspace()),
        engine_(make_engine(EngineKind::radau, *system_, *workspace_, options)) {}
  RadauRun(const RadauProblem& problem, const EngineOptions& options)
      : RadauRun(problem.system, options) {
    engine_->start({problem.t0, problem.x0, problem.xdot0}, problem.t1).value();
  }
  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }

  Result<void> to(double t_end) {
    while (engine_->t() != t_end) {
      if (auto done = engine_->step(t_end); !done) return done;
    }
    return {};
  }

 private:
  std::shared_ptr<const System> system_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Engine> engine_;
};

inline double largest_difference(In a, In b) {
  double d = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) d = std::max(d, std::abs(a[i] - b[i]));
  return d;
}

/// max_i |a_i - b_i| / (1 + |b_i|)
inline double mixed_error(In a, In b) {
  double d = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    d = std::max(d, std::abs(a[i] - b[i]) / (1.0 + std::abs(b[i])));
  }
  return d;
}

/// The p of error ~ h^p: slope of log(error) over log(h) by least squares.
inline double observed_power(const std::vector<double>& h, const std::vector<double>& error) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto m = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]);
    const double y = std::log(error[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (m * sxy - sx * sy) / (m * sxx - sx * sx);
}

inline std::vector<FunctionUnknown> unknowns(std::initializer_list<const char*> names,
                                             std::initializer_list<const char*> algebraic = {}) {
  std::vector<FunctionUnknown> all;
  for (const char* name : names) all.push_back({name});
  for (const char* name : algebraic) all.push_back({.name = name, .differential = false});
  return all;
}

/// x' = -x^2 cos t, x = 1 / (1 + sin t). y is not compared: x feeds it so that matrices are not
/// diagonal.
inline RadauProblem rational_ode() {
  RadauProblem p;
  p.system =
      make_system({.unknowns = unknowns({"x", "y"}), .derivative = [](double t, In x, Out xdot) {
                     xdot[0] = -x[0] * x[0] * std::cos(t);
                     xdot[1] = x[0] - x[1] * std::cos(t);
                   }});
  p.t1 = 2.0;
  p.x0 = {1.0, 0.0};
  p.xdot0 = {-1.0, 1.0};
  p.x1 = {1.0 / (1.0 + std::sin(p.t1))};
  return p;
}
inline double rational_solution(double t) { return 1.0 / (1.0 + std::sin(t)); }

/// Semi-explicit, index 1, nonlinear in the algebraic unknown: x = exp(sin t), z = cos t solve
///   x' = x z,   0 = z^3 + z - cos^3 t - cos t + (x - exp(sin t)).
inline RadauProblem index1_dae(double t1 = 2.0) {
  RadauProblem p;
  p.system = make_system(
      {.unknowns = unknowns({"x"}, {"z"}), .residual = [](double t, In x, In xdot, Out f) {
         const double c = std::cos(t);
         f[0] = xdot[0] - x[0] * x[1];
         f[1] = x[1] * x[1] * x[1] + x[1] - c * c * c - c + x[0] - std::exp(std::sin(t));
       }});
  p.t1 = t1;
  p.x0 = {1.0, 1.0};
  p.xdot0 = {1.0, 0.0};
  p.x1 = {std::exp(std::sin(t1)), std::cos(t1)};
  return p;
}

/// Fully implicit, nonlinear in x': x'^3 + x' = cos^3 t + cos t - x + sin t; x = sin t.
inline RadauProblem implicit_ode() {
  RadauProblem p;
  p.system =
      make_system({.unknowns = unknowns({"x"}), .residual = [](double t, In x, In xdot, Out f) {
                     const double c = std::cos(t);
                     f[0] =
                         xdot[0] * xdot[0] * xdot[0] + xdot[0] - c * c * c - c + x[0] - std::sin(t);
                   }});
  p.t1 = 2.0;
  p.x0 = {0.0};
  p.xdot0 = {1.0};
  p.x1 = {std::sin(2.0)};
  return p;
}

/// Van der Pol, eps = 1e-6, and its reference value in the IVP test set. The popular start (2, -0.66)
/// is another solution: it ends 3.5e-7 away.
inline RadauProblem van_der_pol() {
  RadauProblem p;
  p.system = make_system({.unknowns = unknowns({"y1", "y2"}),
                          .derivative =
                              [](double, In y, Out ydot) {
                                ydot[0] = y[1];
                                ydot[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
                              },
                          .jacobian =
                              [](double, In y, In, Out df_dx, Out df_dxdot) {
                                df_dx[0] = 0.0;
                                df_dx[1] = (2.0 * y[0] * y[1] + 1.0) / 1e-6;
                                df_dx[2] = -1.0;
                                df_dx[3] = -(1.0 - y[0] * y[0]) / 1e-6;
                                df_dxdot[0] = df_dxdot[3] = 1.0;
                                df_dxdot[1] = df_dxdot[2] = 0.0;
                              }});
  p.t1 = 2.0;
  p.x0 = {2.0, 0.0};
  p.xdot0 = {0.0, -2e6};
  p.x1 = {1.706167732170483, -0.8928097010247975};
  return p;
}

/// Robertson with the sum of the concentrations as algebraic equation.
inline RadauProblem robertson() {
  RadauProblem p;
  p.system = make_system(
      {.unknowns = unknowns({"y1", "y2"}, {"y3"}), .residual = [](double, In y, In ydot, Out f) {
         const double r1 = 0.04 * y[0];
         const double r2 = 1e4 * y[1] * y[2];
         const double r3 = 3e7 * y[1] * y[1];
         f[0] = ydot[0] + r1 - r2;
         f[1] = ydot[1] - r1 + r2 + r3;
         f[2] = y[0] + y[1] + y[2] - 1.0;
       }});
  p.t1 = 40.0;
  p.x0 = {1.0, 0.0, 0.0};
  p.xdot0 = {-0.04, 0.04, 0.0};
  p.x1 = {0.71582706871942, 9.1855347645573e-6};
  return p;
}

/// Transistor amplifier of the IVP test set: E is singular although every unknown carries a derivative.
inline void amplifier_rows(double t, In y, In p, Out f) {
  constexpr double ub = 6.0, uf = 0.026, al = 0.99, be = 1e-6, r0 = 1e3, r = 9e3;
  const auto h = [](double v) { return be * std::expm1(v / uf); };
  const double ue = 0.1 * std::sin(200.0 * std::numbers::pi * t);
  const double h23 = h(y[1] - y[2]);
  const double h56 = h(y[4] - y[5]);
  f[0] = -1e-6 * p[0] + 1e-6 * p[1] - (y[0] - ue) / r0;
  f[1] = 1e-6 * p[0] - 1e-6 * p[1] - (y[1] / r + (y[1] - ub) / r + (1 - al) * h23);
  f[2] = -2e-6 * p[2] - (y[2] / r - h23);
  f[3] = -3e-6 * p[3] + 3e-6 * p[4] - ((y[3] - ub) / r + al * h23);
  f[4] = 3e-6 * p[3] - 3e-6 * p[4] - (y[4] / r + (y[4] - ub) / r + (1 - al) * h56);
  f[5] = -4e-6 * p[5] - (y[5] / r - h56);
  f[6] = -5e-6 * p[6] + 5e-6 * p[7] - ((y[6] - ub) / r + al * h56);
  f[7] = 5e-6 * p[6] - 5e-6 * p[7] - y[7] / r;
}
inline RadauProblem transistor_amplifier() {
  RadauProblem p;
  p.system = make_system(
      {.unknowns = unknowns({"y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"}),
       .residual = [](double t, In y, In ydot, Out f) { amplifier_rows(t, y, ydot, f); }});
  p.t1 = 0.2;
  p.x0 = {0, 3, 3, 6, 3, 3, 6, 0};
  // f at the start is zero but for -2e-6 y3' = y3/R3 and -4e-6 y6' = y6/R7. Of the differences that the
  // other rows determine the solution of least norm is zero.
  p.xdot0 = {0, 0, -3.0 / 9e3 / 2e-6, 0, 0, -3.0 / 9e3 / 4e-6, 0, 0};
  p.x1 = {-0.0055621450122622744445148205, 3.0065224719030426673359662, 2.8499587886081285073925017,
          2.9264225362062415089937831,     2.7046178650105545906995635, 2.7618377783931440544818429,
          4.7709276316167721558031853,     1.2369958680915475496936911};
  return p;
}

}  // namespace saltus::radau_test
