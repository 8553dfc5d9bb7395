// One ideal diode between a source and a capacitor with a resistor, or a coil with a resistor.
#include "two_forms.hpp"

using namespace saltus;

namespace {

Expr source(Model& m) { return 10.0 * sin(6.283185307179586 * m.time()); }

// [model]
void with_capacitor(Model& m) {
  Expr v = m.state("v", 0.0, {.unit = "V"}), i = m.algebraic("i", {.unit = "A"});
  m.equation(0.5 * der(v) == i - v / 1.0);
  m.diode("D", source(m) - v, i);
}

void with_coil(Model& m) {
  Expr i = m.state("i", 0.0, {.unit = "A"}), v = m.algebraic("v", {.unit = "V"});
  m.equation(0.5 * der(i) == v - 2.0 * i);
  m.diode("D", source(m) - v, i);
}
// [model]

// [modes]
void diode_by_hand(Model& m, const Expr& v, const Expr& i) {
  const ModeId conducts = m.mode("conducts"), blocks = m.mode("blocks");
  m.equation(conducts, v == source(m));
  m.equation(blocks, i == 0.0);
  m.transition("stops", conducts, blocks, i < 0.0);
  m.transition("starts", blocks, conducts, source(m) > v);
}

void with_capacitor_by_hand(Model& m) {
  Expr v = m.state("v", 0.0, {.unit = "V"}), i = m.algebraic("i", {.unit = "A"});
  m.equation(0.5 * der(v) == i - v / 1.0);
  diode_by_hand(m, v, i);
}

void with_coil_by_hand(Model& m) {
  Expr i = m.state("i", 0.0, {.unit = "A"}), v = m.algebraic("v", {.unit = "V"});
  m.equation(0.5 * der(i) == v - 2.0 * i);
  diode_by_hand(m, v, i);
}
// [modes]

}  // namespace

int main(int argc, char** argv) {
  const auto and_source = [](void (*write)(Model&)) {
    return [write](Model& m) {
      write(m);
      m.output("source", source(m), "V");
    };
  };
  const Solution rc = two_forms::run("half-wave rectifier, RC", and_source(with_capacitor), 3.2);
  const Solution rl = two_forms::run("half-wave rectifier, RL", and_source(with_coil), 3.2);
  const Solution rc_hand = two_forms::run("RC with modes", with_capacitor_by_hand, 3.2);
  const Solution rl_hand = two_forms::run("RL with modes", with_coil_by_hand, 3.2);
  for (const Solution* s : {&rc, &rl}) {
    if (!s->ok()) return 1;
    std::printf("%s\n", s->report.model.c_str());
    for (const EventInstant& e : s->instants()) {
      if (e.t < 1.5) std::printf("%8.5f %s\n", e.t, e.mode_after.c_str());
    }
  }
  bool same = two_forms::agree("RC", two_forms::apart(rc, rc_hand, {{"v"}, {"i"}}, 3.2));
  same = two_forms::agree("RL", two_forms::apart(rl, rl_hand, {{"v"}, {"i"}}, 3.2)) && same;
  return two_forms::write_files(argc, argv, {&rc, &rl}) && same ? 0 : 1;
}
