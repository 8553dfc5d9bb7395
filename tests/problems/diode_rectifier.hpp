// A half-wave rectifier: a sine, a resistor and a diode in series charge a capacitor with its load.
// The current through the diode changes by ten decades within each of the three periods.
#pragma once

#include <numbers>

#include "problems/smooth_problem.hpp"

namespace saltus::problems {

inline void write_diode_rectifier(Model& m) {
  Expr v = m.state("v", 0.0, {.unit = "V", .description = "capacitor"});
  Expr u = m.algebraic("u", {.guess = 0.0, .unit = "V", .description = "across the diode"});
  Expr r = m.parameter("R", 100.0), load = m.parameter("load", 1e4);
  Expr c = m.parameter("C", 10e-6);
  Expr i_s = m.parameter("I_s", 1e-9), v_t = m.parameter("V_T", 0.05);
  Expr source = 5.0 * sin(100.0 * std::numbers::pi * m.time());
  Expr i = i_s * (exp(u / v_t) - 1.0);
  m.equation("capacitor", c * der(v) == i - v / load);
  m.equation("loop", source == r * i + u + v);
  m.output("i", i, "A");
}

inline SmoothProblem diode_rectifier() {
  // It ends while the diode conducts for the fourth time. Between its pulses of about 3 ms almost
  // nothing happens to v: an error estimate that looks at differential unknowns only steps over them.
  return {"diode rectifier",
          &write_diode_rectifier,
          {{0.064, {{"v", 3.627888968402902090}, {"u", 0.7563350298886877109}}}},
          "diode_rectifier.json"};
}

}  // namespace saltus::problems
