// Code of your own that switches: as a template over its numbers, as functions with their own signs, and
// with actions at events.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>

#include <saltus/saltus.hpp>

using namespace saltus;

// [template]
// A capacitor that is charged through a diode and discharged by a load that draws at most 2 A.
struct Charger {
  double C = 0.01, R = 0.5, load = 4.0;

  template <class T>
  void operator()(const T& t, std::span<const T> x, std::span<T> xdot) const {
    using std::min, std::sin;
    const T drop = 10.0 * sin(2.0 * std::numbers::pi * t) - x[0];
    T current = 0;
    if (drop > 0) current = drop / R;
    xdot[0] = (current - min(x[0] / load, 2.0)) / C;
  }
};
// [template]

void show_events(const Solution& solution) {
  for (const Event& event : solution.events()) {
    std::printf("  t = %.6f: %s\n", event.t, event.name.c_str());
  }
}

void run_template() {
  // [run]
  const auto system = make_template_system({.unknowns = {{"u", 0.0}}}, Charger{});
  const Solution solution = simulate(system, {.t_end = 0.5, .engine = EngineKind::dopri5});
  std::printf("charger: u = %.4f V\n", solution.final("u"));
  show_events(solution);
  // [run]
}

void run_ball() {
  // [ball]
  // Only values of the switching function are known: heights above a floor.
  SystemFunctions ball{
      .unknowns = {{"height", 1.0}, {"speed", 0.0}},
      .derivative =
          [](double, auto x, auto xdot) {
            xdot[0] = x[1];
            xdot[1] = -9.81;
          },
      .switches = {{.name = "above floor", .changes_equations = false}},
      .switching = [](double, auto x, auto g) { g[0] = x[0]; },
      .actions = {{.name = "bounce",
                   .trigger = "above floor",
                   .when = FunctionAction::When::falling,
                   .set = [](double, auto x, auto after) { after[1] = -0.7 * x[1]; },
                   .targets = {"speed"}}}};
  const Solution solution =
      simulate(make_system(ball), {.t_end = 1.0, .engine = EngineKind::dopri5});
  std::printf("ball: height %.4f m\n", solution.final("height"));
  show_events(solution);
  // [ball]
}

void run_own_signs() {
  // [signs]
  // The right-hand side decides by itself on which side of y = 1 it is, and has no root beyond.
  const SystemFunctions tank{
      .unknowns = {{"y", 2.0}},
      .derivative = [](double, auto y,
                       auto ydot) { ydot[0] = y[0] > 1.0 ? -std::sqrt(y[0] - 1.0) - 0.1 : 0.2; },
      .switches = {{"above outlet"}},
      .switching = [](double, auto y, auto g) { g[0] = y[0] - 1.0; }};
  const Solution solution =
      simulate(make_system(tank), {.t_end = 1.0, .engine = EngineKind::dopri5});
  std::printf("tank: y = %.4f\n", solution.final("y"));
  // [signs]
}

int main() {
  run_template();
  run_ball();
  run_own_signs();
  // [check]
  // Does it keep what everything else relies on, also at its switches?
  const auto system = make_template_system({.unknowns = {{"u", 0.0}}}, Charger{});
  std::printf("findings: %zu\n", check_system(*system).size());
  // [check]
  return 0;
}
