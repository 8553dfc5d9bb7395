// Diodes, switches and thyristors in runs: closed forms, boundary cases, what is said.
#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

#include "problems/diode_circuits.hpp"

namespace saltus::problems {
namespace {

Solution run_diodes(const ModeProblem& p, double tolerance, EngineKind engine) {
  return simulate(write_model(p),
                  {.t_end = p.t_end, .rtol = tolerance, .atol = tolerance, .engine = engine});
}

/// Within 300 tolerances of the closed form: order and times of all changes, values at the end.
void expect_closed_form(const ModeProblem& p, double tolerance, EngineKind engine) {
  const Solution s = run_diodes(p, tolerance, engine);
  const std::string where = p.name + ", " + std::string(name(engine)) + " at " + to_text(tolerance);
  ASSERT_TRUE(s.ok()) << where << ": " << s.report.message;
  EXPECT_EQ(s.trajectory.segments().front().mode, p.first_mode) << where;
  const ModeComparison c = compare_modes(s.event_log, p);
  EXPECT_TRUE(c.complete) << where << ": " << c.first_difference;
  EXPECT_LE(c.largest_time_error, 300 * tolerance) << where;
  EXPECT_LE(end_error(s, p), 300 * tolerance) << where;
  EXPECT_EQ(s.instants().size(), p.events.size()) << where;
  for (const std::string& warning : s.report.warnings)
    EXPECT_EQ(warning.find("possible"), std::string::npos) << where << ": " << warning;
}

class DiodeCircuits : public testing::TestWithParam<std::size_t> {
 protected:
  ModeProblem problem() const { return diode_circuits()[GetParam()]; }
};

TEST_P(DiodeCircuits, FollowTheirClosedFormsOnRadau) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
    expect_closed_form(problem(), tolerance, EngineKind::radau);
}

/// Explicit engines do not fit: every circuit has modes in which some unknown has no derivative.
TEST_P(DiodeCircuits, FollowTheirClosedFormsOnIda) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10})
    expect_closed_form(problem(), tolerance, EngineKind::ida);
}

std::string name_of_circuit(const testing::TestParamInfo<std::size_t>& info) {
  std::string name;
  const ModeProblem problem = diode_circuits()[info.param];
  for (const char c : problem.name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, DiodeCircuits, testing::Range<std::size_t>(0, 7), name_of_circuit);

TEST(DiodeCircuitsTwins, AReversedDiodeIsNoticed) {
  for (const ModeProblem& p : {half_wave_rc(true), half_wave_rl(true), bridge_rc(true),
                               bridge_rl(true), boost_with_blocks(true)}) {
    const Solution s = run_diodes(p, 1e-6, EngineKind::radau);
    EXPECT_FALSE(s.ok() && compare_modes(s.event_log, p).complete) << p.name;
  }
}

/// What a diode does not allow is what makes the difference: one that carries current both ways.
TEST(DiodeCircuitsTwins, ARequirementThatIsMissingIsNoticed) {
  ModeProblem p = half_wave_rl();
  p.write = [](ModeWriter& w) {
    using P = DiodeCircuit;
    Model& m = w.m;
    Expr i = m.state("i", 0.0), v = m.algebraic("v");
    m.equation("loop", source_voltage(m) == P::l * der(i) + P::r_of_rl * i + v);
    m.ideal_switch("D", v, i, m.time() > -1.0);
  };
  const Solution s = run_diodes(p, 1e-6, EngineKind::radau);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_FALSE(compare_modes(s.event_log, p).complete);
  EXPECT_GT(end_error(s, p), 0.1);
}

TEST(DiodeCircuitsTwins, AnErrorInTheClosedFormIsNoticed) {
  for (ModeProblem p : diode_circuits()) {
    const Solution s = run_diodes(p, 1e-6, EngineKind::radau);
    ASSERT_TRUE(s.ok()) << s.report.message;
    p.events[1].t += 1e-3;
    EXPECT_GT(compare_modes(s.event_log, p).largest_time_error, 300 * 1e-6) << p.name;
    p.final_values[0].value += 1e-3 * (1 + std::abs(p.final_values[0].value));
    EXPECT_GT(end_error(s, p), 300 * 1e-6) << p.name;
  }
}

// ---- what floats -------------------------------------------------------------------------------------

TEST(Diodes, FourThatBlockShareTheVoltage) {
  const Solution s = run_diodes(bridge_rc(), 1e-8, EngineKind::radau);
  ASSERT_TRUE(s.ok()) << s.report.message;
  const double t = 0.55;  // all block
  ASSERT_EQ(s.at("D1.conducts", t) + s.at("D2.conducts", t), 0.0);
  EXPECT_NEAR(s.at("va", t) + s.at("vb", t), s.at("v", t), 1e-6);
}

TEST(Diodes, AntiSeriesBlocksWithTheRightOne) {
  // D1 forward, D2 backward: only what leaks through D2 flows, so D2 has the whole voltage.
  Model m("anti-series");
  Expr v1 = m.algebraic("v1"), v2 = m.algebraic("v2"), i = m.algebraic("i");
  Expr x = m.state("x", 0.0);
  m.equation(der(x) == i);
  m.equation("loop", cos(m.time()) == v1 - v2 + 2.0 * i);
  m.diode("D1", v1, i);
  m.diode("D2", v2, -i);
  const double tolerance = 1e-8;
  const Solution s = simulate(m, {.t_end = 3.0, .rtol = tolerance, .atol = tolerance});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("v1", 0.5), 0.0, 1e-12);
  EXPECT_NEAR(s.at("v2", 0.5), -std::cos(0.5), 300 * tolerance);
  EXPECT_NEAR(s.at("v1", 2.5), std::cos(2.5), 300 * tolerance);
  EXPECT_NEAR(s.at("v2", 2.5), 0.0, 1e-12);
  EXPECT_EQ(s.final("x"), 0.0);
}

