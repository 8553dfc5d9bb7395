// Building expressions: one node per value, exact rewrites only, refusals that help.
#include <cmath>

#include <gtest/gtest.h>

#include "support/small_programs.hpp"

namespace saltus {
namespace {

using test::mentions;
using test::refusal;
using test::value_of;

struct GraphOfTwo {
  Graph g;
  Expr x = state(g, "x");
  Expr y = state(g, "y");
  Expr p = parameter(g, "p");
  NodeId number(double v) { return g.constant(v); }
};

TEST(GraphSharing, EqualExpressionsAreOneNode) {
  GraphOfTwo m;
  const Expr a = sin(m.x * m.y) + 3.0;
  const std::size_t size = m.g.size();
  const Expr b = sin(m.x * m.y) + 3.0;
  EXPECT_EQ(a.id(), b.id());
  EXPECT_EQ(m.g.size(), size);  // nothing was added either
  EXPECT_NE(a.id(), (sin(m.x * m.y) + 4.0).id());
  EXPECT_GT(m.g.size(), size);
}

TEST(GraphSharing, CommutedSumsAndProductsAreOneNode) {
  GraphOfTwo m;
  EXPECT_EQ((m.x + m.y).id(), (m.y + m.x).id());
  EXPECT_EQ((m.x * m.y).id(), (m.y * m.x).id());
  EXPECT_EQ((2.0 * m.x).id(), (m.x * 2.0).id());
  EXPECT_NE((m.x - m.y).id(), (m.y - m.x).id());
  EXPECT_NE((m.x / m.y).id(), (m.y / m.x).id());
}

TEST(GraphSharing, NothingIsReassociated) {
  GraphOfTwo m;
  EXPECT_NE(((m.x + m.y) + m.p).id(), (m.x + (m.y + m.p)).id());
  EXPECT_NE(((m.x * m.y) * m.p).id(), (m.x * (m.y * m.p)).id());
}

TEST(GraphSharing, SurvivesTheGrowthOfTheTable) {
  GraphOfTwo m;
  std::vector<NodeId> first;
  for (int i = 0; i < 5000; ++i) first.push_back((m.x + (0.5 + i)).id());
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ((m.x + (0.5 + i)).id(), first[static_cast<std::size_t>(i)]);
}

TEST(GraphFolding, ExactSumsAreFoldedRoundedOnesAreNot) {
  GraphOfTwo m;
  Graph& g = m.g;
  EXPECT_TRUE(g.is_constant(g.add(m.number(0.5), m.number(0.25)), 0.75));
  EXPECT_FALSE(g.is_constant(g.add(m.number(0.1), m.number(0.2))));
  EXPECT_TRUE(g.is_constant(g.sub(m.number(0.5), m.number(0.25)), 0.25));
  EXPECT_FALSE(g.is_constant(g.sub(m.number(1.0), m.number(1e-20))));
  EXPECT_TRUE(g.is_constant(g.mul(m.number(3.0), m.number(0.1 / 4))) ==
              (std::fma(3.0, 0.1 / 4, -(3.0 * (0.1 / 4))) == 0));
  EXPECT_TRUE(g.is_constant(g.mul(m.number(3.0), m.number(7.0)), 21.0));
  EXPECT_FALSE(g.is_constant(g.mul(m.number(0.1), m.number(0.1))));
  EXPECT_TRUE(g.is_constant(g.div(m.number(3.0), m.number(4.0)), 0.75));
  EXPECT_FALSE(g.is_constant(g.div(m.number(1.0), m.number(3.0))));
}

TEST(GraphFolding, FunctionsAreFoldedWhereTheirValueIsExact) {
  GraphOfTwo m;
  Graph& g = m.g;
  EXPECT_TRUE(g.is_constant(g.elementary(Op::sqrt, m.number(2.25)), 1.5));
  EXPECT_FALSE(g.is_constant(g.elementary(Op::sqrt, m.number(2.0))));
  EXPECT_FALSE(g.is_constant(g.elementary(Op::sqrt, m.number(-4.0))));
  EXPECT_TRUE(g.is_constant(g.elementary(Op::exp, m.number(0.0)), 1.0));
  EXPECT_FALSE(g.is_constant(g.elementary(Op::exp, m.number(1.0))));
  EXPECT_TRUE(g.is_constant(g.elementary(Op::log, m.number(1.0)), 0.0));
  EXPECT_TRUE(g.is_constant(g.elementary(Op::acos, m.number(1.0)), 0.0));
  EXPECT_FALSE(g.is_constant(g.elementary(Op::acos, m.number(0.0))));
}

TEST(GraphFolding, OverflowAndUnderflowAreLeftToTheEvaluation) {
  GraphOfTwo m;
  Graph& g = m.g;
  EXPECT_FALSE(g.is_constant(g.mul(m.number(1e200), m.number(1e200))));
  EXPECT_FALSE(g.is_constant(g.mul(m.number(1e-200), m.number(1e-200))));
  EXPECT_FALSE(g.is_constant(g.add(m.number(1.7e308), m.number(1.7e308))));
  EXPECT_FALSE(g.is_constant(g.div(m.number(1.0), m.number(0.0))));
  EXPECT_TRUE(std::isinf(value_of(g, {g, g.div(m.number(1.0), m.number(0.0))}, {})));
}

TEST(GraphFolding, WhatIsNotFoldedIsRightInDoubleAndInQuad) {
  GraphOfTwo m;
  Graph& g = m.g;
  const Expr sum{g, g.add(m.number(0.1), m.number(0.2))};
  const Expr third{g, g.div(m.number(1.0), m.number(3.0))};
  const Expr root{g, g.elementary(Op::sqrt, m.number(2.0))};
  EXPECT_EQ(value_of(g, sum, {}), 0.1 + 0.2);
  EXPECT_EQ(value_of(g, third, {}), 1.0 / 3.0);
  EXPECT_EQ(value_of(g, root, {}), std::sqrt(2.0));
  // A value rounded to double would be off by 1e-17.
  auto off = [](const Quad& a, const Quad& b) { return static_cast<double>(abs(a - b)); };
  EXPECT_LT(off(value_of<Quad>(g, sum, {}), Quad(0.1) + Quad(0.2)), 1e-30);
  EXPECT_LT(off(value_of<Quad>(g, third, {}) * Quad(3.0), Quad(1.0)), 1e-30);
  const Quad r = value_of<Quad>(g, root, {});
  EXPECT_LT(off(r * r, Quad(2.0)), 1e-30);
  EXPECT_GT(off(Quad(1.0 / 3.0) * Quad(3.0), Quad(1.0)), 1e-30);  // the bound can be missed
}

TEST(GraphRewrites, NeutralElementsDisappear) {
  GraphOfTwo m;
  const NodeId x = m.x.id();
  EXPECT_EQ((m.x + 0.0).id(), x);
  EXPECT_EQ((0.0 + m.x).id(), x);
  EXPECT_EQ((m.x - 0.0).id(), x);
  EXPECT_EQ((1.0 * m.x).id(), x);
  EXPECT_EQ((m.x / 1.0).id(), x);
  EXPECT_EQ(pow(m.x, 1).id(), x);
  EXPECT_EQ(pow(m.x, 2).id(), sqr(m.x).id());
  EXPECT_EQ((m.x * m.x).id(), sqr(m.x).id());
  EXPECT_NE((m.x + 1.0).id(), x);
  EXPECT_NE((2.0 * m.x).id(), x);
}

TEST(GraphRewrites, ZeroTimesAnythingIsZeroAndLeavesNoIncidence) {
  GraphOfTwo m;
  EXPECT_TRUE(m.g.is_constant((0.0 * m.x).id(), 0.0));
  EXPECT_TRUE(m.g.is_constant((m.x * 0.0).id(), 0.0));
  EXPECT_TRUE(m.g.is_constant((0.0 / m.x).id(), 0.0));
  EXPECT_TRUE(m.g.is_constant((m.x - m.x).id(), 0.0));
  EXPECT_TRUE(m.g.is_constant(pow(m.x, 0).id(), 1.0));
  const NodeId row = (m.y + 0.0 * sin(m.x)).id();
  EXPECT_EQ(incidence(m.g, std::span(&row, 1)).row(0).size(), 1U);
}

/// 2.6^3 is 17.576 by the library of C and an ulp more as a product: one of them, wherever it is computed.
TEST(GraphRewrites, WholePowersOfNumbersAreProducts) {
  for (const double base : {2.6, 0.1, -1.7, 3.3})
    for (const int exponent : {-5, -2, 3, 4, 7})
      EXPECT_EQ(pow(Expr(base), Expr(exponent)).number(), powi(base, exponent));
}

TEST(GraphRewrites, SignsAreMovedOutAndCancel) {
  GraphOfTwo m;
  EXPECT_EQ((-(-m.x)).id(), m.x.id());
  EXPECT_EQ((m.x + (-m.y)).id(), (m.x - m.y).id());
  EXPECT_EQ((m.x - (-m.y)).id(), (m.x + m.y).id());
  EXPECT_EQ(((-m.x) * m.y).id(), (-(m.x * m.y)).id());
  EXPECT_EQ(((-m.x) * (-m.y)).id(), (m.x * m.y).id());
  EXPECT_EQ(((-m.x) / m.y).id(), (-(m.x / m.y)).id());
  EXPECT_EQ((-(m.x - m.y)).id(), (m.y - m.x).id());
  EXPECT_EQ((-1.0 * m.x).id(), (-m.x).id());
  EXPECT_EQ((-(2.0 * m.x)).id(), (-2.0 * m.x).id());
  EXPECT_EQ(value_of(m.g, (-m.x) * m.y, {.x = {3, 5}}), -15.0);
  EXPECT_EQ(value_of(m.g, -(m.x - m.y), {.x = {3, 5}}), 2.0);
}

TEST(GraphRewrites, DivisionByAPowerOfTwoIsAProductOthersAreNot) {
  GraphOfTwo m;
  EXPECT_EQ((m.x / 4.0).id(), (0.25 * m.x).id());
  EXPECT_EQ(m.g.node((m.x / 3.0).id()).op, Op::div);
  EXPECT_EQ(value_of(m.g, m.x / 3.0, {.x = {0.7}}), 0.7 / 3.0);
}

TEST(GraphRewrites, RealExponentsStayReal) {
  GraphOfTwo m;
  EXPECT_EQ(value_of(m.g, pow(m.x, Expr(0.5)), {.x = {9.0}}), 3.0);
  EXPECT_EQ(m.g.node(pow(m.x, Expr(0.5)).id()).op, Op::pow);
  EXPECT_EQ(pow(m.x, Expr(3.0)).id(), pow(m.x, 3).id());
}

// A double prefers a conversion to int over one to Expr: the half would be lost without a word.
template <class Exponent>
Expr power_as_written(const Expr& x, Exponent exponent) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
  return pow(x, exponent);
#pragma GCC diagnostic pop
}

TEST(GraphRewrites, AnExponentWrittenAsADoubleIsNotTruncated) {
  GraphOfTwo m;
  EXPECT_EQ(value_of(m.g, power_as_written(m.x, 0.5), {.x = {9.0}}), 3.0);
  EXPECT_EQ(value_of(m.g, power_as_written(m.x, 2.5), {.x = {4.0}}), 32.0);
  EXPECT_EQ(value_of(m.g, power_as_written(m.x, 3), {.x = {4.0}}), 64.0);
}

TEST(GraphSelect, DecidedConditionsDisappear) {
  GraphOfTwo m;
  Graph& g = m.g;
  EXPECT_EQ(where(Cond::always(g), m.x, m.y).id(), m.x.id());
  EXPECT_EQ(where(Cond::never(g), m.x, m.y).id(), m.y.id());
  EXPECT_EQ(where(m.x > m.x, m.x, m.y).id(), m.y.id());
  EXPECT_EQ(where(m.x >= m.x, m.x, m.y).id(), m.x.id());
  EXPECT_EQ(where(m.x > 0, m.y, m.y).id(), m.y.id());
  EXPECT_EQ(g.node(where(m.x > 0, m.x, m.y).id()).op, Op::select);
}

TEST(GraphSelect, ANegatedConditionExchangesTheArms) {
  GraphOfTwo m;
  EXPECT_EQ(where(!(m.x > 0), m.x, m.y).id(), where(m.x > 0, m.y, m.x).id());
  EXPECT_NE(where(!(m.x > 0), m.x, m.y).id(), where(m.x > 0, m.x, m.y).id());
}

TEST(GraphSelect, TheSameConditionInsideIsKnown) {
  GraphOfTwo m;
  const Cond c = m.x > 0;
  const Expr inner = where(c, m.x, m.y);
  EXPECT_EQ(where(c, inner, m.p).id(), where(c, m.x, m.p).id());
  EXPECT_EQ(where(c, m.p, inner).id(), where(c, m.p, m.y).id());
  EXPECT_NE(where(m.y > 0, inner, m.p).id(), where(m.y > 0, m.x, m.p).id());
}

TEST(GraphSelect, ArithmeticMovesIntoAZeroArm) {
  GraphOfTwo m;
  const Cond c = m.x > 0;
  const Expr only_there = where(c, m.y, 0.0);
  EXPECT_EQ((only_there * m.p).id(), where(c, m.y * m.p, 0.0).id());
  EXPECT_EQ((-only_there).id(), where(c, -m.y, 0.0).id());
  EXPECT_EQ((only_there / m.p).id(), where(c, m.y / m.p, 0.0).id());
  // 0 * inf is the reason: outside the branch log(x) is no number.
  EXPECT_EQ(value_of(m.g, where(c, 1.0, 0.0) * log(m.x), {.x = {-1.0, 0.0}}), 0.0);
  EXPECT_EQ(value_of(m.g, where(c, 1.0, 0.0) * log(m.x), {.x = {1.0, 0.0}}), 0.0);
  EXPECT_TRUE(std::isnan(value_of(m.g, where(c, 1.0, 2.0) * log(m.x), {.x = {-1.0, 0.0}})));
}

TEST(GraphFrozen, CanBeReadTextedCompiledAndDifferentiatedBefore) {
  Graph g;
  const Expr x = state(g, "x");
  const NodeId f = where(x > 0, sqrt(x), 0.0).id();
  const std::size_t size = g.size();
  const std::shared_ptr<const Graph> frozen = std::move(g).freeze();
  EXPECT_EQ(frozen->size(), size);
  EXPECT_EQ(to_text(*frozen, f), "where(x > 0, sqrt(x), 0)");
  EXPECT_EQ(incidence(*frozen, std::span(&f, 1)).row(0).size(), 1U);
  EXPECT_EQ(SwitchTable(*frozen, std::span(&f, 1)).size(), 1U);
  EXPECT_EQ(value_of(*frozen, Expr(const_cast<Graph&>(*frozen), f), {.x = {4.0}}), 2.0);
}

TEST(GraphFrozen, CannotGrow) {
  Graph g;
  const Expr x = state(g, "x");
  const std::shared_ptr<const Graph> frozen = std::move(g).freeze();
  Expr again(const_cast<Graph&>(*frozen), x.id());
  EXPECT_ANY_THROW(static_cast<void>(sin(again)));
  EXPECT_ANY_THROW(static_cast<void>(again + 17.0));
}

TEST(GraphRefusals, TwoModelsAreNotMixed) {
  GraphOfTwo a;
  GraphOfTwo b;
  const std::string words = "two different models";
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(a.x + b.x); }), words));
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(a.x > b.x); }), words));
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(max(a.x, b.x)); }), words));
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(where(a.x > 0, b.x, 0.0)); }), words));
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(a.x > 0 && b.x > 0); }), words));
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(concat({a.x, b.x})); }), words));
  EXPECT_NO_THROW(static_cast<void>(a.x + a.y));
}

