// Carver's circuit of two diodes, with the conditions exactly as they are printed in the manual of DSL48SE:
// one mode asks for x2 <= 0, the other for x1 < 0. A blocked current must therefore be left just below
// zero: with x1 = 0 the second diode would not stay blocked.
#pragma once

#include <numbers>

#include "problems/switched_problem.hpp"

namespace saltus::problems {

/// Numbers, or parameters of these names and values.
struct CarverConstants {
  Expr a1 = 12.0, a2 = 0.24, a3 = 12.0, a4 = 0.24, a5 = 13.64, a6 = -11.64, a7 = -50.0, a8 = 0.0,
       a9 = -11.64, a10 = 13.64, a11 = 0.0, a12 = -50.0, r3 = 10.0, l3 = 0.2;
};

inline void write_carver_circuit_with(ModelWriter& w, const CarverConstants& c) {
  Model& m = w.m;
  Expr x1 = m.state("x1", 0.0), x2 = m.state("x2", 0.0);
  Expr x3 = m.algebraic("x3"),
       v1 = m.algebraic("v1", {.guess = 100.0, .nominal = w.nominal(100.0)}),
       v2 = m.algebraic("v2", {.guess = -100.0, .nominal = w.nominal(100.0)}),
       v3 = m.algebraic("v3", {.guess = 250.0 / 3, .nominal = w.nominal(100.0)}),
       z3 = m.algebraic("z3", {.guess = 50.0 / 3, .nominal = w.nominal(100.0)}),
       z4 = m.algebraic("z4", {.guess = -550.0 / 3, .nominal = w.nominal(100.0)});
  m.equation("sum", x1 + x2 == x3);
  m.equation("load", c.r3 * (x1 + x2) + c.l3 * (der(x1) + der(x2)) == v3);
  m.equation("source", v1 == 100.0 * cos(100.0 * std::numbers::pi * m.time()));
  m.equation("symmetry", v1 + v2 == 0.0);
  m.equation("z3", z3 == v1 - v3);
  m.equation("z4", z4 == v2 - v3);

  const Cond first = (x1 > 0.0 || v1 > v3) && (x2 <= 0.0 && v2 < v3);
  const Cond second = (x2 > 0.0 || v2 > v3) && (x1 < 0.0 && v1 < v3);
  Expr both1 = c.a5 * v1 + c.a6 * v2 + c.a7 * x1 + c.a8 * x2;
  Expr both2 = c.a9 * v1 + c.a10 * v2 + c.a11 * x1 + c.a12 * x2;
  Expr only1 = (v1 - c.a1 * x1) / c.a2, only2 = (v2 - c.a3 * x2) / c.a4;
  m.equation("x1", der(x1) == w.choose("first alone", first, only1,
                                       w.choose("second alone", second, 0.0, both1)));
  m.equation("x2", der(x2) == w.choose("first alone", first, 0.0,
                                       w.choose("second alone", second, only2, both2)));
  if (w.is_frozen()) return;
  w.name("v2 on", v2 < v3);
  w.name("v1 on", v1 < v3);
  w.name("x1 off", x1 < 0.0);
  w.name("x2 off", x2 <= 0.0);
}

inline void write_carver_circuit(ModelWriter& w) { write_carver_circuit_with(w, {}); }

/// Both diodes conduct from the moment the source changes its sign until one current falls to zero.
inline SwitchedProblem carver_circuit() {
  SwitchedProblem p{.name = "Carver circuit", .write = &write_carver_circuit, .t_end = 0.05};
  constexpr double times[] = {
      0.005, 0.006662002216900565490321355580, 0.015, 0.01754483275047950318917588138,
      0.025, 0.02789706861595825492041199579,  0.035, 0.03806205303882120857663095104,
      0.045, 0.04814287349687114552671907034};
  constexpr const char* keys[] = {"v2 on", "x1 off", "v1 on", "x2 off"};
  for (std::size_t k = 0; k < std::size(times); ++k) {
    p.events.push_back({times[k], keys[k % 4], k % 2 == 0 ? +1 : -1});
  }
  p.final_values = {{"x1", 0.0},
                    {"x2", 3.820718828433918220361001359},
                    {"x3", 3.820718828433918220361001},
                    {"v3", 83.33333333333333333333333}};
  p.explicit_engines = false;
  p.file = "carver_circuit.json";
  p.choices = {{"first alone", {1}}, {"second alone", {0}}};
  p.switch_at = [](std::size_t k, Choices& c) {
    c["first alone"] = {k % 4 == 3 ? 1.0 : 0.0};
    c["second alone"] = {k % 4 == 1 ? 1.0 : 0.0};
  };
  // A current that is blocked stays what it is: exactly zero.
  p.jump_at = [](std::size_t k, NamedState& x) {
    if (k % 4 == 1) x["x1"] = 0.0;
    if (k % 4 == 3) x["x2"] = 0.0;
  };
  return p;
}

}  // namespace saltus::problems
