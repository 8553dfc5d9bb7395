// Problems with known solutions, and what it takes to run an engine on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include <saltus/integrate/engine.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus::test::ida {

using Input = SystemFunctions::Input;
using Output = SystemFunctions::Output;

inline constexpr double eps = std::numeric_limits<double>::epsilon();

struct InitialValueProblem {
  std::shared_ptr<const System> system;
  double t0 = 0.0;
  double t_end = 1.0;
  std::vector<double> x0;
  std::vector<double> xdot0;
  std::vector<double> x_end = {};                    // empty: unknown
  std::vector<double> (*exact)(double t) = nullptr;  // null: unknown
};

/// x1' = x2, x2' = -x1: cosine and -sine.
inline InitialValueProblem oscillator(double t_end = 10.0) {
  auto system = make_system({.unknowns = {{"x1", 1.0}, {"x2", 0.0}},
                             .derivative =
                                 [](double, Input x, Output xdot) {
                                   xdot[0] = x[1];
                                   xdot[1] = -x[0];
                                 },
                             .jacobian =
                                 [](double, Input, Input, Output dx, Output dxdot) {
                                   // columns x1, x2 of x' - f, all four entries
                                   dx[1] = 1.0;
                                   dx[2] = -1.0;
                                   dxdot[0] = dxdot[3] = 1.0;
                                 }});
  return {system,
          0.0,
          t_end,
          {1.0, 0.0},
          {0.0, -1.0},
          {std::cos(t_end), -std::sin(t_end)},
          [](double t) {
            return std::vector{std::cos(t), -std::sin(t)};
          }};
}

/// x' = z, 0 = z^3 + z - (c^3 + c) + x - s with s = sin t, c = cos t: x = s, z = c, index 1.
inline InitialValueProblem index_one(double t_end = 10.0) {
  auto system = make_system({.unknowns = {{"x", 0.0}, {"z", 1.0, false}},
                             .residual = [](double t, Input x, Input xdot, Output f) {
                               const double s = std::sin(t), c = std::cos(t);
                               f[0] = xdot[0] - x[1];
                               f[1] = x[1] * x[1] * x[1] + x[1] - (c * c * c + c) + x[0] - s;
                             }});
  return {
      system, 0.0, t_end, {0.0, 1.0}, {1.0, 0.0}, {std::sin(t_end), std::cos(t_end)}, [](double t) {
        return std::vector{std::sin(t), std::cos(t)};
      }};
}

/// Robertson's kinetics as three differential equations; reference at t = 40 from the test set of
/// Mazzia and Magherini.
inline InitialValueProblem robertson(double t_end = 40.0) {
  auto system = make_system(
      {.unknowns = {{"y1", 1.0}, {"y2", 0.0}, {"y3", 0.0}},
       .residual =
           [](double, Input y, Input ydot, Output f) {
             const double forward = 0.04 * y[0] - 1e4 * y[1] * y[2];
             const double third = 3e7 * y[1] * y[1];
             f[0] = ydot[0] + forward;
             f[1] = ydot[1] - forward + third;
             f[2] = ydot[2] - third;
           },
       .jacobian =
           [](double, Input y, Input, Output dx, Output dxdot) {
             const double columns[9] = {
                 0.04,        -0.04,       0.0,        -1e4 * y[2], 1e4 * y[2] + 6e7 * y[1],
                 -6e7 * y[1], -1e4 * y[1], 1e4 * y[1], 0.0};
             std::copy(columns, columns + 9, dx.begin());
             dxdot[0] = dxdot[4] = dxdot[8] = 1.0;
           }});
  InitialValueProblem p{system, 0.0, t_end, {1.0, 0.0, 0.0}, {-0.04, 0.04, 0.0}};
  if (t_end == 40.0) {
    p.x_end = {0.71582706871942, 9.1855347645573e-6, 1 - 0.71582706871942 - 9.1855347645573e-6};
  }
  return p;
}

