// A bridge rectifier as it is drawn: four ideal diodes between a source and a capacitor with a resistor, or a coil
// with a resistor. Which of them conduct is nobody's business but the circuit's. While all four block nothing ties the
// source to ground: its potential is the one that equal leaks would give.
#include "two_forms.hpp"

using namespace saltus;

namespace {

Expr source(Model& m) { return 10.0 * sin(6.283185307179586 * m.time()); }

// [model]
// What draws a current, at voltage v to ground.
void write_bridge(Model& m, const Expr& v, const Expr& current) {
  Expr va = m.algebraic("va", {.unit = "V"}), vb = m.algebraic("vb", {.unit = "V"});
  Expr i1 = m.algebraic("i1", {.unit = "A"}), i2 = m.algebraic("i2", {.unit = "A"});
  Expr i3 = m.algebraic("i3", {.unit = "A"}), i4 = m.algebraic("i4", {.unit = "A"});
  Expr i = m.algebraic("i", {.unit = "A"});  // of the source
  m.equation("source", va - vb == source(m));
  m.equation("load", i1 + i2 == current);
  m.equation("node a", i + i3 == i1);
  m.equation("node b", i4 == i2 + i);
  m.diode("D1", va - v, i1);
  m.diode("D2", vb - v, i2);
  m.diode("D3", -va, i3);
  m.diode("D4", -vb, i4);
}

void with_capacitor(Model& m) {
  Expr v = m.state("v", 0.0, {.unit = "V"});
  write_bridge(m, v, 0.5 * der(v) + v / 1.0);
}

void with_coil(Model& m) {
  Expr v = m.algebraic("v", {.unit = "V"}), i = m.state("i load", 0.0, {.unit = "A"});
  m.equation("coil", v == 0.5 * der(i) + 2.0 * i);
  write_bridge(m, v, i);
}
// [model]

// [modes]
// Of the 16 combinations those that occur: two diodes conduct, the other two, or none.
void write_bridge_by_hand(Model& m, const Expr& v, const Expr& current) {
  Expr va = m.algebraic("va", {.unit = "V"}), vb = m.algebraic("vb", {.unit = "V"});
  Expr i1 = m.algebraic("i1", {.unit = "A"}), i2 = m.algebraic("i2", {.unit = "A"});
  Expr i3 = m.algebraic("i3", {.unit = "A"}), i4 = m.algebraic("i4", {.unit = "A"});
  Expr i = m.algebraic("i", {.unit = "A"});  // of the source
  m.equation("source", va - vb == source(m));
  m.equation("load", i1 + i2 == current);
  m.equation("node a", i + i3 == i1);
  m.equation("node b", i4 == i2 + i);
  const ModeId positive = m.mode("positive"), off = m.mode("off"), negative = m.mode("negative");
  m.equation(positive, va == v);
  m.equation(positive, vb == 0.0);
  m.equation(negative, va == 0.0);
  m.equation(negative, vb == v);
  for (const Expr& blocked : {i2, i3}) m.equation(positive, blocked == 0.0);
  for (const Expr& blocked : {i1, i4}) m.equation(negative, blocked == 0.0);
  for (const Expr& blocked : {i1, i2, i3}) m.equation(off, blocked == 0.0);
  m.equation(off, va + vb == v);  // all four leak alike
  m.transition("positive stops", positive, off, i1 < 0.0);
  m.transition("negative stops", negative, off, i2 < 0.0);
  m.transition("positive starts", off, positive, source(m) > v);
  m.transition("negative starts", off, negative, -source(m) > v);
  m.transition("positive hands over", positive, negative, v < 0.0);
  m.transition("negative hands over", negative, positive, v < 0.0);
}

void with_capacitor_by_hand(Model& m) {
  Expr v = m.state("v", 0.0, {.unit = "V"});
  write_bridge_by_hand(m, v, 0.5 * der(v) + v / 1.0);
}

void with_coil_by_hand(Model& m) {
  Expr v = m.algebraic("v", {.unit = "V"}), i = m.state("i load", 0.0, {.unit = "A"});
  m.equation("coil", v == 0.5 * der(i) + 2.0 * i);
  write_bridge_by_hand(m, v, i);
}
// [modes]

}  // namespace

int main(int argc, char** argv) {
  // [run]
  const Solution rc = two_forms::run("bridge rectifier, RC", with_capacitor, 3.2);
  const Solution rl = two_forms::run("bridge rectifier, RL", with_coil, 3.2);
  for (const Solution* s : {&rc, &rl}) {
    if (!s->ok()) return 1;
    std::printf("%s\n", s->report.model.c_str());
    for (const EventInstant& e : s->instants()) {
      if (e.t < 1.2) std::printf("%.6f %s\n", e.t, e.mode_after.c_str());
    }
  }
  std::printf("RC at 0.5 s: v = %.4f V, va = %.4f V, vb = %.4f V, D1 %s\n", rc.at("v", 0.5),
              rc.at("va", 0.5), rc.at("vb", 0.5), rc.at("D1.conducts", 0.5) > 0 ? "on" : "off");
  // [run]
  const Solution rc_hand = two_forms::run("RC with modes", with_capacitor_by_hand, 3.2);
  const Solution rl_hand = two_forms::run("RL with modes", with_coil_by_hand, 3.2);
  const std::vector<two_forms::Column> columns = {{"v"},  {"va"}, {"vb"}, {"i1"},
                                                  {"i2"}, {"i3"}, {"i4"}, {"i"}};
  bool same = two_forms::agree("RC", two_forms::apart(rc, rc_hand, columns, 3.2));
  same = two_forms::agree("RL", two_forms::apart(rl, rl_hand, columns, 3.2)) && same;
  return two_forms::write_files(argc, argv, {&rc, &rl}) && same ? 0 : 1;
}