TEST(GraphRefusals, UndeclaredVariablesAreRefusedByKindAndNumber) {
  GraphOfTwo m;
  const std::string message = refusal([&] { m.g.input(InputKind::state, 2); });
  EXPECT_TRUE(mentions(message, "state") && mentions(message, "2")) << message;
  EXPECT_NO_THROW(m.g.input(InputKind::state, 1));
  EXPECT_TRUE(mentions(refusal([&] { m.g.declare_array(InputKind::state, "empty", 0); }), "empty"));
}

TEST(GraphNames, AreAsAUserWritesThem) {
  Graph g;
  const Expr x = state(g, "x");
  const Expr u = states(g, "u", 5);
  const Expr v = state(g, "v");
  auto name = [&](const Expr& e) { return g.input_name(g.node(e.id()).a); };
  EXPECT_EQ(name(x), "x");
  EXPECT_EQ(name(u[3]), "u[3]");
  EXPECT_EQ(name(v), "v");
  EXPECT_EQ(name(der(x)), "der(x)");
  EXPECT_EQ(name(der(x, 2)), "der(x, 2)");
  EXPECT_EQ(name(der(der(x))), "der(x, 2)");
  EXPECT_EQ(name(der(u[3])), "der(u[3])");
  EXPECT_EQ(name(pre(x)), "pre(x)");
  EXPECT_EQ(name(pre(u)[4]), "pre(u[4])");
  EXPECT_EQ(name(time(g)), "time");
  EXPECT_EQ(der(u)[2].id(), der(u[2]).id());
  EXPECT_EQ(pre(x).id(), pre(x).id());
}

