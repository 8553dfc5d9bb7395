#include "house/models.hpp"

#include <cmath>

namespace saltus::house {

namespace {

/// The input of the model that is written: set from outside, or a table.
const std::vector<double>*table_times = nullptr, *table_values = nullptr;

Expr input(Model& m, double start) {
  if (table_times == nullptr) return m.outside_input("u", start);
  return m.input("u", table(*table_times, *table_values, Interpolation::step));
}

void write_ball(Model& m) {
  const Expr h = m.state("h", 1.0), v = m.state("v", 0.0), u = input(m, 1.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81 * u);
  m.when("bounce", h < 0.0, {reinit(v, -0.9 * pre(v))});
}
void write_thermostat(Model& m) {
  const Expr x = m.state("x", 0.0), u = input(m, 1.0);
  const Expr on = m.discrete("on", 1.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == -x + 2.0 * on * u);
  m.when("hot", x > 1.0, {{on, 0.0}, {n, pre(n) + 1.0}});
  m.when("cold", x < 0.5, {{on, 1.0}, {n, pre(n) + 1.0}});
}
void write_belt(Model& m) {
  const Expr x = m.state("x", 0.0), v = m.state("v", 0.0), u = input(m, 1.0);
  m.equation(der(x) == v);
  m.equation(der(v) == -x - 0.1 * v + where(v < 0.5 * u, 1.0, -1.0));
}
void write_relays(Model& m) {
  const Expr a = m.state("a", 1.0), b = m.state("b", 2.0), u = input(m, 1.0);
  m.equation(der(a) == where(a > 0.0, -1.0, 1.0) + 0.3 * u * sin(m.time()));
  m.equation(der(b) == where(b > 0.0, -1.0, 1.0) + 0.3 * u * cos(m.time()));
}
void write_friction(Model& m) {
  const Expr x = m.state("x", 1.0), v = m.state("v", 0.0), u = input(m, 1.0);
  const Expr f = m.friction("f", v, Expr(1.0), {.mu_kinetic = 0.2, .mu_static = Expr(0.3)});
  m.equation(der(x) == v);
  m.equation(der(v) == -x + f + 0.2 * u * sin(2.0 * m.time()));
}
void write_pendulum(Model& m) {
  const Expr x = m.state("x", 0.6), y = m.state("y", -0.8), u = input(m, 1.0);
  const Expr vx = m.state("vx", 0.0), vy = m.state("vy", 0.0);
  const Expr f = m.algebraic("f", {.guess = 8.0}), n = m.discrete("n", 0.0);
  m.equation(der(x) == vx);
  m.equation(der(y) == vy);
  m.equation(der(vx) == -f * x - where(x > 0.0, 0.3, 0.0) * vx);
  m.equation(der(vy) == -f * y - 9.81 * u);
  m.equation("rod", x * x + y * y == 1.0);
  m.when("left", x < -0.4, {{n, pre(n) + 1.0}});
}
void write_contact(Model& m) {
  const Expr h = m.state("h", 0.5), v = m.state("v", 0.0), u = input(m, 1.0);
  const Expr force = m.unilateral("floor", h, {.restitution = 0.5});
  m.equation(der(h) == v);
  m.equation(der(v) == force - 9.81 * u);
}
void write_modes(Model& m) {
  const Expr x = m.state("x", 0.0), u = input(m, 1.0);
  const ModeId up = m.mode("up"), down = m.mode("down");
  m.equation(up, der(x) == u);
  m.equation(down, der(x) == -0.5 * u);
  m.transition("top", up, down, x > 1.0);
  m.transition("bottom", down, up, x < 0.3);
}
void write_switched_index(Model& m) {
  const Expr v1 = m.state("v1", 2.0), v2 = m.state("v2", 0.5), i = m.algebraic("i");
  const Expr u = input(m, 1.0);
  const ModeId open = m.mode("open"), closed = m.mode("closed");
  m.equation(der(v1) == -i - 0.1 * v1 + u);
  m.equation(3.0 * der(v2) == i - 0.5 * v2);
  m.equation(open, i == 0.0);
  m.equation(closed, v1 == v2);
  m.transition("close", open, closed, v1 > 3.0);
  m.transition("open", closed, open, v1 < 1.5);
}
void write_rectifier(Model& m) {
  const Expr vc = m.state("vc", 0.0), i = m.algebraic("i"), vd = m.algebraic("vd");
  const Expr u = input(m, 1.0);
  m.diode("D", vd, i);
  m.equation(der(vc) == i - 0.5 * vc);
  m.equation(u * sin(6.0 * m.time()) == 0.1 * i + vd + vc);
}

}  // namespace

std::vector<NamedRun> all_runs() {
  using enum EngineKind;
  return {{"ball", write_ball, dopri5, 3.0},
          {"ball", write_ball, dop853, 3.0},
          {"thermostat", write_thermostat, dop853, 8.0},
          {"thermostat", write_thermostat, radau, 8.0},
          {"belt", write_belt, dopri5, 10.0},
          {"belt", write_belt, ida, 10.0},
          {"two relays", write_relays, dop853, 6.0},
          {"two relays", write_relays, radau, 6.0},
          {"friction", write_friction, radau, 8.0},
          {"friction", write_friction, ida, 8.0},
          {"pendulum", write_pendulum, dop853, 5.0},
          {"pendulum", write_pendulum, radau, 5.0},
          {"pendulum", write_pendulum, ida, 5.0},
          {"contact", write_contact, ida, 3.0},
          {"contact", write_contact, radau, 3.0},
          {"modes", write_modes, dop853, 8.0},
          {"modes", write_modes, dopri5, 8.0},
          {"other index", write_switched_index, radau, 10.0},
          {"other index", write_switched_index, ida, 10.0},
          {"rectifier", write_rectifier, radau, 6.0}};
}

std::string text_of(const NamedRun& run) {
  return run.model + " on " + std::string(name(run.engine));
}

RunOptions options_of(const NamedRun& run) {
  RunOptions options;
  options.engine = run.engine;
  options.t_end = run.t_end;
  options.rtol = options.atol = 1e-7;
  return options;
}

void write_with_table(const NamedRun& run, Model& m, const std::vector<double>& times,
                      const std::vector<double>& values) {
  table_times = &times;
  table_values = &values;
  run.write(m);
  table_times = table_values = nullptr;
}

}  // namespace saltus::house
