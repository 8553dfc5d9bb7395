// A boost converter with a diode and a switch as declarations: no mode, no requirement and no transition is written.
// Below it the same circuit with modes. (With all of its unknowns and its four modes it is boost_converter.cpp.)
#include "two_forms.hpp"

using namespace saltus;

namespace {

// [model]
void with_blocks(Model& m) {
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
}
// [model]

// [modes]
void by_hand(Model& m) {
  Expr vC = m.state("vC", 10.0, {.unit = "V"}), iL = m.state("iL", 10.0, {.unit = "A"});
  Expr iD = m.algebraic("iD", {.unit = "A"}), vS = m.algebraic("vS", {.unit = "V"});
  m.equation("capacitor", 0.01 * der(vC) == iD - vC / 2.0);
  m.equation("inductor", 1.0 * der(iL) == 48.0 - vS);
  Expr closed = m.discrete("closed", 0.0);
  m.when("close", m.every("closes", 0.1, 0.16), {{closed, 1.0}});
  m.when("open", m.every("opens", 0.16, 0.16), {{closed, 0.0}});

  // Closed, the diode blocks: it would short the capacitor.
  const ModeId shut = m.mode("closed"), conducts = m.mode("open, conducts");
  const ModeId blocks = m.mode("open, blocks");
  m.start_in(conducts);
  m.equation(shut, vS == 0.0);
  m.equation(shut, iD == 0.0);
  m.equation(conducts, vS == vC);
  m.equation(conducts, iD == iL);
  m.equation(blocks, iD == 0.0);
  m.equation(blocks, iL == 0.0);
  m.require(conducts, iD >= 0.0);
  m.require(blocks, vS <= vC);
  m.transition("diode stops", conducts, blocks, iD < 0.0);
  m.transition("diode starts", blocks, conducts, vS > vC);
  m.transition("closes while it conducts", conducts, shut, closed > 0.5);
  m.transition("closes while it blocks", blocks, shut, closed > 0.5);
  m.transition("opens", shut, {blocks, conducts}, closed < 0.5);
}
// [modes]

}  // namespace

int main(int argc, char** argv) {
  // [run]
  const Solution s = two_forms::run("boost converter", with_blocks, 1.0);
  if (!s.ok()) return 1;
  for (const EventInstant& e : s.instants()) {
    if (e.t > 0.2) break;
    std::printf("t = %.2f: %s -> %s\n", e.t, e.mode_before.c_str(), e.mode_after.c_str());
    for (const CandidateRecord& c : e.candidates) {
      if (!c.taken) std::printf("  not %s: %s\n", c.mode.c_str(), c.verdict.c_str());
    }
  }
  std::printf("iL(1) = %.6f A, vC(1) = %.6f V\n", s.final("iL"), s.final("vC"));
  // [run]
  const Solution hand = two_forms::run("the same with modes", by_hand, 1.0);
  const double apart = two_forms::apart(s, hand, {{"vC"}, {"iL"}, {"iD"}, {"vS"}}, 1.0);
  const bool same = two_forms::agree("boost converter", apart);
  return two_forms::write_files(argc, argv, {&s}) && same ? 0 : 1;
}