/// Van der Pol with eps = 1e-6; reference at t = 2 from the test set of Hairer and Wanner.
inline InitialValueProblem van_der_pol() {
  auto system = make_system(
      {.unknowns = {{"y1", 2.0}, {"y2", 0.0}}, .derivative = [](double, Input y, Output ydot) {
         ydot[0] = y[1];
         ydot[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
       }});
  return {system, 0.0, 2.0, {2.0, 0.0}, {0.0, -2e6}, {1.706167732170483, -0.8928097010247975}};
}

/// Transistor amplifier of the test set of Mazzia and Magherini: E x' + f = 0 with a singular E
/// although every unknown carries a derivative.
inline InitialValueProblem transistor_amplifier() {
  std::vector<FunctionUnknown> unknowns;
  const std::vector<double> y0 = {0, 3, 3, 6, 3, 3, 6, 0};
  for (int i = 0; i < 8; ++i) {
    unknowns.push_back({"y" + std::to_string(i + 1), y0[static_cast<std::size_t>(i)]});
  }
  const auto residual = [](double t, Input y, Input d, Output f) {
    const auto h = [](double v) { return 1e-6 * (std::exp(v / 0.026) - 1); };
    constexpr double u_b = 6, alpha = 0.99, r0 = 1000, r = 9000, c = 1e-6;
    const double u_e = 0.1 * std::sin(200 * std::numbers::pi * t);
    const double h23 = h(y[1] - y[2]), h56 = h(y[4] - y[5]);
    f[0] = c * (d[1] - d[0]) - (y[0] - u_e) / r0;
    f[1] = c * (d[0] - d[1]) - (y[1] / r + (y[1] - u_b) / r + (1 - alpha) * h23);
    f[2] = -2 * c * d[2] - (y[2] / r - h23);
    f[3] = 3 * c * (d[4] - d[3]) - ((y[3] - u_b) / r + alpha * h23);
    f[4] = 3 * c * (d[3] - d[4]) - (y[4] / r + (y[4] - u_b) / r + (1 - alpha) * h56);
    f[5] = -4 * c * d[5] - (y[5] / r - h56);
    f[6] = 5 * c * (d[7] - d[6]) - ((y[6] - u_b) / r + alpha * h56);
    f[7] = 5 * c * (d[6] - d[7]) - y[7] / r;
  };
  // On the full pattern, column by column.
  const auto jacobian = [](double, Input y, Input, Output dx, Output dxdot) {
    constexpr double alpha = 0.99, r0 = 1000, r = 9000, c = 1e-6;
    const auto dh = [](double v) { return 1e-6 / 0.026 * std::exp(v / 0.026); };
    const double d23 = dh(y[1] - y[2]), d56 = dh(y[4] - y[5]);
    const auto at = [](int row, int column) { return static_cast<std::size_t>(8 * column + row); };
    dx[at(0, 0)] = -1 / r0;
    dx[at(1, 1)] = -2 / r - (1 - alpha) * d23;
    dx[at(1, 2)] = (1 - alpha) * d23;
    dx[at(2, 1)] = d23;
    dx[at(2, 2)] = -1 / r - d23;
    dx[at(3, 1)] = -alpha * d23;
    dx[at(3, 2)] = alpha * d23;
    dx[at(3, 3)] = -1 / r;
    dx[at(4, 4)] = -2 / r - (1 - alpha) * d56;
    dx[at(4, 5)] = (1 - alpha) * d56;
    dx[at(5, 4)] = d56;
    dx[at(5, 5)] = -1 / r - d56;
    dx[at(6, 4)] = -alpha * d56;
    dx[at(6, 5)] = alpha * d56;
    dx[at(6, 6)] = -1 / r;
    dx[at(7, 7)] = -1 / r;
    for (const auto& [first, factor] : {std::pair{0, 1.0}, std::pair{3, 3.0}, std::pair{6, 5.0}}) {
      dxdot[at(first, first)] = dxdot[at(first + 1, first + 1)] = -factor * c;
      dxdot[at(first, first + 1)] = dxdot[at(first + 1, first)] = factor * c;
    }
    dxdot[at(2, 2)] = -2 * c;
    dxdot[at(5, 5)] = -4 * c;
  };
  auto system = make_system({.unknowns = unknowns, .residual = residual, .jacobian = jacobian});
  // Only differences of the derivatives are determined; this is one choice.
  const std::vector<double> ydot0 = {0, 0, -3 / (9000 * 2e-6), 0, 0, -3 / (9000 * 4e-6), 0, 0};
  return {system,
          0.0,
          0.2,
          y0,
          ydot0,
          {-0.0055621450122622744, 3.0065224719030427, 2.8499587886081285, 2.9264225362062415,
           2.7046178650105546, 2.7618377783931441, 4.7709276316167722, 1.2369958680915475}};
}

/// An engine on a problem, started.
class IdaRun {
 public:
  IdaRun(InitialValueProblem problem, EngineOptions options)
      : problem_(std::move(problem)),
        workspace_(problem_.system->workspace()),
        engine_(make_engine(EngineKind::ida, *problem_.system, *workspace_, options)) {
    EXPECT_TRUE(engine_->start({problem_.t0, problem_.x0, problem_.xdot0}, problem_.t_end));
  }

  Engine& engine() { return *engine_; }
  Engine* operator->() { return engine_.get(); }
  Workspace& workspace() { return *workspace_; }
  const InitialValueProblem& problem() const { return problem_; }

  /// To the end; false after a failure, which is kept.
  bool finish() { return to(problem_.t_end); }
  bool to(double t_end) {
    while (engine_->t() != t_end) {
      if (auto done = engine_->step(t_end); !done) {
        failure_ = done.failure();
        return false;
      }
    }
    return true;
  }
  const Failure& failure() const { return failure_; }

  /// To the end; the largest error of all points reached. Needs the exact solution.
  double largest_error() {
    double largest = 0.0;
    while (engine_->t() != problem_.t_end) {
      const auto done = engine_->step(problem_.t_end);
      EXPECT_TRUE(done);
      if (!done) break;
      const std::vector<double> exact = problem_.exact(engine_->t());
      for (std::size_t i = 0; i < exact.size(); ++i) {
        largest = std::max(largest, std::abs(engine_->x()[i] - exact[i]));
      }
    }
    return largest;
  }

  double error() const {
    double largest = 0.0;
    for (std::size_t i = 0; i < problem_.x_end.size(); ++i) {
      largest = std::max(largest, std::abs(engine_->x()[i] - problem_.x_end[i]));
    }
    return largest;
  }

 private:
  InitialValueProblem problem_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Engine> engine_;
  Failure failure_;
};

inline EngineOptions tolerance(double rtol, double atol) {
  EngineOptions options;
  options.rtol = rtol;
  options.atol = {atol};
  return options;
}

}  // namespace saltus::test::ida
