// Systems on surfaces with known motion, shared by the tests of all forms.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/integrate/engine.hpp>
#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/slide/sliding_system.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/function_system.hpp>
#include <saltus/system/switching.hpp>

namespace saltus::sliding_test {

inline constexpr double eps = std::numeric_limits<double>::epsilon();

inline std::shared_ptr<const System> compiled(const Model& m) {
  return *compile_model(m.build())->system({});
}

/// A base, where it slides, and the sliding system made of it.
struct Slider {
  Slider(std::shared_ptr<const System> system, std::vector<double> x, SlidingOptions options = {},
         std::vector<Surface> on = {{{0}, {1}}}, double t = 0.0)
      : base(std::move(system)), base_workspace(base->workspace()) {
    std::vector<double> xdot(x.size(), 0.0);
    if (auto* of_base = base_workspace->ability<ExplicitForm>()) {
      EXPECT_TRUE(static_cast<bool>(of_base->derivative(t, x, xdot)));
    }
    auto made = sliding_system(base, *base_workspace, std::move(on), {t, x, xdot}, options);
    if (!made) {
      ADD_FAILURE() << made.failure().message;
      return;
    }
    sliding = *made;
    workspace = sliding->workspace();
    functions = workspace->ability<SwitchingFunctions>();
    locks = workspace->ability<Locks>();
    form = workspace->ability<ExplicitForm>();
    as_sliding = workspace->ability<Sliding>();
  }

  /// x' and the multipliers of the eliminated form.
  std::vector<double> motion(double t, std::vector<double> x) {
    x.resize(sliding->size(), 0.0);
    std::vector<double> xdot(sliding->size());
    EXPECT_TRUE(static_cast<bool>(form->derivative(t, x, xdot)));
    return xdot;
  }

  std::shared_ptr<const System> base;
  std::unique_ptr<Workspace> base_workspace;
  std::shared_ptr<const System> sliding;
  std::unique_ptr<Workspace> workspace;
  SwitchingFunctions* functions = nullptr;
  Locks* locks = nullptr;
  ExplicitForm* form = nullptr;
  Sliding* as_sliding = nullptr;
};

/// Steps from the start values to t_end; `look` after every step.
inline std::vector<double> integrate(
    const System& system, Workspace& workspace, EngineKind kind, const EngineOptions& options,
    double t_start, double t_end, const std::function<void(Engine&)>& look = [](Engine&) {}) {
  const StartValues start = system.start_values();
  const auto engine = make_engine(kind, system, workspace, options);
  const auto begun = engine->start({t_start, start.x, start.xdot}, t_end);
  EXPECT_TRUE(begun) << begun.failure().message;
  while (begun && engine->t() != t_end) {
    const auto done = engine->step(t_end);
    if (!done) {
      ADD_FAILURE() << done.failure().message;
      break;
    }
    look(*engine);
  }
  return {engine->x().begin(), engine->x().end()};
}

/// Two bodies with dry friction between them, pushed by sin t: p1, p2, v1, v2; slides where v1 = v2.
inline std::shared_ptr<const System> two_bodies(double mu = 0.4) {
  Model m("two bodies");
  Expr p1 = m.state("p1", 1.0), p2 = m.state("p2", 1.0);
  Expr v1 = m.state("v1", 0.0), v2 = m.state("v2", 0.0);
  const Expr friction = where(v1 > v2, Expr(mu), Expr(-mu));
  m.equation(der(p1) == v1);
  m.equation(der(p2) == v2);
  m.equation(der(v1) == sin(m.time()) - friction);
  m.equation(der(v2) == friction);
  return compiled(m);
}

/// y1, y2, y3 of a relay feedback; on y1 = 0: u = y2, y2' = y3 + 2 y2, y3' = -y2.
inline std::shared_ptr<const System> relay(bool turned_round = false) {
  constexpr double w = 25.0, zeta = 0.05;
  Model m("relay");
  Expr y1 = m.state("y1", 0.0), y2 = m.state("y2", 0.2), y3 = m.state("y3", 0.06);
  const Expr u =
      turned_round ? where(-y1 > 0, Expr(-1.0), Expr(1.0)) : where(y1 > 0, Expr(1.0), Expr(-1.0));
  m.equation(der(y1) == -(2 * zeta * w + 1) * y1 + y2 - u);
  m.equation(der(y2) == -(2 * zeta * w + w * w) * y1 + y3 + 2 * u);
  m.equation(der(y3) == -w * w * y1 - u);
  return compiled(m);
}

/// Slides on the circle x^2 + y^2 = 1 with angular velocity 1 + z/2; z' = -z.
inline std::shared_ptr<const System> on_circle() {
  Model m("on circle");
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), z = m.state("z", 1.0);
  const Expr pull = where(x * x + y * y > 1, Expr(-2.0), Expr(1.0));
  const Expr turn = 1 + z / 2;
  m.equation(der(x) == pull * x - turn * y);
  m.equation(der(y) == pull * y + turn * x);
  m.equation(der(z) == -z);
  return compiled(m);
}