// ---- thyristor, start --------------------------------------------------------------------------------

/// A thyristor before a resistor of 1 Ohm, fired at 0.1 of every second for 0.05 s.
Solution run_phase_control(double t_end) {
  Model m("phase control");
  Expr v = m.algebraic("v"), i = m.algebraic("i"), q = m.state("q", 0.0);
  m.equation("loop", sin(2 * std::numbers::pi * m.time()) == v + i);
  m.equation("charge", der(q) == i);
  Expr gate = m.discrete("gate", 0.0);
  m.when("on", m.every("fires", 0.1, 1.0), {{gate, 1.0}});
  m.when("off", m.every("ends", 0.15, 1.0), {{gate, 0.0}});
  m.thyristor("T", v, i, gate > 0.5);
  return simulate(m, {.t_end = t_end, .rtol = 1e-8, .atol = 1e-8, .engine = EngineKind::radau});
}

TEST(Thyristor, ConductsFromItsGateToTheZeroOfItsCurrent) {
  const Solution s = run_phase_control(2.0);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.at("T.conducts", 0.05), 0.0);
  EXPECT_EQ(s.at("T.conducts", 0.12), 1.0);
  EXPECT_EQ(s.at("T.conducts", 0.4), 1.0);  // without its gate
  EXPECT_EQ(s.at("T.conducts", 0.6), 0.0);
  EXPECT_EQ(s.at("T.conducts", 1.05), 0.0);  // forward, but not fired
  const double pi = std::numbers::pi;
  const double charge = (1 + std::cos(2 * pi * 0.1)) / (2 * pi);  // of one half-wave from 0.1 on
  EXPECT_NEAR(s.final("q"), 2 * charge, 300 * 1e-8);
}

TEST(Thyristor, WithoutAGateItNeverConducts) {
  Model m("never fired");
  Expr v = m.algebraic("v"), i = m.algebraic("i"), q = m.state("q", 0.0);
  m.equation("loop", sin(m.time()) == v + i);
  m.equation("charge", der(q) == i);
  m.thyristor("T", v, i, m.time() < -1.0);
  const Solution s = simulate(m, {.t_end = 10.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("q"), 0.0);
}

TEST(Thyristor, CarriesAPulseRatherThanTurningOff) {
  // A capacitor feeds 1 Ohm through a thyristor, whose gate is off when an empty capacitor is put beside the resistor.
  Model m("pulse through a thyristor");
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 0.0), w = m.algebraic("w");
  Expr i = m.algebraic("i"), i2 = m.algebraic("i2");
  m.equation(der(v1) == -i);
  m.equation(der(v2) == i2);
  m.equation("node", i == w / 1.0 + i2);
  m.thyristor("T", v1 - w, i, m.time() < 0.5);
  m.ideal_switch("S", w - v2, i2, m.time() >= 1.0);
  const double tolerance = 1e-8;
  const Solution s = simulate(m, {.t_end = 2.0, .rtol = tolerance, .atol = tolerance});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("T.conducts"), 1.0);
  // Half of the charge each, then with twice the time constant.
  EXPECT_NEAR(s.final("v1"), 5 * std::exp(-1.0) * std::exp(-0.5), 300 * tolerance * 5);
}

