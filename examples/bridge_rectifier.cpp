// A bridge rectifier as it is drawn: four ideal diodes between a source and a capacitor with a resistor. Which
// of them conduct is nobody's business but the circuit's. While all four block nothing ties the source to
// ground: its potential is the one that equal leaks would give.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("bridge rectifier");
  Expr v = m.state("v", 0.0, {.unit = "V"});  // of the load, to ground
  Expr va = m.algebraic("va", {.unit = "V"}), vb = m.algebraic("vb", {.unit = "V"});
  Expr i1 = m.algebraic("i1", {.unit = "A"}), i2 = m.algebraic("i2", {.unit = "A"});
  Expr i3 = m.algebraic("i3", {.unit = "A"}), i4 = m.algebraic("i4", {.unit = "A"});
  Expr i = m.algebraic("i", {.unit = "A"});  // of the source
  m.equation("source", va - vb == 10.0 * sin(6.283185307179586 * m.time()));
  m.equation("load", i1 + i2 == 0.5 * der(v) + v / 1.0);
  m.equation("node a", i + i3 == i1);
  m.equation("node b", i4 == i2 + i);
  m.diode("D1", va - v, i1);
  m.diode("D2", vb - v, i2);
  m.diode("D3", -va, i3);
  m.diode("D4", -vb, i4);
  // [model]

  // [run]
  const Solution s = simulate(m, {.t_end = 1.1, .rtol = 1e-8, .atol = 1e-8});
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  for (const EventInstant& e : s.instants()) {
    std::printf("%.6f %s\n", e.t, e.mode_after.c_str());
  }
  std::printf("at 0.5 s: v = %.4f V, va = %.4f V, vb = %.4f V, D1 %s\n", s.at("v", 0.5),
              s.at("va", 0.5), s.at("vb", 0.5), s.at("D1.conducts", 0.5) > 0 ? "on" : "off");
  // [run]
  return 0;
}
