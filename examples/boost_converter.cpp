// A boost converter with an ideal switch and an ideal diode: four modes. Only the switch is told what to do;
// whether the diode conducts follows from what its current and voltage would be.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("boost converter");
  Expr vC = m.state("vC", 10.0, {.unit = "V"}), iL = m.state("iL", 10.0, {.unit = "A"});
  Expr iR = m.algebraic("iR", {.unit = "A"}), iD = m.algebraic("iD", {.unit = "A"});
  Expr iS = m.algebraic("iS", {.unit = "A"});
  Expr vD = m.algebraic("vD", {.unit = "V"}), vS = m.algebraic("vS", {.unit = "V"});
  m.equation("capacitor", 0.01 * der(vC) == iD - iR);
  m.equation("inductor", 1.0 * der(iL) == vS + 48.0);
  m.equation("loop", vD + vC + vS == 0.0);
  m.equation("load", 2.0 * iR == vC);
  m.equation("node", iS + iL == iD);

  const ModeId m1 = m.mode("open, conducts"), m2 = m.mode("closed, blocks");
  const ModeId m3 = m.mode("open, blocks"), m4 = m.mode("closed, conducts");
  for (const ModeId open : {m1, m3}) m.equation(open, iS == 0.0);
  for (const ModeId closed : {m2, m4}) m.equation(closed, vS == 0.0);
  for (const ModeId conducts : {m1, m4}) m.equation(conducts, vD == 0.0);
  for (const ModeId blocks : {m2, m3}) m.equation(blocks, iD == 0.0);

  // What an ideal diode allows.
  for (const ModeId conducts : {m1, m4}) m.require(conducts, iD >= 0.0);
  for (const ModeId blocks : {m2, m3}) m.require(blocks, vD <= 0.0);
  m.transition("diode stops", m1, m3, iD < 0.0);
  m.transition("diode starts", m3, m1, vD > 0.0);

  // The switch closes for 0.06 of every 0.16 s.
  Expr closed = m.discrete("closed", 0.0);
  m.when("close", m.every("closes", 0.1, 0.16), {{closed, 1.0}});
  m.when("open", m.every("opens", 0.16, 0.16), {{closed, 0.0}});
  for (const ModeId open : {m1, m3}) {
    m.transition("closing from " + std::to_string(open), open, {m4, m2}, closed > 0.5);
  }
  for (const ModeId shut : {m2, m4}) {
    m.transition("opening from " + std::to_string(shut), shut, {m3, m1}, closed < 0.5);
  }
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