TEST(Diodes, ModesOfTheUserGoOnBesideThem) {
  // A resistor of 1 Ohm is changed for one of 3 Ohm while the diode conducts: i = sin(t) / R.
  Model m("two loads");
  Expr v = m.algebraic("v"), i = m.algebraic("i"), q = m.state("q", 0.0);
  m.equation(der(q) == i);
  const ModeId light = m.mode("light"), heavy = m.mode("heavy");
  m.equation(heavy, "loop", sin(m.time()) == v + 1.0 * i);
  m.equation(light, "loop", sin(m.time()) == v + 3.0 * i);
  m.start_in(heavy);
  m.transition("changes", heavy, light, m.time() >= 1.0);
  m.diode("D", v, i);
  const double tolerance = 1e-8;
  const Solution s = simulate(m, {.t_end = 5.0, .rtol = tolerance, .atol = tolerance});
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.instants().size(), 2u);
  EXPECT_EQ(s.instants()[0].mode_before, "heavy, D conducts");
  EXPECT_EQ(s.instants()[0].mode_after, "light, D conducts");
  EXPECT_EQ(s.instants()[1].mode_after, "light, D blocks");
  EXPECT_NEAR(s.final("q"), (1 - std::cos(1.0)) + (1 + std::cos(1.0)) / 3, 300 * tolerance);
}

TEST(Diodes, SixOfThemCommutateInOrder) {
  Model m("three-phase bridge");
  constexpr double turn = 2 * std::numbers::pi;
  Expr v = m.algebraic("v"), star = m.algebraic("star"), i = m.state("i", 0.0);
  m.equation("load", 0.5 * der(i) + 2.0 * i == v);
  Expr into_load = 0.0, out_of_star = 0.0;
  for (int k = 0; k < 3; ++k) {
    const std::string number = std::to_string(k + 1);
    Expr at = m.algebraic("v" + number), up = m.algebraic("up" + number);
    Expr down = m.algebraic("down" + number), phase = m.algebraic("phase" + number);
    m.equation("source " + number, at - star == sin(turn * m.time() - k * turn / 3));
    m.equation("node " + number, phase + down == up);
    m.diode("U" + number, at - v, up);
    m.diode("L" + number, -at, down);
    into_load = into_load + up;
    out_of_star = out_of_star + phase;
  }
  m.equation("load current", into_load == i);
  m.equation("star point", out_of_star == 0.0);
  EXPECT_EQ(m.build()->modes().size(), 16u);  // of 64
  const double tolerance = 1e-6;
  const Solution s = simulate(m, {.t_end = 1.0, .rtol = tolerance, .atol = tolerance});
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.instants().size(), 6u);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(s.instants()[k].t, 1.0 / 12 + static_cast<double>(k) / 6, 300 * tolerance);
}

TEST(Diodes, TheStartFollowsFromTheStartValues) {
  for (const double v0 : {-2.0, 2.0, 8.0}) {
    Model m("start");
    Expr v = m.state("v", v0), i = m.algebraic("i");
    m.equation("load", der(v) == i - v);
    m.diode("D", 5.0 - v - 0.5 * i, i);
    const Solution s = simulate(m, {.t_end = 0.01});
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.at("D.conducts", 0.0), v0 < 5 ? 1.0 : 0.0) << v0;
    EXPECT_EQ(s.at("v", 0.0), v0);
  }
}