TEST(GraphNames, APreviousValueOfAPreviousValueIsRefusedOrToldApart) {
  Graph g;
  const Expr x = state(g, "x");
  const Expr once = pre(x);
  try {
    const Expr twice = pre(once);
    EXPECT_NE(g.input_name(g.node(twice.id()).a), g.input_name(g.node(once.id()).a));
  } catch (const ModelError&) {  // also right: it has no meaning
  }
}

TEST(GraphRefusals, DerAndPreTakeVariablesAndSayWhatToDo) {
  GraphOfTwo m;
  for (const std::string& message : {refusal([&] { static_cast<void>(der(m.x * m.y)); }),
                                     refusal([&] { static_cast<void>(der(Expr(2.0))); })})
    EXPECT_TRUE(mentions(message, "der") && mentions(message, "introduce a variable")) << message;
  const std::string previous = refusal([&] { static_cast<void>(pre(m.x + 1.0)); });
  EXPECT_TRUE(mentions(previous, "pre") && mentions(previous, "introduce a variable")) << previous;
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(pre(der(m.x))); }), "derivative"));
}

TEST(GraphRefusals, ADerivativeOfAHeldVariableIsRefusedByName) {
  GraphOfTwo m;
  const Expr mode = discrete(m.g, "gear");
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(der(m.p)); }), "'p'"));
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(der(mode)); }), "'gear'"));
  EXPECT_NO_THROW(static_cast<void>(der(algebraic(m.g, "z"))));
}

