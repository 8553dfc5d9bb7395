// The parts of a run around a system of a few lines, without a model.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/core/observer.hpp>
#include <saltus/system/configuration.hpp>
#include <saltus/system/function_system.hpp>

#include "hybrid/run/first_start.hpp"
#include "hybrid/run/instant_loop.hpp"
#include "hybrid/run/parts.hpp"
#include "hybrid/run/step_loop.hpp"

namespace saltus::hybrid_test {

/// x' = 1 from 0, and whatever relations and actions are added.
inline SystemFunctions rising() {
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}};
  f.derivative = [](double, auto, auto xdot) { xdot[0] = 1.0; };
  return f;
}

/// Its switching functions, one number each, at a time and a value of the first unknown.
inline void add_relation(SystemFunctions& f, const std::string& name, double (*g)(double, double),
                         bool changes_equations = false) {
  f.switches.push_back({name, changes_equations});
  auto before = f.switching;
  const std::size_t k = f.switches.size() - 1;
  f.switching = [before, g, k](double t, std::span<const double> x, std::span<double> out) {
    if (before) before(t, x, out.first(k));
    out[k] = g(t, x[0]);
  };
}

/// Where x passes 1/2 it is set to another value; `terminal`: or the run ends there.
inline SystemFunctions resets_at_half(double to, bool terminal = false) {
  SystemFunctions f = rising();
  add_relation(f, "half", [](double, double x) { return x - 0.5; });
  f.actions.push_back({.name = "reset", .trigger = "half"});
  f.actions.back().terminal = terminal;
  if (!terminal) f.actions.back().set = [to](double, auto, auto after) { after[0] = to; };
  return f;
}

struct Scene {
  explicit Scene(SystemFunctions functions, RunOptions options = in_one_second())
      : ground(std::make_shared<SingleConfiguration>(make_system(std::move(functions))), options,
               null_observer(), nullptr),
        step(ground),
        at(ground, step),
        instants(ground, at),
        end(ground, step),
        steps(ground, step, at, instants, end) {
    detail::check_and_report(ground, "scene");
    here().begin_at(options.t_begin);
    here().enter(ground.modes.at(ground.source->initial().mode));
    const auto begun = detail::begin_first_mode(ground.frame, ground.modes, std::nullopt);
    EXPECT_TRUE(begun.has_value()) << begun.failure().message;
    const auto moves = step.motion.start_stay(options.t_begin, {});
    EXPECT_TRUE(moves.has_value()) << moves.failure().message;
  }
  static RunOptions in_one_second() {
    RunOptions options;
    options.engine = EngineKind::dopri5;
    options.max_step = 0.125;
    return options;
  }

  detail::Stay& here() { return ground.here; }
  detail::SwitchBoard& board() { return here()->kit->board; }
  const RunReport& report() { return end.report(); }
  /// One step, as the engine makes it, and nothing of what it leads to.
  void step_only() {
    here().begin_step();
    ground.recording.forget_step();
    if (here()->kit) here()->kit->locator.set_left(here().t(), here().x(), here().xdot());
    const auto made = step.motion.step();
    ASSERT_TRUE(made.has_value()) << made.failure().message;
  }
  /// Steps, and what they lead to, until the run ends.
  void run() {
    while (!steps.is_over()) {
      if (!steps.is_open() && steps.make() != detail::Made::step) continue;
      (void)steps.finish(std::nullopt);
    }
  }

  detail::Ground ground;
  detail::StepParts step;
  detail::InstantParts at;
  detail::InstantLoop instants;
  detail::EndOfRun end;
  detail::StepLoop steps;
};

}  // namespace saltus::hybrid_test