TEST(Diodes, AStartThatNoDiodeCanKeepIsChanged) {
  // A source of 5 V on a capacitor of 2 V through a diode and nothing else: it charges at once.
  Model m("forced start");
  Expr v = m.state("v", 2.0), i = m.algebraic("i");
  m.equation("load", der(v) == i - v);
  m.diode("D", 5.0 - v, i);
  const Solution s = simulate(m, {.t_end = 0.1});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("v", 0.0), 5.0, 1e-9);
  const std::string text = to_text(s.report);
  EXPECT_NE(text.find("D conducts"), std::string::npos) << text;
}

/// Capacitors of 1 and 3 F, of 4 and 1 V, that a part joins from the start, or from t_closes on.
Solution start_with_joined_capacitors(bool by_diode, double t_closes,
                                      const std::string& mode = "") {
  Model m("joined capacitors");
  Expr v1 = m.state("v1", 4.0, {.unit = "V"}), v2 = m.state("v2", 1.0, {.unit = "V"});
  Expr i = m.algebraic("i", {.unit = "A"});
  m.equation(1.0 * der(v1) == -i);
  m.equation(3.0 * der(v2) == i);
  if (by_diode) m.diode("D", v1 - v2, i);
  if (!by_diode) m.ideal_switch("S", v1 - v2, i, m.time() >= t_closes);
  RunOptions options{.t_end = 2.0};
  options.mode = mode;
  return simulate(m, options);
}

TEST(Diodes, ChargeIsConservedAtAStartThatShortsCapacitors) {
  // Q = 7 A s on 4 F. The twin: what a switch that closes later makes of the same capacitors.
  const Solution later = start_with_joined_capacitors(false, 1.0);
  ASSERT_TRUE(later.ok()) << later.report.message;
  EXPECT_NEAR(later.final("v1"), 1.75, 1e-6);
  EXPECT_TRUE(later.report.warnings.empty());
  for (const Solution& s :
       {start_with_joined_capacitors(true, 0.0), start_with_joined_capacitors(false, 0.0),
        start_with_joined_capacitors(true, 0.0, "D conducts")}) {
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.at("v1", 0.0), 1.75, 1e-9);
    EXPECT_NEAR(s.at("v2", 0.0), 1.75, 1e-9);
    ASSERT_EQ(s.report.warnings.size(), 1U);
    EXPECT_NE(s.report.warnings[0].find("impulses (i 2.25"), std::string::npos)
        << s.report.warnings[0];
    EXPECT_NE(s.report.warnings[0].find("'v1' from 4 to 1.75"), std::string::npos)
        << s.report.warnings[0];
  }
}

