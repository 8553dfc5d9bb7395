// A boost converter with an ideal switch and an ideal diode (Wunderlich 2005, Example 5.1): four modes of
// characteristic values (0, 2, 5, 0, 0) and (1, 1, 6, 0, 0).
//
// The switch opens and closes as it is told; what the diode then does follows: a current through it that
// conducts is not negative, a voltage across one that blocks is not positive. iL and vC never jump.
#pragma once

#include "problems/mode_problem.hpp"

namespace saltus::problems {

/// How the automaton is written.
enum class BoostAutomaton : std::uint8_t {
  wrong_first,  // where the switch moves, the diode conducts or blocks: first what is impossible is tried
  right_first,
  /// As printed in Table 7.2 of the thesis (with vD > 0 instead of vD < 0): closing leads to mode 4, which
  /// is left at once, opening to mode 3.
  printed,
};

struct BoostConverter {
  double r = 2.0, l = 1.0, i_start = 10.0;
  static constexpr double v_in = 48.0, c = 0.01, t_off = 0.1, period = 0.16;
  BoostAutomaton automaton = BoostAutomaton::wrong_first;
};

inline void write_boost_converter(ModeWriter& w, const BoostConverter& p) {
  Model& m = w.m;
  Expr vC = w.state("vC", 10.0, {.unit = "V"}), iL = w.state("iL", p.i_start, {.unit = "A"});
  Expr iR = w.algebraic("iR", {.unit = "A"}), iD = w.algebraic("iD", {.unit = "A"});
  Expr iS = w.algebraic("iS", {.unit = "A"});
  Expr vD = w.algebraic("vD", {.unit = "V"}), vS = w.algebraic("vS", {.unit = "V"});
  m.equation("capacitor", BoostConverter::c * der(vC) == iD - iR);
  m.equation("inductor", p.l * der(iL) == vS + BoostConverter::v_in);
  m.equation("loop", 0.0 == vD + vC + vS);
  m.equation("load", p.r * iR == vC);
  m.equation("node", 0.0 == iS + iL - iD);

  const ModeId m1 = m.mode("1"), m2 = m.mode("2"), m3 = m.mode("3"), m4 = m.mode("4");
  for (const ModeId open : {m1, m3}) m.equation(open, "switch", iS == 0.0);
  for (const ModeId closed : {m2, m4}) m.equation(closed, "switch", vS == 0.0);
  for (const ModeId conducts : {m1, m4}) m.equation(conducts, "diode", vD == 0.0);
  for (const ModeId blocks : {m2, m3}) m.equation(blocks, "diode", iD == 0.0);

  Expr closed = m.discrete("closed", 0.0);
  w.when("close", m.every("closes", BoostConverter::t_off, BoostConverter::period),
         {{closed, 1.0}});
  w.when("open", m.every("opens", BoostConverter::period, BoostConverter::period), {{closed, 0.0}});
  const Cond is_closed = closed > 0.5, is_open = closed < 0.5;
  w.transition("diode stops", m1, {m3}, iD < 0.0);
  w.transition("diode starts", m3, {m1}, vD > 0.0);
  w.transition("diode starts, switch closed", m2, {m4}, vD > 0.0);
  w.transition("diode stops, switch closed", m4, {m2}, iD < 0.0);
  if (p.automaton == BoostAutomaton::printed) {
    w.transition("closing 1", m1, {m4}, is_closed);
    w.transition("closing 3", m3, {m2}, is_closed);
    w.transition("opening 2", m2, {m3}, is_open);
    w.transition("opening 4", m4, {m1}, is_open);
    return;
  }
  for (const ModeId conducts : {m1, m4}) w.require(conducts, iD >= 0.0);
  for (const ModeId blocks : {m2, m3}) w.require(blocks, vD <= 0.0);
  const bool wrong = p.automaton == BoostAutomaton::wrong_first;
  const std::vector<ModeId> if_closed = wrong ? std::vector{m4, m2} : std::vector{m2, m4};
  const std::vector<ModeId> if_open = wrong ? std::vector{m3, m1} : std::vector{m1, m3};
  w.transition("closing 1", m1, if_closed, is_closed);
  w.transition("closing 3", m3, if_closed, is_closed);
  w.transition("opening 2", m2, if_open, is_open);
  w.transition("opening 4", m4, if_open, is_open);
}

/// The diode conducts whenever the switch is open.
inline ModeProblem boost_converter(BoostAutomaton automaton = BoostAutomaton::wrong_first) {
  BoostConverter data;
  data.automaton = automaton;
  ModeProblem p{.name = "boost_converter",
                .write = [data](ModeWriter& w) { write_boost_converter(w, data); },
                .t_end = 1.0,
                .first_mode = "1"};
  for (int k = 0; k < 6; ++k) {
    p.events.push_back({BoostConverter::t_off + k * BoostConverter::period, "1", "2"});
    p.events.push_back({(k + 1) * BoostConverter::period, "2", "1"});
  }
  p.final_values = {{"iL", 34.26217757308862485453330699},
                    {"vC", 59.75696318754736147767693424},
                    {"iR", 29.87848159377368073883847},
                    {"iD", 34.26217757308862485453331},
                    {"iS", 0.0},
                    {"vD", 0.0},
                    {"vS", -59.75696318754736147767693}};
  p.file = "boost_converter.json";
  return p;
}

/// Another load and another inductor: the current through the diode stops before the switch closes again.
inline ModeProblem boost_converter_dcm(BoostAutomaton automaton = BoostAutomaton::wrong_first) {
  BoostConverter data{.r = 20.0, .l = 0.2, .i_start = 1.0, .automaton = automaton};
  ModeProblem p{.name = "boost_converter_dcm",
                .write = [data](ModeWriter& w) { write_boost_converter(w, data); },
                .t_end = 1.0,
                .first_mode = "1"};
  constexpr double stops[] = {0.2423032648881224265827945194, 0.3788017955645473030240230977,
                              0.5577245774206411930089900795, 0.7171497134958995755671975857,
                              0.8772314175481539781941261010};
  for (int k = 0; k < 6; ++k) {
    p.events.push_back(
        {BoostConverter::t_off + k * BoostConverter::period, k == 0 ? "1" : "3", "2"});
    p.events.push_back({(k + 1) * BoostConverter::period, "2", "1"});
    if (k < 5) p.events.push_back({stops[k], "1", "3"});
  }
  p.final_values = {{"iL", 8.409067441178049792520131120},
                    {"vC", 91.47886931868763998012405717},
                    {"iR", 4.573943465934381999006203},
                    {"iD", 8.409067441178049792520131},
                    {"iS", 0.0},
                    {"vD", 0.0},
                    {"vS", -91.47886931868763998012406}};
  p.file = "boost_converter_dcm.json";
  return p;
}

}  // namespace saltus::problems
