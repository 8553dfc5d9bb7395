// Two charged capacitors, each with its own leak, and a switch that connects them: the closed mode has
// index 2, and where it is entered a pulse of current makes the voltages equal. Charge stays, energy does
// not.
#pragma once

#include <cmath>

#include "problems/mode_problem.hpp"

namespace saltus::problems {

struct TwoCapacitors {
  static constexpr double c1 = 1.0, c2 = 3.0, g1 = 0.5, g2 = 0.2;  // F, S
  static constexpr double v1 = 10.0, v2 = 2.0;
  static constexpr double closes = 1.0, opens = 2.0, closes_again = 3.5, t_end = 5.0;
};

inline void write_two_capacitors(ModeWriter& w) {
  using P = TwoCapacitors;
  Model& m = w.m;
  Expr v1 = w.state("v1", P::v1, {.unit = "V"}), v2 = w.state("v2", P::v2, {.unit = "V"});
  Expr i = w.algebraic("i", {.unit = "A", .description = "from the first to the second"});
  m.equation("first", P::c1 * der(v1) == -P::g1 * v1 - i);
  m.equation("second", P::c2 * der(v2) == -P::g2 * v2 + i);
  m.output("charge", P::c1 * v1 + P::c2 * v2, "C");
  m.output("energy", 0.5 * (P::c1 * v1 * v1 + P::c2 * v2 * v2), "J");
  const ModeId open = m.mode("open"), closed = m.mode("closed");
  m.equation(open, "switch", i == 0.0);
  m.equation(closed, "switch", v1 == v2);
  Expr t = m.time();
  const Cond is_closed = (t >= P::closes && t < P::opens) || t >= P::closes_again;
  w.transition("close", open, {closed}, is_closed, {.conserved = {"charge"}});
  w.transition("open", closed, {open}, !is_closed, {.conserved = {"charge"}});
}

inline ModeProblem two_capacitors() {
  using P = TwoCapacitors;
  using std::exp;
  ModeProblem p{.name = "two capacitors",
                .write = &write_two_capacitors,
                .t_end = P::t_end,
                .first_mode = "open"};
  const auto alone1 = [](long double s) { return exp(-s * P::g1 / P::c1); };
  const auto alone2 = [](long double s) { return exp(-s * P::g2 / P::c2); };
  const auto together = [](long double s) { return exp(-s * (P::g1 + P::g2) / (P::c1 + P::c2)); };
  const auto shared = [](long double a, long double b) {
    return (P::c1 * a + P::c2 * b) / (P::c1 + P::c2);
  };
  long double v1 = P::v1 * alone1(P::closes), v2 = P::v2 * alone2(P::closes);
  long double v = shared(v1, v2);
  const auto both = [](long double value) {
    return NamedState{{"v1", static_cast<double>(value)}, {"v2", static_cast<double>(value)}};
  };
  const auto pulse = [](long double before, long double after) {
    return NamedState{{"i", static_cast<double>(P::c1 * (before - after))}};
  };
  p.events.push_back({P::closes, "open", "closed", both(v), pulse(v1, v)});
  v *= together(P::opens - P::closes);
  p.events.push_back({P::opens, "closed", "open"});
  v1 = v * alone1(P::closes_again - P::opens);
  v2 = v * alone2(P::closes_again - P::opens);
  v = shared(v1, v2);
  p.events.push_back({P::closes_again, "open", "closed", both(v), pulse(v1, v)});
  v *= together(P::t_end - P::closes_again);
  p.final_values = {{"v1", static_cast<double>(v)}, {"v2", static_cast<double>(v)}};
  return p;
}

}  // namespace saltus::problems