TEST(Diodes, APulseBackwardDoesNotHappenAtTheStart) {
  // The capacitors the other way round: the diode blocks, and both keep their charge.
  Model m("backward");
  Expr v1 = m.state("v1", 1.0), v2 = m.state("v2", 4.0), i = m.algebraic("i");
  m.equation(1.0 * der(v1) == -i);
  m.equation(3.0 * der(v2) == i);
  m.diode("D", v1 - v2, i);
  const Solution s = simulate(m, {.t_end = 1.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("v1"), 1.0);
  EXPECT_EQ(s.final("v2"), 4.0);
  EXPECT_EQ(s.final("D.conducts"), 0.0);
}

TEST(Diodes, ANamedModeIsTakenAsItIs) {
  Model m("named start");
  Expr v = m.state("v", 2.0), i = m.algebraic("i");
  m.equation("load", der(v) == i - v);
  m.diode("D", 1.0 - v - i, i);
  RunOptions o{.t_end = 0.1};
  o.mode = "D blocks";
  EXPECT_TRUE(simulate(m, o).ok());
}

// ---- switches ----------------------------------------------------------------------------------------

TEST(IdealSwitch, ChargeIsConservedWhereItCloses) {
  Model m("two capacitors");
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 2.0), i = m.algebraic("i");
  m.equation(1.0 * der(v1) == -i);
  m.equation(3.0 * der(v2) == i);
  m.ideal_switch("S", v1 - v2, i, m.time() >= 1.0);
  const Solution s = simulate(m, {.t_end = 2.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("v1"), 4.0, 1e-6);
  ASSERT_EQ(s.instants().size(), 1u);
  ASSERT_EQ(s.instants()[0].impulses.size(), 1u);
  EXPECT_NEAR(s.instants()[0].impulses[0].strength, 6.0, 1e-6);
}

TEST(IdealSwitch, ADiodeBesideItDecidesByTheSignOfThePulse) {
  // The same capacitors behind a diode that would have to carry the pulse backward: it blocks.
  Model m("diode and switch");
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 2.0), i = m.algebraic("i");
  Expr across = m.algebraic("vS"), vd = m.algebraic("vD");
  m.equation(1.0 * der(v1) == -i);
  m.equation(3.0 * der(v2) == i);
  m.equation("loop", v1 - v2 == across - vd);
  m.ideal_switch("S", across, i, m.time() >= 1.0);
  m.diode("D", vd, -i);
  const Solution s = simulate(m, {.t_end = 2.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("v1"), 10.0);
  EXPECT_EQ(s.final("D.conducts"), 0.0);
}

// ---- what is said ------------------------------------------------------------------------------------

TEST(Diodes, EventsAreSaidInWords) {
  const Solution s = run_diodes(half_wave_rl(), 1e-6, EngineKind::radau);
  ASSERT_TRUE(s.ok()) << s.report.message;
  std::vector<std::string> said;
  for (const Event& e : s.events())
    if (e.kind == EventKind::structural) said.push_back(e.name + " (" + e.cause + ")");
  ASSERT_GE(said.size(), 2u);
  EXPECT_EQ(said[0], "D ceases to conduct (i < 0)");
  EXPECT_EQ(said[1], "D begins to conduct (v > 0)");
}

TEST(Diodes, AllThatChangeTogetherAreNamed) {
  // Of the bridge two diodes cease to conduct at once, and the other two begin to.
  const Solution s = run_diodes(diode_circuits()[3], 1e-6, EngineKind::radau);
  ASSERT_TRUE(s.ok()) << s.report.message;
  std::size_t n_several = 0;
  for (const Event& e : s.events()) {
    if (e.kind != EventKind::structural) continue;
    const EventInstant& instant = s.event_log.instant_of(e);
    // Every part of the mode's name that was not there before is in the note, or the transition is called by it.
    for (const std::string part : {"D1 ", "D2 ", "D3 ", "D4 "}) {
      const auto state = [&](const std::string& mode) {
        const std::size_t at = mode.find(part);
        return mode.substr(at, mode.find(',', at) - at);
      };
      if (state(instant.mode_before) == state(instant.mode_after)) continue;
      EXPECT_TRUE(e.note.find(state(instant.mode_after)) != std::string::npos ||
                  e.name.find(part) == 0)
          << e.name << ": " << e.note << "; " << instant.mode_after;
    }
    n_several += e.note.empty() ? 0 : 1;
  }
  EXPECT_GT(n_several, 0U);
}

TEST(IdealSwitch, OneThatCanNeverBeClosedIsNamedWithWhatItShorts) {
  const auto write = [](Model& m, double resistance) {
    Expr i = m.algebraic("i"), v = m.algebraic("v"), x = m.state("x", 0.0);
    m.equation("source", v == 5.0 - resistance * i);
    m.equation("load", der(x) == v + i);
    m.ideal_switch("S", v, i, m.time() > 1.0);
  };
  Model shorted("short"), twin("with a resistor");
  write(shorted, 0.0);
  write(twin, 0.1);
  EXPECT_TRUE(simulate(twin, {.t_end = 2.0}).ok());
  try {
    (void)simulate(shorted, {.t_end = 2.0});
    FAIL() << "it was not refused";
  } catch (const ModelError& e) {
    const std::string said = e.what();
    for (const char* part :
         {"'S'", "never be closed", "v == 0", "'source' (v == 5", "a resistor in series"})
      EXPECT_NE(said.find(part), std::string::npos) << said;
  }
}

TEST(Diodes, NoModeAtTheStartIsRefusedWithReasons) {
  Model m("a short circuit");
  Expr i = m.algebraic("i"), x = m.state("x", 0.0);
  m.equation(der(x) == i);
  m.diode("D", x + 1.0 + 0.0 * i, i - 1.0);  // i == 1 with a voltage of 1, or x == -1
  const Solution s = simulate(m, {.t_end = 1.0});
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.report.message.find("'D blocks'"), std::string::npos) << s.report.message;
  EXPECT_NE(s.report.message.find("'D conducts'"), std::string::npos) << s.report.message;
}

}  // namespace
}  // namespace saltus::problems
