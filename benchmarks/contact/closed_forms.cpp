// Items 1 to 3: problems with known solutions, a row of balls, piles that come to rest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/contact.hpp"
#include "problems/brick_pile.hpp"
#include "problems/diode_circuits.hpp"
#include "problems/row_of_balls.hpp"
#include "problems/touching_bodies.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

constexpr double ladder[] = {1e-4, 1e-6, 1e-8, 1e-10};

RunOptions on_radau(double t_end, double tolerance) {
  RunOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = tolerance;
  options.engine = EngineKind::radau;
  return options;
}

double error_of_circuit(const problems::ModeProblem& p, double tolerance) {
  const Solution s = simulate(problems::write_model(p), on_radau(p.t_end, tolerance));
  if (!s.ok()) return std::numeric_limits<double>::infinity();
  const problems::ModeComparison c = problems::compare_modes(s.event_log, p);
  if (!c.complete) return std::numeric_limits<double>::infinity();
  double worst = c.largest_time_error;
  for (const auto& [name, value] : p.final_values)
    worst = std::max(worst, std::abs(s.final(name) - value));
  return worst;
}

/// Blocks of height 1 and masses 1, 1.3, …, 0.3 apart above each other, dropped.
std::vector<std::string> write_stack(Model& m) {
  std::vector<Expr> y, v, force;
  std::vector<std::string> velocities;
  Expr energy = 0.0;
  for (std::size_t i = 0; i < 10; ++i) {
    const std::string block = std::to_string(i + 1);
    y.push_back(m.state("y" + block, 1.3 * static_cast<double>(i + 1)));
    v.push_back(m.state("v" + block, 0.0));
    velocities.push_back("v" + block);
    const Expr gap = y[i] - (i > 0 ? y[i - 1] : Expr(0.0)) - 1.0;
    m.output("gap" + block, gap);
    force.push_back(m.unilateral("under " + block, gap));
  }
  for (std::size_t i = 0; i < 10; ++i) {
    const double mass = 1.0 + 0.3 * static_cast<double>(i);
    m.equation(der(y[i]) == v[i]);
    m.equation(mass * der(v[i]) == -9.81 * mass + force[i] - (i < 9 ? force[i + 1] : Expr(0.0)));
    energy += mass * (0.5 * v[i] * v[i] + 9.81 * y[i]);
  }
  m.output("energy", energy);
  return velocities;
}

struct Rest {
  bool ok = false, same = false;
  double velocity = 0.0, penetration = 0.0,
         energy_gain = 0.0;  // the last two in tolerances; all rises together
};

Rest come_to_rest(Model& m, const std::vector<std::string>& velocities,
                  const std::vector<std::string>& gaps, double t_end, double tolerance) {
  const Solution s = simulate(m, on_radau(t_end, tolerance));
  const Solution again = simulate(m, on_radau(t_end, tolerance));
  Rest rest;
  rest.ok = s.ok() && again.ok();
  if (!rest.ok) {
    std::printf("   %s\n", s.report.message.c_str());
    return rest;
  }
  rest.same = true;
  for (const std::string& v : velocities) {
    rest.velocity = std::max(rest.velocity, std::abs(s.final(v)));
    rest.same = rest.same && s.final(v) == again.final(v);
  }
  double energy = s.at("energy", 0.0);
  for (int i = 0; i <= 1000; ++i) {
    const double t = t_end * i / 1000, now = s.at("energy", t);
    rest.energy_gain += std::max(0.0, (now - energy) / std::abs(energy) / tolerance);
    energy = now;
    rest.same = rest.same && now == again.at("energy", t);
    for (const std::string& gap : gaps)
      rest.penetration = std::max(rest.penetration, -s.at(gap, t) / tolerance);
  }
  return rest;
}

}  // namespace

bool show_closed_forms(int number) {
  Item item(number);
  double bodies = 0.0, circuits = 0.0;
  for (const double tolerance : ladder) {
    for (const problems::TouchingBodies& p : problems::touching_bodies()) {
      Model m(p.name);
      p.write(m);
      const double error =
          problems::error_of(p, simulate(m, on_radau(p.t_end, tolerance))) / tolerance;
      std::printf("   %-32s %.0e: %.3g tolerances\n", p.name.c_str(), tolerance, error);
      bodies = std::max(bodies, error);
    }
    for (const problems::ModeProblem& p : problems::diode_circuits()) {
      const double error = error_of_circuit(p, tolerance) / tolerance;
      std::printf("   %-32s %.0e: %.3g tolerances\n", p.name.c_str(), tolerance, error);
      circuits = std::max(circuits, error);
    }
  }
  item.at_most("radau, 1e-4 to 1e-10, slope, moving plane, ball into rest and off again", bodies,
               300.0, " tolerances");
  item.at_most("rectifiers and boost converters written with diodes", circuits, 300.0,
               " tolerances");
  item.leaves_out("dopri5 and dop853, on which contacts and diodes are refused");
  return item.print();
}

bool show_cradle(int number) {
  Item item(number);
  Model m("cradle"), touching("touching balls");
  problems::write_row_of_balls(m, 1e-6);
  problems::write_row_of_balls(touching, 0.0);
  const Solution s = simulate(m, on_radau(1.0, 1e-8));
  bool in_order = s.ok();
  double before = 0.0, momentum = 0.0, energy = 0.0;
  for (int i = 1; i < 5 && in_order; ++i) {
    const auto times = s.event_times(problems::pair_of_balls(i) + " touches");
    in_order = times.size() == 1 && times[0] > before;
    if (in_order) before = times[0];
  }
  for (int i = 1; i <= 5 && s.ok(); ++i) {
    const double v = s.final("v" + std::to_string(i));
    momentum += v;
    energy += v * v;
  }
  item.holds("gaps of 1e-6: four binary impacts in order", in_order);
  item.at_most("change of momentum", std::abs(momentum - 1.0), 1e-9);
  item.at_most("of energy", std::abs(energy - 1.0), 1e-9);
  const Solution t = simulate(touching, on_radau(1.0, 1e-8));
  item.holds(
      "touching balls are named",
      !t.ok() && t.report.message.find("'balls 1 and 2', 'balls 2 and 3'") != std::string::npos);
  return item.print();
}

bool show_piles(int number) {
  Item item(number);
  constexpr double tolerance = 1e-6;
  const auto judge = [&](const std::string& who, const Rest& rest) {
    item.holds(who + " comes to rest, twice the same to the last bit", rest.ok && rest.same);
    item.at_most("velocities at the end", rest.velocity, 1e-6);
    item.at_most("penetration", rest.penetration, 1.0, " tolerances");
    item.at_most("all rises of energy", rest.energy_gain, 1.0, " tolerances");
  };
  Model stack("stack");
  const std::vector<std::string> velocities = write_stack(stack);
  std::vector<std::string> gaps;
  for (int i = 1; i <= 10; ++i) gaps.push_back("gap" + std::to_string(i));
  judge("a stack of ten blocks", come_to_rest(stack, velocities, gaps, 5.0, tolerance));
  Model pile("pile");
  const problems::PileWriter bricks(pile, {});
  judge("a pyramid of ten bricks on 20 feet",
        come_to_rest(pile, bricks.velocities, bricks.gaps, 3.0, tolerance));
  return item.print();
}

}  // namespace saltus::bench
