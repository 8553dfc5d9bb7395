// The boost converter of boost_converter.cpp with a diode and a switch as declarations: no mode, no requirement and
// no transition is written.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("boost converter");
  Expr vC = m.state("vC", 10.0, {.unit = "V"}), iL = m.state("iL", 10.0, {.unit = "A"});
  Expr iD = m.algebraic("iD", {.unit = "A"}), vS = m.algebraic("vS", {.unit = "V"});
  m.equation("capacitor", 0.01 * der(vC) == iD - vC / 2.0);
  m.equation("inductor", 1.0 * der(iL) == 48.0 - vS);
  m.diode("D", vS - vC, iD);

  // The switch closes for 0.06 of every 0.16 s.
  Expr closed = m.discrete("closed", 0.0);
  m.when("close", m.every("closes", 0.1, 0.16), {{closed, 1.0}});
  m.when("open", m.every("opens", 0.16, 0.16), {{closed, 0.0}});
  m.ideal_switch("S", vS, iL - iD, closed > 0.5);
  // [model]

  // [run]
  const Solution s = simulate(m, {.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8});
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  for (const EventInstant& e : s.instants()) {
    if (e.t > 0.2) break;
    std::printf("t = %.2f: %s -> %s\n", e.t, e.mode_before.c_str(), e.mode_after.c_str());
    for (const CandidateRecord& c : e.candidates) {
      if (!c.taken) std::printf("  not %s: %s\n", c.mode.c_str(), c.verdict.c_str());
    }
  }
  std::printf("iL(1) = %.6f A, vC(1) = %.6f V\n", s.final("iL"), s.final("vC"));
  // [run]
  return 0;
}
