#include <saltus/simulate/analyze.hpp>

#include <gtest/gtest.h>

namespace saltus {
namespace {

void write_analysed_pendulum(Model& m, bool twice = false) {
  Expr x = m.state("x", 0.8, {.derivative_start = 0.3});
  Expr y = m.state("y", -0.6, {.derivative_start = 0.4});
  Expr lambda = m.algebraic("lambda", {.guess = 1.0}), force = lambda;
  if (twice) force = force + 2.0 * m.algebraic("lambda_2");
  m.equation("x", der(der(x)) == -force * x);
  m.equation("y", der(der(y)) == -force * y - 9.81);
  m.equation("length", x * x + y * y == 1.0);
  if (twice) m.equation("length again", 2.0 * x * x + 2.0 * y * y == 2.0);
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Analyze, Pendulum) {
  Model m("pendulum");
  write_analysed_pendulum(m);
  const ModelAnalysis a = analyze(m);
  ASSERT_EQ(a.modes.size(), 1u);
  const ModeAnalysis& mode = a.modes[0];
  EXPECT_EQ(mode.structure.index(), 3u);
  EXPECT_EQ(mode.structure.degrees_of_freedom(), 2u);
  ASSERT_TRUE(mode.values) << mode.refusal;
  EXPECT_EQ(to_text(*mode.values), "(2, 2, 3, 0, 0)");
  EXPECT_FALSE(mode.decisions.empty());
  EXPECT_EQ(mode.orders, (OrderCounts{1, 0}));
  EXPECT_EQ(mode.agree, true);
  ASSERT_TRUE(mode.check);
  EXPECT_TRUE(mode.check->regular);
  EXPECT_TRUE(mode.check->at_consistent_point);
  EXPECT_TRUE(mode.remarks.empty());
  // |x| > |y|: the rod gives x, and y is free.
  EXPECT_EQ(mode.states, (std::vector<std::string>{"y", "der(y)"}));
}

TEST(Analyze, StatesAreThoseThatTheConstraintsLeaveFreeAtThisPoint) {
  Model m("hanging");
  Expr x = m.state("x", 0.0, {.derivative_start = 0.0});
  Expr y = m.state("y", -1.0, {.derivative_start = 0.0});
  Expr f = m.algebraic("f");
  m.equation(der(der(x)) == -f * x);
  m.equation(der(der(y)) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  EXPECT_EQ(analyze(m).modes[0].states, (std::vector<std::string>{"x", "der(x)"}));
}

TEST(Analyze, HiddenConstraintsAreWrittenOut) {
  Model m("pendulum");
  write_analysed_pendulum(m);
  const ModeAnalysis mode = analyze(m).modes[0];
  ASSERT_EQ(mode.hidden_constraints.size(), 2u);
  EXPECT_EQ(mode.structure.equations[mode.hidden_constraints[0].equation], "length");
  EXPECT_EQ(mode.hidden_constraints[0].derivative, 1u);
  EXPECT_EQ(mode.hidden_constraints[0].text, "2*x*der(x) + 2*y*der(y) == 0");
  EXPECT_EQ(mode.hidden_constraints[1].text,
            "2*x*der(x, 2) + 2*der(x)^2 + 2*y*der(y, 2) + 2*der(y)^2 == 0");
  const ModeAnalysis cut = analyze(m, {.max_expressions = 1, .max_length = 10}).modes[0];
  EXPECT_EQ(cut.hidden_constraints.size(), 1u);
  EXPECT_EQ(cut.n_hidden_not_listed, 1u);
  EXPECT_TRUE(mentions(cut.hidden_constraints[0].text, "..."));
}

TEST(Analyze, FirstOrderFormOfThePendulumSaysTheSame) {
  Model m("pendulum");
  Expr x = m.state("x", 0.6), y = m.state("y", -0.8), u = m.state("u", 0.4), v = m.state("v", 0.3);
  Expr f = m.algebraic("f");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -f * x);
  m.equation(der(v) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  const ModeAnalysis mode = analyze(m).modes[0];
  ASSERT_TRUE(mode.values) << mode.refusal;
  EXPECT_EQ(to_text(*mode.values), "(2, 2, 3, 0, 0)");
  EXPECT_EQ(mode.orders, (OrderCounts{0, 2}));  // no second derivative was written
  EXPECT_EQ(mode.agree, true);
  EXPECT_EQ(mode.states.size(), 2u);
}

TEST(Analyze, ARollingWheelHasFirstOrderParts) {
  // Two coordinates, one velocity constraint: one equation of second order, one of first.
  Model m("wheel");
  Expr q1 = m.state("q1", 0.0, {.derivative_start = 1.0});
  Expr q2 = m.state("q2", 0.0, {.derivative_start = 2.0});
  Expr f = m.algebraic("f");
  m.equation(der(der(q1)) == f);
  m.equation(der(der(q2)) == -2.0 * f + sin(q1));
  m.equation("roll", 2.0 * der(q1) == der(q2));
  const ModeAnalysis mode = analyze(m).modes[0];
  ASSERT_TRUE(mode.values) << mode.refusal;
  EXPECT_EQ(mode.values->d, 3u);
  EXPECT_EQ(mode.orders, (OrderCounts{1, 1}));
  EXPECT_EQ(mode.states.size(), 3u);
}

TEST(Analyze, RedundantEquationsAreNamed) {
  Model m("pendulum");
  write_analysed_pendulum(m, true);
  const ModeAnalysis mode = analyze(m).modes[0];
  ASSERT_TRUE(mode.values) << mode.refusal;
  EXPECT_EQ(to_text(*mode.values), "(2, 2, 3, 1, 1)");
  EXPECT_EQ(mode.agree, false);
  EXPECT_FALSE(mode.orders);
  EXPECT_TRUE(mode.states.empty());
  ASSERT_EQ(mode.remarks.size(), 1u);
  EXPECT_TRUE(mentions(mode.remarks[0], "1 equation is redundant")) << mode.remarks[0];
  EXPECT_TRUE(mentions(mode.remarks[0], "'length', 'length again'")) << mode.remarks[0];
}

TEST(Analyze, HiddenCancellationsAreNamed) {
  // Looks like index 1, but the two derivatives are one: subtracting gives the constraint x = y + …
  Model m("cancelled");
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
  m.equation("sum", der(x) + der(y) == -x);
  m.equation("same", 2.0 * der(x) + 2.0 * der(y) == -y);
  const ModeAnalysis mode = analyze(m).modes[0];
  ASSERT_TRUE(mode.values) << mode.refusal;
  EXPECT_EQ(mode.structure.degrees_of_freedom(), 2u);
  EXPECT_EQ(mode.values->d, 1u);
  EXPECT_EQ(mode.agree, false);
  ASSERT_EQ(mode.remarks.size(), 1u);
  EXPECT_TRUE(mentions(mode.remarks[0], "terms cancel")) << mode.remarks[0];
  EXPECT_TRUE(mentions(mode.remarks[0], "'sum', 'same'")) << mode.remarks[0];
  // The twin without the cancellation.
  Model other("regular");
  Expr p = other.state("x", 1.0), q = other.state("y", 1.0);
  other.equation("sum", der(p) + der(q) == -p);
  other.equation("same", 2.0 * der(p) + 3.0 * der(q) == -q);
  EXPECT_EQ(analyze(other).modes[0].agree, true);
}

TEST(Analyze, InputsThatAreNotSmoothEnough) {
  Model m("driven");
  Expr x = m.state("x", 0.0), v = m.algebraic("v");
  Expr u = m.input("u", callback([](double t) { return t; }));
  m.equation("motion", der(x) == v);
  m.equation("given", x == u);
  const ModelAnalysis a = analyze(m);
  const ModeAnalysis& mode = a.modes[0];
  ASSERT_EQ(mode.structure.signals.size(), 1u);
  EXPECT_EQ(mode.structure.signals[0].order, 1u);
  EXPECT_EQ(mode.structure.signals[0].available, 0);
  EXPECT_FALSE(mode.values);
  EXPECT_TRUE(mentions(mode.refusal, "'u'")) << mode.refusal;
  EXPECT_TRUE(mentions(to_text(a), "NOT SMOOTH ENOUGH")) << to_text(a);
}

TEST(Analyze, InputsThatStructureDoesNotDifferentiate) {
  Model m("driven");
  Expr x = m.state("x", 0.0), v = m.algebraic("v");
  Expr u = m.input("u", callback([](double t) { return t; }));
  m.equation(der(x) == v + u);
  m.equation("given", x == sin(m.time()));
  const ModelAnalysis a = analyze(m);
  const ModeAnalysis& mode = a.modes[0];
  EXPECT_TRUE(mentions(to_text(a), "Structure holds at the start values as given")) << to_text(a);
  EXPECT_EQ(mode.structure.signals[0].order, 0u);
  EXPECT_FALSE(mode.values);
  EXPECT_TRUE(mentions(mode.refusal, "structure needs no more")) << mode.refusal;
  // Structure is checked all the same, at the start values as given.
  ASSERT_TRUE(mode.check);
  EXPECT_TRUE(mode.check->regular);
  EXPECT_FALSE(mode.check->at_consistent_point);
}

TEST(Analyze, HiddenConstraintsReadLikeWritten) {
  const auto text_of = [](auto&& constraint) {
    Model m("m");
    Expr x = m.state("x", 1.0), y = m.state("y", 1.0), k = m.parameter("k", 3.0);
    Expr f = m.algebraic("f");
    m.equation(der(x) == f);
    m.equation(der(y) == -y);
    m.equation("given", constraint(x, y, k, m.time()) == 1.0);
    const ModeAnalysis mode = analyze(m, {.numbers = false}).modes[0];
    return mode.hidden_constraints.empty() ? "none" : mode.hidden_constraints[0].text;
  };
  EXPECT_EQ(text_of([](auto x, auto y, auto k, auto) { return k * x - y; }),
            "k*der(x) - der(y) == 0");
  EXPECT_EQ(text_of([](auto x, auto y, auto, auto) { return x * y + x * y; }),
            "2*y*der(x) + 2*x*der(y) == 0");
  EXPECT_EQ(text_of([](auto x, auto, auto, auto t) { return sin(x) - t * t; }),
            "cos(x)*der(x) - 2*time == 0");
  EXPECT_EQ(text_of([](auto x, auto y, auto, auto) { return (x - y) * (x - y); }),
            "2*(x - y)*(der(x) - der(y)) == 0");
  EXPECT_EQ(text_of([](auto x, auto y, auto, auto) { return 0.5 * (x * x + y * y); }),
            "x*der(x) + y*der(y) == 0");
  EXPECT_EQ(text_of([](auto x, auto y, auto, auto) { return y - x; }), "der(x) - der(y) == 0");
  EXPECT_EQ(text_of([](auto x, auto, auto k, auto) { return x / k; }), "der(x)/k == 0");
}

TEST(Analyze, LargeModelsHaveStructureAndAReasonForNoNumbers) {
  Model m("chain");
  std::vector<Expr> x;
  for (int k = 0; k < 700; ++k) x.push_back(m.state("x" + std::to_string(k), 0.0));
  for (std::size_t k = 0; k < x.size(); ++k) {
    m.equation(der(x[k]) == (k > 0 ? x[k - 1] : x[k]) - x[k]);
  }
  const ModeAnalysis mode = analyze(m).modes[0];
  EXPECT_EQ(mode.structure.degrees_of_freedom(), 700u);
  EXPECT_FALSE(mode.values);
  EXPECT_FALSE(mode.agree);
  EXPECT_TRUE(mentions(mode.refusal, "600 columns")) << mode.refusal;
  ASSERT_TRUE(mode.check);
  EXPECT_TRUE(mode.check->regular);
  EXPECT_FALSE(mode.check->at_consistent_point);
}

TEST(Analyze, EveryModeIsLookedAt) {
  Model m("contact");
  Expr x = m.state("x", 1.0), f = m.algebraic("f");
  m.equation(der(x) == -f);
  const ModeId open = m.mode("open"), closed = m.mode("closed");
  m.equation(open, f == 0.0);
  m.equation(closed, x == 0.0);
  const ModelAnalysis a = analyze(m);
  ASSERT_EQ(a.modes.size(), 2u);
  EXPECT_EQ(a.modes[0].mode, "open");
  EXPECT_EQ(a.modes[0].structure.index(), 1u);
  EXPECT_EQ(a.modes[1].structure.index(), 2u);
  ASSERT_TRUE(a.modes[0].values && a.modes[1].values) << a.modes[0].refusal;
  EXPECT_EQ(to_text(*a.modes[0].values), "(0, 1, 1, 0, 0)");
  EXPECT_EQ(to_text(*a.modes[1].values), "(1, 0, 2, 0, 0)");
  EXPECT_TRUE(mentions(to_text(a), "mode 'closed'"));
}

TEST(Analyze, StructurallySingularModelsAgreeWithTheirNumbers) {
  Model m("over");
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
  m.equation("motion", der(x) == y);
  m.equation("one", x == sin(m.time()));
  m.equation("two", y == cos(m.time()));
  m.allow_unequal_counts();
  const ModelAnalysis a = analyze(m);
  const ModeAnalysis& mode = a.modes[0];
  EXPECT_TRUE(mode.structure.is_singular());
  ASSERT_TRUE(mode.values) << mode.refusal;
  EXPECT_EQ(mode.values->v, 1u);
  EXPECT_EQ(mode.agree, true);
  EXPECT_TRUE(mentions(to_text(a), "too many")) << to_text(a);
}

TEST(Analyze, WithoutNumbersNothingIsCompiled) {
  Model m("pendulum");
  write_analysed_pendulum(m);
  const ModeAnalysis mode = analyze(m, {.numbers = false}).modes[0];
  EXPECT_FALSE(mode.values);
  EXPECT_FALSE(mode.agree);
  EXPECT_FALSE(mode.check);
  EXPECT_EQ(mode.hidden_constraints.size(), 2u);
}

TEST(Analyze, OptionsOutOfRangeAreRefused) {
  Model m("pendulum");
  write_analysed_pendulum(m);
  EXPECT_THROW(analyze(m, {.max_level = -1}), OptionError);
  EXPECT_THROW(analyze(m, {.max_length = 3}), OptionError);
}

TEST(Analyze, TextsOfRemarksAreWrapped) {
  Model m("pendulum");
  write_analysed_pendulum(m, true);
  const std::string text = to_text(analyze(m));
  std::size_t longest = 0, begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    longest = std::max(longest, end - begin);
  EXPECT_LE(longest, 100u) << text;
  EXPECT_GT(longest, 80u) << text;  // something was wrapped
}

TEST(Analyze, TheTextIsWhatAnEngineerNeeds) {
  Model m("pendulum");
  write_analysed_pendulum(m);
  const std::string text = to_text(analyze(m));
  for (const char* part : {"model 'pendulum': 3 equations, 3 unknowns", "degrees of freedom",
                           "twice: 'length'", "derivative 1 of length:", "mu = 2",
                           "1 of second order", "confidence", "Structure and numbers agree"}) {
    EXPECT_TRUE(mentions(text, part)) << part << " in\n" << text;
  }
}

}  // namespace
}  // namespace saltus
