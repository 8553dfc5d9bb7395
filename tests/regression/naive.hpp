// What an integrator with a plain loop for events does: signs of g at the ends of steps, a bisection along
// the step, an effect where it ended, and on from there. The controls of the tests in this folder.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <saltus/integrate.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus::test {

struct NaiveLoop {
  std::vector<double> x;  // start
  std::function<void(double t, std::span<const double> x, std::span<double> xdot)> f;
  std::function<double(double t, std::span<const double> x)> g;
  std::function<void(double t, std::span<double> x)> effect = {};
  double t_end = 1.0;
  double fixed_step = 0.0;
  double tolerance = 1e-6;
  int max_events = 1000;
};

struct NaiveResult {
  std::vector<double> times;  // at which the effect took place
  std::vector<double> x;
  double t = 0.0;
  bool stuck = false;  // stopped by max_events
};

inline NaiveResult run_naively(const NaiveLoop& loop) {
  SystemFunctions functions;
  for (std::size_t i = 0; i < loop.x.size(); ++i)
    functions.unknowns.push_back({"x" + std::to_string(i), loop.x[i]});
  functions.derivative = loop.f;
  const auto system = make_system(functions);
  const auto workspace = system->workspace();
  EngineOptions options;
  options.rtol = loop.tolerance;
  options.atol = {loop.tolerance};
  options.fixed_step = loop.fixed_step;
  const auto engine = make_engine(EngineKind::dopri5, *system, *workspace, options);
  NaiveResult result{{}, loop.x, 0.0, false};
  std::vector<double> xdot(loop.x.size());
  const auto start = [&] {
    loop.f(result.t, result.x, xdot);
    return static_cast<bool>(engine->start({result.t, result.x, xdot}, loop.t_end));
  };
  if (!start()) return result;
  while (result.t < loop.t_end) {
    const double before = loop.g(result.t, result.x);
    if (!engine->step(loop.t_end)) return result;
    if (before * loop.g(engine->t(), engine->x()) < 0) {
      const StepPolynomial step = engine->last_step();
      double a = step.t_left, b = step.t_right;
      std::vector<double> at(loop.x.size());
      while (b - a > 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, b)) {
        const double middle = a + (b - a) / 2;
        step.state_at(middle, at);
        (before * loop.g(middle, at) < 0 ? b : a) = middle;
      }
      result.times.push_back(a);
      if (loop.effect) {
        // The state at the last point that was not yet beyond.
        step.state_at(a, at);
        result.t = a;
        result.x = at;
        loop.effect(a, result.x);
        result.stuck = static_cast<int>(result.times.size()) >= loop.max_events;
        if (result.stuck || !start()) return result;
        continue;
      }
    }
    result.t = engine->t();
    result.x.assign(engine->x().begin(), engine->x().end());
  }
  return result;
}

}  // namespace saltus::test