inline double angle_on_circle(double t) { return t + (1 - std::exp(-t)) / 2; }

/// y1' = y2 - sin(2 y1), y2' = 2 cos(2 y1) y1' - y1 -+ 1/(1 + |g|^(3/2)), g = y2 - 0.2 - sin(2 y1).
/// Sliding: y1' = 0.2, control y1.
inline void problem_1(std::span<const double> y, bool positive, bool strict, std::span<double> f) {
  const double z = y[1] - std::sin(2 * y[0]), g = z - 0.2;
  if (strict && (positive ? g < 0 : g > 0)) throw std::domain_error("the wrong side");
  f[0] = z;
  f[1] = 2 * std::cos(2 * y[0]) * z - y[0] +
         (positive ? -1.0 : 1.0) / (1 + std::pow(std::abs(g), 1.5));
}

inline SystemFunctions problem_1_functions() {
  SystemFunctions functions;
  functions.unknowns = {{"y1", -0.9}, {"y2", 0.2 + std::sin(-1.8)}};
  functions.switches = {{"g"}};
  functions.switching = [](double, auto y, auto g) { g[0] = y[1] - 0.2 - std::sin(2 * y[0]); };
  return functions;
}

/// Either side of the surface decides by itself: every vertex is evaluated a little on its side.
inline std::shared_ptr<const System> problem_1_of_f_and_g() {
  SystemFunctions functions = problem_1_functions();
  functions.derivative = [](double, auto y, auto f) {
    problem_1(y, y[1] - 0.2 - std::sin(2 * y[0]) > 0, true, f);
  };
  return make_system(std::move(functions));
}

/// It is told the side, and refuses points of the other one if it is strict.
inline std::shared_ptr<const System> problem_1_strict(bool strict = true) {
  SystemFunctions functions = problem_1_functions();
  functions.locked_derivative = [strict](double, auto y, auto locks, auto f) {
    problem_1(y, locks[0] != 0, strict, f);
  };
  return make_system(std::move(functions));
}

/// Two relays on two coordinates, and one that carries both: u1 = x3/2, u2 = -x3/3.
inline std::shared_ptr<const System> two_relays() {
  Model m("two relays");
  Expr x1 = m.state("x1", 0.0), x2 = m.state("x2", 0.0), x3 = m.state("x3", 0.3);
  const Expr u1 = where(x1 > 0, Expr(1.0), Expr(-1.0)), u2 = where(x2 < 0, Expr(-1.0), Expr(1.0));
  m.equation(der(x1) == x3 - 2 * u1);
  m.equation(der(x2) == -x3 - 3 * u2);
  m.equation(der(x3) == u1 + u2 + 1);
  return compiled(m);
}

/// The surface x = sin t moves: x' = cos t whatever the relay gives.
inline std::shared_ptr<const System> follower() {
  Model m("follower");
  Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
  const Expr u = where(x > sin(m.time()), Expr(1.0), Expr(-1.0));
  m.equation(der(x) == -3 * u + y);
  m.equation(der(y) == u - y);
  return compiled(m);
}

}  // namespace saltus::sliding_test
