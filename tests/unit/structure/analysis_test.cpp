// The structure of models, by name.
#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/model.hpp>

#include "signatures.hpp"

namespace saltus {
namespace {

using Offsets = std::vector<std::uint32_t>;
using Names = std::vector<std::string>;

Names names_of(const Names& names, const std::vector<std::uint32_t>& which) {
  Names found;
  for (const std::uint32_t k : which) found.push_back(names[k]);
  return found;
}

Names texts_of(const StructuralAnalysis& a, const std::vector<DifferentiatedEquation>& list) {
  Names texts;
  for (const DifferentiatedEquation& e : list) texts.push_back(to_text(a, e));
  return texts;
}

StructuralAnalysis analysis_of(Model& m) { return analyze_structure(*m.build()); }

void write_pendulum(Model& m) {
  const Expr x = m.state("x", 1.0);
  const Expr y = m.state("y", 0.0);
  const Expr force = m.algebraic("force");
  m.equation("motion_x", der(x, 2) == -force * x);
  m.equation("motion_y", der(y, 2) == -force * y - 9.81);
  m.equation("length", x * x + y * y == 1.0);
}

TEST(StructureOfModels, OfThePendulum) {
  Model m("pendulum");
  write_pendulum(m);
  const StructuralAnalysis a = analysis_of(m);
  ASSERT_FALSE(a.is_singular());
  EXPECT_EQ(a.equations, (Names{"motion_x", "motion_y", "length"}));
  EXPECT_EQ(a.unknowns, (Names{"x", "y", "force"}));
  EXPECT_EQ(a.offsets->equation, (Offsets{0, 0, 2}));
  EXPECT_EQ(a.offsets->unknown, (Offsets{2, 2, 0}));
  EXPECT_EQ(a.degrees_of_freedom(), 2U);
  EXPECT_EQ(a.index(), 3U);
  EXPECT_EQ(texts_of(a, a.hidden_constraints), (Names{"length differentiated twice"}));
  EXPECT_EQ(a.n_hidden_constraints, 2U);
  EXPECT_EQ(a.blocks.blocks.size(), 1U);
  EXPECT_EQ(to_text(a),
            "model 'pendulum': 3 equations, structural index 3, 2 degrees of freedom\n"
            "1 block\n"
            "1 differentiated equation: length differentiated twice\n"
            "2 hidden constraints from: length differentiated twice\n");
}

TEST(StructureOfModels, OfThePendulumWithFirstDerivatives) {
  Model m("pendulum");
  const Expr x = m.state("x", 1.0);
  const Expr y = m.state("y", 0.0);
  const Expr u = m.state("u", 0.0);
  const Expr v = m.state("v", 0.0);
  const Expr force = m.algebraic("force");
  m.equation("speed_x", der(x) == u);
  m.equation("speed_y", der(y) == v);
  m.equation("motion_x", der(u) == -force * x);
  m.equation("motion_y", der(v) == -force * y - 9.81);
  m.equation("length", x * x + y * y == 1.0);
  const StructuralAnalysis a = analysis_of(m);
  EXPECT_EQ(a.offsets->equation, (Offsets{1, 1, 0, 0, 2}));
  EXPECT_EQ(a.offsets->unknown, (Offsets{2, 2, 1, 1, 0}));
  EXPECT_EQ(a.degrees_of_freedom(), 2U);
  EXPECT_EQ(a.index(), 3U);
  EXPECT_EQ(texts_of(a, a.differentiated),
            (Names{"speed_x differentiated once", "speed_y differentiated once",
                   "length differentiated twice"}));
  EXPECT_EQ(texts_of(a, a.hidden_constraints), (Names{"length differentiated twice"}));
  EXPECT_EQ(a.n_hidden_constraints, 2U);  // a = 3 of (2, 2, 3, 0, 0), less the length itself
}

// The blade of a skate allows no sideways velocity: the constraint contains derivatives, but not the highest ones.
TEST(StructureOfModels, ConstraintsOnVelocitiesAreConstraints) {
  Model m("skate");
  const Expr x = m.state("x", 0.0);
  const Expr y = m.state("y", 0.0);
  const Expr angle = m.state("angle", 0.0);
  const Expr side = m.algebraic("side");
  m.equation("motion_x", der(x, 2) == -side * sin(angle));
  m.equation("motion_y", der(y, 2) == side * cos(angle));
  m.equation("spin", der(angle, 2) == 0.0);
  m.equation("blade", der(y) * cos(angle) == der(x) * sin(angle));
  const StructuralAnalysis a = analysis_of(m);
  EXPECT_EQ(a.index(), 2U);
  EXPECT_EQ(a.degrees_of_freedom(), 5U);
  EXPECT_EQ(texts_of(a, a.hidden_constraints), (Names{"blade differentiated once"}));
  EXPECT_EQ(a.n_hidden_constraints, 1U);
}

TEST(StructureOfModels, OfACircuit) {
  // A source, a resistor, an inductor and a capacitor in series: all but two unknowns algebraic.
  Model m("rlc");
  const Expr v_c = m.state("v_c", 0.0);
  const Expr i = m.state("i", 0.0);
  const Expr v_r = m.algebraic("v_r");
  const Expr v_l = m.algebraic("v_l");
  m.equation("capacitor", 1e-6 * der(v_c) == i);
  m.equation("inductor", 1e-3 * der(i) == v_l);
  m.equation("resistor", v_r == 10.0 * i);
  m.equation("loop", sin(m.time()) == v_r + v_l + v_c);
  const StructuralAnalysis a = analysis_of(m);
  EXPECT_EQ(a.index(), 1U);
  EXPECT_EQ(a.degrees_of_freedom(), 2U);
  EXPECT_TRUE(a.differentiated.empty());
  EXPECT_EQ(a.n_hidden_constraints, 0U);

  // A second capacitor in parallel to the first: a loop of capacitors, index 2.
  Model loop("loop");
  const Expr v1 = loop.state("v1", 0.0);
  const Expr v2 = loop.state("v2", 0.0);
  const Expr i1 = loop.algebraic("i1");
  const Expr i2 = loop.algebraic("i2");
  loop.equation("first", der(v1) == i1);
  loop.equation("second", der(v2) == i2);
  loop.equation("node", i1 + i2 == sin(loop.time()));
  loop.equation("parallel", v1 == v2);
  const StructuralAnalysis b = analysis_of(loop);
  EXPECT_EQ(b.index(), 2U);
  EXPECT_EQ(b.degrees_of_freedom(), 1U);
  EXPECT_EQ(texts_of(b, b.hidden_constraints), (Names{"parallel differentiated once"}));
}

TEST(StructureOfModels, OfOrdinaryEquationsAndOfIndexOne) {
  Model ode("oscillator");
  const Expr x = ode.state("x", 1.0);
  const Expr v = ode.state("v", 0.0);
  ode.equation(der(x) == v);
  ode.equation(der(v) == -x);
  const StructuralAnalysis a = analysis_of(ode);
  EXPECT_EQ(a.index(), 0U);
  EXPECT_EQ(a.degrees_of_freedom(), 2U);
  EXPECT_EQ(to_text(a),
            "model 'oscillator': 2 equations, structural index 0, 2 degrees of freedom\n1 block\n");

  Model dae("relaxation");
  const Expr y = dae.state("y", 1.0);
  const Expr z = dae.algebraic("z");
  dae.equation(der(y) == -z);
  dae.equation(z == y * y);
  const StructuralAnalysis b = analysis_of(dae);
  EXPECT_EQ(b.index(), 1U);
  EXPECT_EQ(b.degrees_of_freedom(), 1U);
  EXPECT_EQ(b.n_hidden_constraints, 0U);
}

TEST(StructureOfModels, ABlockMayReadWhatEarlierBlocksDetermine) {
  Model m("stages");
  const Expr x = m.state("x", 1.0);
  const Expr p = m.algebraic("p");
  const Expr q = m.algebraic("q");
  m.equation("last", q == p + x);
  m.equation("middle", p * p == x);
  m.equation("first", der(x) == -x);
  const StructuralAnalysis a = analysis_of(m);
  ASSERT_EQ(a.blocks.blocks.size(), 3U);
  Names order;
  for (const auto& block : a.blocks.blocks) order.push_back(a.unknowns[block.unknowns[0]]);
  EXPECT_EQ(order, (Names{"x", "p", "q"}));
}

TEST(StructureOfModels, HiddenConstraintsMayComeFromCombiningEquations) {
  // x' stands in two equations: that y = -x is written nowhere, but nothing is differentiated.
  Model m("twice");
  const Expr x = m.state("x", 1.0);
  const Expr y = m.algebraic("y");
  m.equation(der(x) == -x);
  m.equation(der(x) == y);
  const StructuralAnalysis a = analysis_of(m);
  EXPECT_TRUE(a.differentiated.empty());
  EXPECT_EQ(a.n_hidden_constraints, 1U);
}

// ---- inputs --------------------------------------------------------------------------------------

TEST(StructureOfInputs, AnInputOfADifferentiatedEquationNeedsDerivatives) {
  const auto smooth = callback([](double, int) { return 0.0; }, 8);
  const auto linear = table(std::vector{0.0, 1.0}, std::vector{0.0, 1.0}, Interpolation::linear);
  Model m("guided");
  const Expr x = m.state("x", 0.0);
  const Expr force = m.algebraic("force");
  const Expr path = m.input("path", linear);
  const Expr wind = m.input("wind", smooth);
  m.input("unused", smooth);
  m.equation("motion", der(x, 2) == force + der(wind));
  m.equation("guide", x == path + 0.1 * wind);
  const StructuralAnalysis a = analysis_of(m);
  ASSERT_EQ(a.signals.size(), 2U);
  EXPECT_EQ(a.inputs[a.signals[0].signal], "path");
  EXPECT_EQ(a.signals[0].order, 2U);
  EXPECT_EQ(a.signals[0].available, m.build()->signal(0).max_order());
  EXPECT_EQ(a.inputs[a.signals[1].signal], "wind");
  EXPECT_EQ(a.signals[1].order, 2U);  // order 0 in 'guide', twice differentiated; 1 in 'motion'
  EXPECT_EQ(a.equations[a.signals[1].equation], "guide");
  EXPECT_NE(to_text(a).find("input 'wind' needs 2 derivatives in 'guide'\n"), std::string::npos);

  // The twin: where the same input enters the motion only, its first derivative is enough.
  Model free("free");
  const Expr y = free.state("y", 0.0);
  const Expr push = free.input("push", smooth);
  free.equation("motion", der(y, 2) == der(push));
  EXPECT_EQ(analysis_of(free).signals[0].order, 1U);
}

TEST(StructureOfInputs, TheTextSaysWhichSignalIsNotSmoothEnough) {
  Model m("guided");
  const Expr x = m.state("x", 0.0);
  const Expr force = m.algebraic("force");
  const Expr path = m.input("path", callback([](double, int) { return 0.0; }, 1));
  m.equation("motion", der(x, 2) == force);
  m.equation("guide", x == path);
  EXPECT_EQ(to_text(analysis_of(m)),
            "model 'guided': 2 equations, structural index 3, 0 degrees of freedom\n"
            "2 blocks, the largest of 1 equation\n"
            "1 differentiated equation: guide differentiated twice\n"
            "2 hidden constraints from: guide differentiated twice\n"
            "input 'path' needs 2 derivatives in 'guide', but its signal has 1\n");
}

// ---- singular models -----------------------------------------------------------------------------

TEST(StructureOfSingularModels, NamesWhatIsTooMuchAndWhatIsMissing) {
  Model m("short");
  const Expr x = m.state("x", 0.0);
  const Expr y = m.state("y", 0.0);
  const Expr z = m.algebraic("z");
  const Expr w = m.algebraic("w");
  m.equation("fall", der(x) == -x);
  m.equation("again", x == 1.0);
  m.equation("sound", der(y) == -y);
  m.equation("loose", z + w == y);
  const StructuralAnalysis a = analysis_of(m);
  ASSERT_TRUE(a.is_singular());
  EXPECT_EQ(names_of(a.equations, a.parts.overdetermined.equations), (Names{"fall", "again"}));
  EXPECT_EQ(names_of(a.unknowns, a.parts.overdetermined.unknowns), (Names{"x"}));
  EXPECT_EQ(names_of(a.equations, a.parts.underdetermined.equations), (Names{"loose"}));
  EXPECT_EQ(names_of(a.unknowns, a.parts.underdetermined.unknowns), (Names{"z", "w"}));
  EXPECT_EQ(names_of(a.equations, a.parts.well_determined.equations), (Names{"sound"}));
  EXPECT_TRUE(a.differentiated.empty());
  EXPECT_EQ(to_text(a),
            "model 'short' is structurally singular\n"
            "overdetermined: 2 equations ('fall', 'again') for 1 unknown ('x')\n"
            "underdetermined: 2 unknowns ('z', 'w') in 1 equation ('loose')\n");

  // The twin: with z in place of x, 'again' determines it, and nothing is singular.
  Model repaired("repaired");
  const Expr rx = repaired.state("x", 0.0);
  const Expr ry = repaired.state("y", 0.0);
  const Expr rz = repaired.algebraic("z");
  const Expr rw = repaired.algebraic("w");
  repaired.equation("fall", der(rx) == -rx);
  repaired.equation("again", rz == 1.0);
  repaired.equation("sound", der(ry) == -ry);
  repaired.equation("loose", rz + rw == ry);
  EXPECT_FALSE(analysis_of(repaired).is_singular());
}

TEST(StructureOfSingularModels, LongListsOfNamesAreCut) {
  Model n("many");
  const Expr v = n.states("v", std::vector<double>(20, 0.0));
  const Expr p = n.algebraic("p");
  const Expr q = n.algebraic("q");
  n.equation("sum", sum(v) == 0.0);
  n.equation("balance", v * v == 1.0);
  n.equation("rest", p + q == 0.0);
  EXPECT_EQ(to_text(analysis_of(n)),
            "model 'many' is structurally singular\n"
            "overdetermined: 21 equations ('sum', 'balance[0]', 'balance[1]', 'balance[2]', "
            "'balance[3]', 'balance[4]', 'balance[5]', 'balance[6]' and 13 more) for 20 unknowns "
            "('v[0]', 'v[1]', 'v[2]', 'v[3]', 'v[4]', 'v[5]', 'v[6]', 'v[7]' and 12 more)\n"
            "underdetermined: 2 unknowns ('p', 'q') in 1 equation ('rest')\n");
}

// ---- families, modes, branches -------------------------------------------------------------------

TEST(StructureOfFamilies, CountsLaneByLane) {
  Model m("pendulums");
  constexpr std::uint32_t n = 4;
  const Expr x = m.states("x", std::vector<double>(n, 1.0));
  const Expr y = m.states("y", std::vector<double>(n, 0.0));
  const Expr force = m.algebraics("force", n);
  m.equation("motion_x", der(x, 2) == -force * x);
  m.equation("motion_y", der(y, 2) == -force * y - 9.81);
  m.equation("length", x * x + y * y == 1.0);
  const StructuralAnalysis a = analysis_of(m);
  ASSERT_EQ(a.equations.size(), 3U * n);
  EXPECT_EQ(a.equations[3], "motion_x[3]");
  EXPECT_EQ(a.unknowns[2 * n + 3], "force[3]");
  EXPECT_EQ(a.blocks.blocks.size(), n);  // not connected with each other
  EXPECT_EQ(a.index(), 3U);
  EXPECT_EQ(a.degrees_of_freedom(), 2U * n);
  ASSERT_EQ(a.hidden_constraints.size(), n);
  EXPECT_EQ(to_text(a, a.hidden_constraints[3]), "length[3] differentiated twice");
}

TEST(StructureOfModes, IsThatOfOneMode) {
  Model m("contact");
  const Expr x = m.state("x", 1.0);
  const Expr force = m.algebraic("force");
  const ModeId flying = m.mode("flying");
  const ModeId resting = m.mode("resting");
  m.equation("motion", der(x, 2) == -9.81 + force);
  m.equation(flying, force == 0.0);
  m.equation(resting, x == 0.0);
  const auto d = m.build();
  EXPECT_EQ(analyze_structure(*d, flying).index(), 1U);
  EXPECT_EQ(analyze_structure(*d, flying).degrees_of_freedom(), 2U);
  EXPECT_EQ(analyze_structure(*d, resting).index(), 3U);
  EXPECT_EQ(analyze_structure(*d, resting).degrees_of_freedom(), 0U);
  EXPECT_EQ(analyze_structure(*d, resting).subject, "model 'contact', mode 'resting'");
  EXPECT_THROW(analyze_structure(*d), ModelError);
  EXPECT_THROW(analyze_structure(*d, 2), ModelError);
  Model plain("plain");
  write_pendulum(plain);
  EXPECT_THROW(analyze_structure(*plain.build(), 0), ModelError);
}

TEST(StructureOfModes, UnknownsThatDoNotOccurInAModeDoNotExistThere) {
  Model m("valve");
  const Expr x = m.state("x", 1.0);
  const Expr flow = m.algebraic("flow");
  const ModeId open = m.mode("open");
  const ModeId shut = m.mode("shut");
  m.equation(open, der(x) == -flow);
  m.equation(open, flow == x);
  m.equation(shut, der(x) == 0.0);
  const auto d = m.build();
  EXPECT_EQ(analyze_structure(*d, open).unknowns, (Names{"x", "flow"}));
  EXPECT_EQ(analyze_structure(*d, shut).unknowns, (Names{"x"}));
}

TEST(StructureOfBranches, LocksChooseThem) {
  Model m("stop");
  const Expr x = m.state("x", 1.0);
  const Expr force = m.algebraic("force");
  m.equation("motion", der(x, 2) == -9.81 + force);
  m.equation("contact", where(x > 0.0, force, x) == 0.0);
  const auto d = m.build();
  ASSERT_EQ(d->graph().n_switches(), 1U);
  const auto index_under = [&](std::uint8_t lock) {
    return analyze_structure(*d, none, std::vector{lock}).index();
  };
  EXPECT_EQ(index_under(lock_true), 1U);
  EXPECT_EQ(index_under(lock_false), 3U);
  EXPECT_EQ(analyze_structure(*d).index(), 1U);  // the union of both
}

// ---- sizes ---------------------------------------------------------------------------------------

// Of the shape of Andrews' squeezing mechanism (Hairer and Wanner II, VII.7): seven angles, coupled
// accelerations, six multipliers and six constraints of three closed loops; a mechanism that one
// number describes, hence with two degrees of freedom.
TEST(StructureOfModels, OfASizeLikeAndrewsSqueezer) {
  Model m("squeezer");
  std::vector<Expr> q;
  std::vector<Expr> multipliers;
  for (int k = 0; k < 7; ++k) q.push_back(m.state("q" + std::to_string(k), 0.1));
  for (int k = 0; k < 6; ++k) multipliers.push_back(m.algebraic("l" + std::to_string(k)));
  // Which angles occur in which loop equation.
  const std::vector<std::vector<std::size_t>> loops{{0, 1, 2},    {0, 1, 2},    {0, 1, 3, 4},
                                                    {0, 1, 3, 4}, {0, 1, 5, 6}, {0, 1, 5, 6}};
  for (std::size_t body = 0; body < 7; ++body) {
    Expr balance = (1.0 + sqr(q[body])) * der(q[body], 2);
    const std::size_t next = (body + 1) % 7;
    balance = balance + cos(q[next]) * der(q[next], 2);
    for (std::size_t k = 0; k < loops.size(); ++k)
      if (std::ranges::find(loops[k], body) != loops[k].end())
        balance = balance + sin(q[body] + static_cast<double>(k)) * multipliers[k];
    m.equation("body" + std::to_string(body), balance == 0.0);
  }
  for (std::size_t k = 0; k < loops.size(); ++k) {
    Expr closed = sin(q[loops[k][0]]);
    for (const std::size_t j : loops[k]) closed = closed + sin(q[j] + static_cast<double>(k));
    m.equation("loop" + std::to_string(k), closed == 0.1);
  }
  const StructuralAnalysis a = analysis_of(m);
  ASSERT_FALSE(a.is_singular());
  EXPECT_EQ(a.index(), 3U);
  EXPECT_EQ(a.degrees_of_freedom(), 2U);
  EXPECT_EQ(a.hidden_constraints.size(), 6U);
  EXPECT_EQ(a.n_hidden_constraints, 12U);
}

}  // namespace
}  // namespace saltus
