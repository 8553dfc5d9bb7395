#include <gtest/gtest.h>

#include <saltus/simulate/analyze.hpp>

#include "problems/boost_converter.hpp"
#include "problems/class_changes.hpp"
#include "problems/resting_ball.hpp"
#include "problems/rope_pendulum.hpp"

namespace saltus {
namespace {

using problems::ClassChange;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> names_that(const TransitionAnalysis& t, bool UnknownChange::*flag) {
  std::vector<std::string> names;
  for (const UnknownChange& u : t.unknowns)
    if (u.*flag) names.push_back(u.name);
  return names;
}

const UnknownChange& change_of(const TransitionAnalysis& t, const std::string& name) {
  for (const UnknownChange& u : t.unknowns)
    if (u.name == name) return u;
  throw std::out_of_range(name);
}

const TransitionAnalysis& transition_of(const ModelAnalysis& a, const std::string& name,
                                        const std::string& to) {
  for (const TransitionAnalysis& t : a.transitions)
    if (t.name == name && t.to == to) return t;
  throw std::out_of_range(name);
}

TEST(CharacteristicChange, EveryPatternOfSignsHasANumberOfItsOwn) {
  std::vector<int> seen;
  for (int d = -2; d <= 2; ++d)
    for (int a = -2; a <= 2; ++a) {
      const int number = CharacteristicChange{d, a, -d - a}.number();
      EXPECT_GE(number, 1) << d << ' ' << a;
      seen.push_back(number);
    }
  for (int number = 1; number <= 13; ++number) EXPECT_GT(std::ranges::count(seen, number), 0);
  EXPECT_EQ((CharacteristicChange{0, 0, 0}).number(), 1);
  EXPECT_EQ((CharacteristicChange{-1, 1, 0}).number(), 4);
  EXPECT_EQ((CharacteristicChange{2, -1, -1}).number(), 11);
  EXPECT_EQ((CharacteristicChange{1, 1, -2}).number(), 13);
  // Not a change of so many unknowns.
  EXPECT_EQ((CharacteristicChange{1, 1, 1}).number(), 0);
}

TEST(TransitionAnalysis, EntriesThatVanishAtTheStartHideNoNumbers) {
  // Mode 'caught' of the rope cut and caught again: the start is at rest, at half the length.
  const ModelAnalysis a = analyze(problems::write_model(problems::cut_rope()));
  for (const ModeAnalysis& m : a.modes) EXPECT_TRUE(m.values) << m.mode << ": " << m.refusal;
  ASSERT_EQ(a.modes[2].mode, "caught");
  EXPECT_EQ(to_text(a.modes[2].values.value()), "(2, 2, 3, 0, 0)");
  for (const ModeAnalysis& m : a.modes) EXPECT_TRUE(m.remarks.empty()) << m.remarks[0];
}

TEST(TransitionAnalysis, WhereStartValuesHideTheNumbersAPointNearbyIsLookedAt) {
  // Mode 'driven' is entered at z = 0.5; at the start values its equation cannot be evaluated.
  Model m("with a root");
  Expr z = m.state("z", 0.0), x = m.state("x", 1.0);
  const ModeId free = m.mode("free"), driven = m.mode("driven");
  m.equation(der(z) == 1.0);
  m.equation(free, der(x) == 0.0);
  m.equation(driven, der(x) == sqrt(z - 0.001));
  m.transition("drive", free, driven, z > 0.5);
  const ModelAnalysis a = analyze(m);
  ASSERT_EQ(a.modes[1].mode, "driven");
  ASSERT_TRUE(a.modes[1].values) << a.modes[1].refusal;
  EXPECT_EQ(to_text(*a.modes[1].values), "(0, 2, 0, 0, 0)");
  ASSERT_EQ(a.modes[1].remarks.size(), 1u);
  EXPECT_TRUE(says(a.modes[1].remarks[0], "near the start values")) << a.modes[1].remarks[0];
  EXPECT_TRUE(a.modes[0].remarks.empty());
}

TEST(TransitionAnalysis, WhatIsLeftWhereEventsAccumulateHasNoImpulses) {
  const ModelAnalysis a = analyze(problems::write_model(problems::resting_ball()));
  const TransitionAnalysis& rests = a.transitions.at(0);
  EXPECT_TRUE(rests.at_accumulation);
  EXPECT_FALSE(change_of(rests, "h").can_jump);
  EXPECT_TRUE(change_of(rests, "der(h)").can_jump);
  EXPECT_FALSE(rests.impulses_possible);
  EXPECT_TRUE(says(to_text(a), "where events of h < ")) << to_text(a);
}

/// A block on a belt: its user writes the motion on the surface as a mode of its own.
TEST(TransitionAnalysis, AModeOfItsOwnForTheMotionOnASurface) {
  const auto written = [](TransitionOptions options) {
    auto m = std::make_unique<Model>("belt");
    Expr x = m->state("x", 1.0), v = m->state("v", 1.0), force = m->algebraic("force");
    const ModeId slips = m->mode("slips"), sticks = m->mode("sticks");
    m->equation(der(x) == v);
    m->equation(der(v) == force - x);
    m->equation(slips, force == -sign(v));
    m->equation(sticks, v == 0.0);
    m->transition("stick", slips, sticks, v > 0.0, std::move(options));
    m->transition("slip", sticks, slips, abs(force) > 1.0);
    return analyze(*m);
  };
  const ModelAnalysis a = written({.at_sliding = true});
  const TransitionAnalysis& stick = transition_of(a, "stick", "sticks");
  EXPECT_TRUE(stick.at_sliding);
  EXPECT_FALSE(stick.at_accumulation);
  EXPECT_FALSE(change_of(stick, "v").can_jump);
  EXPECT_FALSE(stick.impulses_possible);
  EXPECT_TRUE(stick.remarks.empty()) << stick.remarks.front();
  EXPECT_TRUE(says(to_text(a), "where it would slide on the surface of v > 0")) << to_text(a);
  EXPECT_TRUE(says(to_dot(a), "label=\"stick\\nsliding on v > 0\"")) << to_dot(a);
  // An ordinary transition may be taken with v > 0 already.
  const ModelAnalysis b = written({});
  EXPECT_FALSE(transition_of(b, "stick", "sticks").at_sliding);
  EXPECT_FALSE(transition_of(b, "stick", "sticks").remarks.empty());
  EXPECT_FALSE(says(to_text(b), "would slide")) << to_text(b);
}

class ClassChanges : public ::testing::TestWithParam<ClassChange> {};

TEST_P(ClassChanges, AreRecognisedAndPredicted) {
  const ClassChange& expected = GetParam();
  Model m(expected.what);
  write_class_change(m, expected);
  const ModelAnalysis a = analyze(m);
  ASSERT_EQ(a.transitions.size(), 1u);
  const TransitionAnalysis& t = a.transitions[0];
  ASSERT_TRUE(t.compared);
  EXPECT_FALSE(t.by_structure) << a.modes[0].refusal << a.modes[1].refusal;
  ASSERT_TRUE(t.change);
  EXPECT_EQ(t.change->number(), expected.number) << to_text(a);
  const auto jumps = names_that(t, &UnknownChange::can_jump);
  for (const std::string& name : expected.jumps)
    EXPECT_TRUE(std::ranges::count(jumps, name)) << name << "\n" << to_text(a);
  EXPECT_EQ(jumps.size(), expected.jumps.size()) << to_text(a);
  EXPECT_EQ(names_that(t, &UnknownChange::can_be_impulsive), expected.impulsive) << to_text(a);
  EXPECT_EQ(t.impulses_possible, !expected.impulsive.empty());
  EXPECT_EQ(t.can_be_continuous, expected.continuous);
  EXPECT_EQ(t.unique, expected.unique);
  EXPECT_EQ(a.regular, !expected.open);
}

std::string name_of_case(const ::testing::TestParamInfo<ClassChange>& info) {
  return (info.param.open ? "open_" : "") + std::to_string(info.param.number);
}

INSTANTIATE_TEST_SUITE_P(Thirteen, ClassChanges, ::testing::ValuesIn(problems::class_changes()),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Open, ClassChanges, ::testing::ValuesIn(problems::open_class_changes()),
                         name_of_case);

/// By structure alone the same cases are found where no number is needed.
TEST(TransitionAnalysis, StructureSaysTheSameAndSaysSo) {
  for (const ClassChange& c : problems::class_changes()) {
    Model m(c.what);
    write_class_change(m, c);
    const ModelAnalysis a = analyze(m, {.numbers = false});
    const TransitionAnalysis& t = a.transitions.at(0);
    EXPECT_TRUE(t.by_structure);
    EXPECT_TRUE(says(to_text(a), "by structure")) << to_text(a);
    ASSERT_TRUE(t.change);
    EXPECT_EQ(t.change->number(), c.number) << c.what;
    const auto jumps = names_that(t, &UnknownChange::can_jump);
    for (const std::string& name : c.jumps)
      EXPECT_TRUE(std::ranges::count(jumps, name)) << name << ": " << c.what;
    EXPECT_EQ(t.can_be_continuous, c.continuous) << c.what;
    EXPECT_EQ(t.impulses_possible, !c.impulsive.empty()) << c.what;
  }
}

TEST(TransitionAnalysis, BoostConverter) {
  const auto model = problems::write_model(problems::boost_converter());
  const ModelAnalysis a = analyze(model);
  ASSERT_EQ(a.modes.size(), 4u);
  EXPECT_TRUE(a.regular);
  EXPECT_EQ(a.largest_mu, 1);
  EXPECT_EQ(a.largest_index, 2u);
  EXPECT_TRUE(a.unreachable.empty());
  EXPECT_EQ(to_text(a.modes[0].values.value()), "(0, 2, 5, 0, 0)");
  EXPECT_EQ(to_text(a.modes[2].values.value()), "(1, 1, 6, 0, 0)");
  EXPECT_EQ(a.modes[3].unknowns[0].what,
            UnknownClass::algebraic);  // vC, though it is differentiated
  // Both conduct: the capacitor is shorted.
  const TransitionAnalysis& shorted = transition_of(a, "closing 1", "4");
  EXPECT_TRUE(shorted.one_of_several);
  EXPECT_EQ(shorted.change->number(), 4);
  EXPECT_TRUE(change_of(shorted, "vC").can_jump);
  EXPECT_FALSE(change_of(shorted, "iL").can_jump);
  EXPECT_TRUE(shorted.impulses_possible);
  EXPECT_TRUE(change_of(shorted, "iD").can_be_impulsive);
  EXPECT_FALSE(change_of(shorted, "vD").can_be_impulsive);
  EXPECT_FALSE(shorted.can_be_continuous);
  // Nothing but algebraic unknowns change where the diode blocks instead.
  const TransitionAnalysis& right = transition_of(a, "closing 1", "2");
  EXPECT_EQ(right.change->number(), 1);
  EXPECT_FALSE(right.impulses_possible);
  EXPECT_TRUE(right.can_be_continuous);
  EXPECT_TRUE(right.unique);
  // Where the diode stops its current is zero, and so is that of the coil.
  const TransitionAnalysis& stops = transition_of(a, "diode stops", "3");
  EXPECT_EQ(stops.change->number(), 4);
  EXPECT_FALSE(change_of(stops, "iL").can_jump) << to_text(a);
  EXPECT_FALSE(stops.impulses_possible);
  // Interrupted by the switch it is not.
  const TransitionAnalysis& interrupted = transition_of(a, "opening 2", "3");
  EXPECT_TRUE(change_of(interrupted, "iL").can_jump);
  EXPECT_TRUE(change_of(interrupted, "vD").can_be_impulsive);
}

void write_rope(Model& m, TransitionOptions how = {}) {
  Expr x = m.state("x", 0.6, {.derivative_start = 0.0});
  Expr y = m.state("y", -0.2, {.derivative_start = 0.0});
  Expr force = m.algebraic("force");
  m.equation("horizontal", der(der(x)) == -force * x);
  m.equation("vertical", der(der(y)) == -force * y - 9.81);
  const ModeId slack = m.mode("slack"), taut = m.mode("taut");
  m.equation(slack, "no force", force == 0.0);
  m.equation(taut, "length", x * x + y * y == 1.0);
  m.transition("caught", slack, taut, x * x + y * y >= 1.0, how);
  m.transition("cut", taut, slack, m.time() >= 2.0);
}

TEST(TransitionAnalysis, ARopeThatIsCaughtStopsVelocities) {
  Model m("rope");
  write_rope(m);
  const ModelAnalysis a = analyze(m);
  const TransitionAnalysis& caught = transition_of(a, "caught", "taut");
  // Positions are right where the guard becomes true.
  EXPECT_FALSE(change_of(caught, "x").can_jump);
  EXPECT_TRUE(change_of(caught, "der(x)").can_jump);
  EXPECT_TRUE(change_of(caught, "der(x)").has_history);
  EXPECT_TRUE(change_of(caught, "force").can_be_impulsive);
  EXPECT_FALSE(change_of(caught, "force").has_history);
  EXPECT_EQ(caught.change->number(), 4);
  EXPECT_FALSE(caught.can_be_continuous);
  const TransitionAnalysis& cut = transition_of(a, "cut", "slack");
  EXPECT_EQ(cut.change->number(), 9);
  EXPECT_TRUE(cut.can_be_continuous);
  EXPECT_FALSE(cut.impulses_possible);
  // The twin: the guard says something else, and positions may be wrong.
  Model other("rope");
  write_rope(other);
  other.transition("tied", 0, 1, other.time() >= 1.0);
  EXPECT_TRUE(change_of(transition_of(analyze(other), "tied", "taut"), "x").can_jump);
}

TEST(TransitionAnalysis, BothByStructure) {
  Model m("rope");
  write_rope(m);
  const ModelAnalysis a = analyze(m, {.numbers = false});
  const TransitionAnalysis& caught = transition_of(a, "caught", "taut");
  EXPECT_TRUE(caught.by_structure);
  EXPECT_FALSE(change_of(caught, "x").can_jump);
  EXPECT_TRUE(change_of(caught, "der(x)").can_jump);
  EXPECT_TRUE(caught.impulses_possible);
  EXPECT_TRUE(transition_of(a, "cut", "slack").can_be_continuous);
}

/// Two discs that are pressed together.
void write_closing_clutch(Model& m, TransitionOptions how, Expr& a, Expr& b) {
  a = m.state("a", 10.0);
  b = m.state("b", 0.0);
  Expr angle = m.state("angle", 0.0), torque = m.algebraic("torque");
  m.equation("first", 2.0 * der(a) == -torque);
  m.equation("second", 3.0 * der(b) == torque);
  m.equation("angle", der(angle) == a);
  const ModeId open = m.mode("open"), closed = m.mode("closed");
  m.equation(open, "no torque", torque == 0.0);
  m.equation(closed, "same speed", a == b);
  m.transition("close", open, closed, m.time() >= 1.0, std::move(how));
}

TEST(TransitionAnalysis, EquationsBetweenBothLimitsAreCounted) {
  const auto analysed_with = [](bool free, int n_equations) {
    Model m("clutch");
    Expr a, b;
    TransitionOptions how;
    // The options mention unknowns, which the model has only once it is written: another transition.
    write_closing_clutch(m, {}, a, b);
    if (free) how.free = {a, b};
    if (n_equations > 0) how.equations.push_back(2.0 * a + 3.0 * b == 2.0 * pre(a) + 3.0 * pre(b));
    if (n_equations > 1) how.equations.push_back(a - b == -0.5 * (pre(a) - pre(b)));
    m.transition("by momentum", 0, 1, m.time() >= 2.0, how);
    return transition_of(analyze(m), "by momentum", "closed");
  };
  const TransitionAnalysis right = analysed_with(true, 1);
  EXPECT_EQ(right.n_missing_equations, 0);
  EXPECT_TRUE(right.unique);
  EXPECT_FALSE(right.impulses_possible);  // what jumps is free
  EXPECT_FALSE(right.can_be_continuous);
  EXPECT_FALSE(change_of(right, "angle").can_jump);
  const TransitionAnalysis missing = analysed_with(true, 0);
  EXPECT_EQ(missing.n_missing_equations, 1);
  EXPECT_FALSE(missing.unique);
  ASSERT_FALSE(missing.remarks.empty());
  EXPECT_TRUE(says(missing.remarks[0], "1 equation missing")) << missing.remarks[0];
  const TransitionAnalysis too_many = analysed_with(true, 2);
  EXPECT_EQ(too_many.n_missing_equations, -1);
  EXPECT_TRUE(says(too_many.remarks[0], "1 equation too many")) << too_many.remarks[0];
  // Held: the impulse map decides, and nothing is missing.
  const TransitionAnalysis held = analysed_with(false, 0);
  EXPECT_EQ(held.n_missing_equations, 0);
  EXPECT_TRUE(held.unique);
  EXPECT_TRUE(held.impulses_possible);
  EXPECT_TRUE(change_of(held, "torque").can_be_impulsive);
}

TEST(TransitionAnalysis, WhatIsMappedIsNotContinuous) {
  Model m("bounce");
  Expr h = m.state("h", 1.0), v = m.state("v", 0.0), f = m.algebraic("f");
  m.equation("height", der(h) == v);
  m.equation("speed", der(v) == f - 9.81);
  const ModeId down = m.mode("down"), up = m.mode("up");
  m.equation(down, f == 0.0);
  m.equation(up, f == -0.1 * v);
  m.transition("hit", down, up, h <= 0.0, {.maps = {{v, -0.8 * v}, {f, 0.0}}});
  m.transition("turns", up, down, v <= 0.0);
  const ModelAnalysis a = analyze(m);
  const TransitionAnalysis& hit = transition_of(a, "hit", "up");
  EXPECT_EQ(change_of(hit, "v").start, UnknownStart::mapped);
  EXPECT_TRUE(change_of(hit, "v").can_jump);
  EXPECT_FALSE(change_of(hit, "h").can_jump);
  EXPECT_FALSE(hit.can_be_continuous);
  EXPECT_FALSE(hit.impulses_possible);
  ASSERT_EQ(hit.remarks.size(), 1u);
  EXPECT_TRUE(says(hit.remarks[0], "'f' is mapped, but the equations of mode 'up' decide it"));
  EXPECT_TRUE(transition_of(a, "turns", "down").can_be_continuous);
}

TEST(TransitionAnalysis, TheTextTellsWhatChangesAndNothingElse) {
  const std::string text = to_text(analyze(problems::write_model(problems::boost_converter())));
  for (const char* part :
       {"model 'boost_converter': 4 modes, 8 transitions, 7 unknowns",
        "regular        yes, in every mode looked at", "largest index  2 (strangeness index 1)",
        "Classes of unknowns\n  differential  'vC', 'iL'\n",
        "transition 'closing 1' from '1' to '4' (one of several candidates), when closed > 0.5",
        "'vC'  differential  ->  algebraic  may jump: its value is dictated",
        "change      d -1, a +1, u 0 (case 4)", "impulses    possible in 'iD', 'iS'",
        "change      as many of each class as before (case 1)", "solution    unique"})
    EXPECT_TRUE(says(text, part)) << part << " in\n" << text;
  EXPECT_FALSE(says(text, "'iR'  algebraic     ->")) << text;
}

TEST(ModeGraph, PictureForGraphviz) {
  Model m("a \"quoted\" model");
  Expr x = m.state("x", 1.0), w = m.state("w", 1.0), f = m.algebraic("f");
  m.equation(der(x) == -x);
  m.equation(der(w) == f);
  const ModeId on = m.mode("on"), off = m.mode("off \\n \"0\""), lost = m.mode("lost");
  m.equation(on, f == -w);
  m.equation(off, w == 2.0);
  m.equation(lost, f == 0.0);
  m.transition("go \"now\"", on, off, x < 0.5);
  m.transition("back", off, {on, lost}, m.time() > 3.0);
  const std::string dot = to_dot(analyze(m, {.modes = {"on", "off \\n \"0\""}}));
  for (const char* part : {"digraph \"a \\\"quoted\\\" model\" {\n", "begin -> m0;\n",
                           "m0 [label=\"on\\nmu=0 d=2 a=1 v=0 u=0\"];\n",
                           "m1 [label=\"off \\\\n \\\"0\\\"\\nmu=1 d=1 a=2 v=0 u=0\"];\n",
                           "m2 [label=\"lost\\nnot looked at\", style=dotted];\n",
                           "m0 -> m1 [label=\"go \\\"now\\\"\\nx < 0.5\", color=red];\n",
                           "m1 -> m0 [label=\"back\\ntime > 3\", style=dashed];\n",
                           "m1 -> m2 [label=\"back\\ntime > 3\", style=dashed];\n"})
    EXPECT_TRUE(says(dot, part)) << part << " in\n" << dot;
  EXPECT_EQ(dot.back(), '\n');
  Model plain("plain");
  Expr p = plain.state("p", 1.0);
  plain.equation(der(p) == -p);
  EXPECT_EQ(to_dot(analyze(plain)), "digraph \"plain\" {\n}\n");
}

TEST(ModeGraph, ManyModesAreLookedAtFromTheFirstOneOn) {
  Model m("ring");
  Expr x = m.state("x", 1.0), y = m.algebraic("y");
  m.equation(der(x) == -y);
  std::vector<ModeId> modes;
  for (int k = 0; k < 12; ++k) {
    modes.push_back(m.mode("mode " + std::to_string(k)));
    m.equation(modes.back(), y == static_cast<double>(k + 1) * x);
  }
  for (std::size_t k = 0; k + 1 < modes.size(); ++k)
    m.transition("on " + std::to_string(k), modes[k], modes[k + 1], x < 0.5);
  m.start_in(modes[4]);
  const ModelAnalysis a = analyze(m, {.max_modes = 3});
  ASSERT_EQ(a.modes.size(), 3u);
  EXPECT_EQ(a.modes[0].mode, "mode 4");
  EXPECT_EQ(a.modes[2].mode, "mode 6");
  EXPECT_EQ(a.not_analysed.size(), 9u);
  EXPECT_EQ(a.unreachable, (std::vector<std::string>{"mode 0", "mode 1", "mode 2", "mode 3"}));
  ASSERT_EQ(a.transitions.size(), 11u);
  EXPECT_TRUE(a.transitions[4].compared);
  EXPECT_FALSE(a.transitions[6].compared);  // one side only
  const std::string text = to_text(a);
  EXPECT_TRUE(says(text, "begins in      'mode 4'")) << text;
  EXPECT_TRUE(says(text, "unreachable    'mode 0', 'mode 1'")) << text;
  EXPECT_TRUE(says(text, "\nand 9 transitions more\n")) << text;
  const ModelAnalysis named = analyze(m, {.max_modes = 1, .modes = {"mode 2", "mode 1"}});
  ASSERT_EQ(named.modes.size(), 2u);
  EXPECT_EQ(named.modes[0].mode, "mode 1");
  EXPECT_TRUE(named.transitions[1].compared);
  EXPECT_THROW(analyze(m, {.modes = {"mode 77"}}), OptionError);
  EXPECT_THROW(analyze(m, {.max_modes = 0}), OptionError);
}

}  // namespace
}  // namespace saltus