TEST(GraphRefusals, SizesThatDoNotFitAreBothTold) {
  Graph g;
  const Expr u = states(g, "u", 3);
  const Expr v = states(g, "v", 4);
  auto tells_both = [](const std::string& message) {
    return mentions(message, "3") && mentions(message, "4");
  };
  EXPECT_TRUE(tells_both(refusal([&] { static_cast<void>(u + v); })));
  EXPECT_TRUE(tells_both(refusal([&] { static_cast<void>(atan2(v, u)); })));
  EXPECT_TRUE(tells_both(refusal([&] { static_cast<void>(max(u, v)); })));
  EXPECT_TRUE(tells_both(refusal([&] { static_cast<void>(u > v); })));
  EXPECT_TRUE(tells_both(refusal([&] { static_cast<void>(u > 0 && v > 0); })));
  EXPECT_TRUE(tells_both(refusal([&] { static_cast<void>(where(u > 0, v, 0.0)); })));
  EXPECT_TRUE(tells_both(refusal([&] { static_cast<void>(where(v > 0, u, u)); })));
  EXPECT_NO_THROW(static_cast<void>(u + 2.0 * u[0]));
}

TEST(GraphRefusals, SizesOfAComparisonAreToldInItsOwnWords) {
  Graph g;
  const Expr u = states(g, "u", 3);
  const Expr v = states(g, "v", 4);
  const std::string message = refusal([&] { static_cast<void>(u > v); });
  EXPECT_FALSE(mentions(message, "'-'")) << "the user wrote no difference: " << message;
}

TEST(GraphRefusals, ElementsOutsideAnArrayAreTold) {
  Graph g;
  const Expr u = states(g, "u", 3);
  const std::string message = refusal([&] { static_cast<void>(u[3]); });
  EXPECT_TRUE(mentions(message, "element 3") && mentions(message, "elements 0 to 2")) << message;
  EXPECT_TRUE(mentions(refusal([&] { static_cast<void>(u[1][0]); }), "only arrays"));
}

}  // namespace
}  // namespace saltus
