// Systems on surfaces with known motion, shared by the tests of all forms.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
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

}  // namespace saltus::sliding_test
