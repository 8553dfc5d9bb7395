// Starts of models that have initial equations, (I.7); what happens at the end of a run.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

// A search is exact to about 1e-12 of the size of its unknowns, which is one here.
constexpr double found_to = 1e-10;

Attributes guessed(double value) { return {.guess = value}; }

Solution begun(Model& m, RunOptions options = {}) {
  options.rtol = options.atol = 1e-9;
  return simulate(m, options);
}

void write_cubic(Model& m, double p, double guess) {
  const Expr x = m.state("x", guessed(guess));
  m.equation(der(x) == m.parameter("p", p) - x * x * x);
  m.initial_equation("at rest", der(x) == 0.0);
}

TEST(InitialEquations, ARunBeginsAtRest) {
  Model m("cubic");
  write_cubic(m, 8.0, 1.0);
  const Solution s = begun(m);
  EXPECT_EQ(s.report.outcome, Outcome::finished);
  EXPECT_NEAR(s.at("x", 0.0), 2.0, found_to);
  EXPECT_NEAR(s.at("x", 1.0), 2.0, 1e-7);
}

TEST(InitialEquations, WithoutThemItWouldNot) {
  Model m("cubic");
  const Expr x = m.state("x", guessed(1.0));
  m.equation(der(x) == 8.0 - x * x * x);
  EXPECT_EQ(begun(m).at("x", 0.0), 1.0);
}

void write_two_decays(Model& m, const Attributes& of_x, const Attributes& of_y) {
  const Expr x = m.state("x", of_x), y = m.state("y", of_y);
  m.equation(der(x) == -x);
  m.equation(der(y) == -2.0 * y);
  m.initial_equation("sum", x + y == 3.0);
}

TEST(InitialEquations, WhereTheyAreTooFewAGuessIsKeptAndReported) {
  Model m("decays");
  write_two_decays(m, guessed(1.0), guessed(7.0));
  const Solution s = begun(m);
  EXPECT_EQ(s.at("x", 0.0), 1.0);
  EXPECT_NEAR(s.at("y", 0.0), 2.0, found_to);
  bool kept = false, moved = false;
  for (const DecisionRecord& d : s.report.choices) {
    kept = kept || (d.name == "start values" && d.used == "x = 1");
    moved = moved || (d.name == "start value of y" && d.given == "7");
  }
  EXPECT_TRUE(kept);
  EXPECT_TRUE(moved);
}

TEST(InitialEquations, AStatedValueCountsAsOne) {
  Model m("decays");
  write_two_decays(m, guessed(1.0), {.start = 0.5});
  const Solution s = begun(m);
  EXPECT_EQ(s.at("y", 0.0), 0.5);
  EXPECT_NEAR(s.at("x", 0.0), 2.5, found_to);
}

TEST(InitialEquations, TooManyAreRefusedByName) {
  Model m("decays");
  write_two_decays(m, {.start = 1.0}, {.start = 1.0});
  const Solution s = begun(m);
  EXPECT_EQ(s.report.outcome, Outcome::not_started);
  for (const char* part : {"'sum'", "'x', 'y'", "let a start value be a guess"})
    EXPECT_NE(s.report.message.find(part), std::string::npos) << s.report.message;
}

TEST(InitialEquations, TooManyThatAgreeAreNone) {
  Model m("decays");
  write_two_decays(m, {.start = 1.0}, {.start = 2.0});
  EXPECT_EQ(begun(m).report.outcome, Outcome::finished);
}

TEST(InitialEquations, StatedValuesGiveWayIfTheNearestIsAskedFor) {
  Model m("decays");
  write_two_decays(m, {.start = 1.0}, {.start = 1.0});
  RunOptions options;
  options.start = StartPolicy::least_squares;
  const Solution s = begun(m, options);
  ASSERT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  EXPECT_NEAR(s.at("x", 0.0), 1.5, found_to);
  EXPECT_NEAR(s.at("y", 0.0), 1.5, found_to);
}

TEST(InitialEquations, OneThatNothingCanMeetIsNamed) {
  Model m("never at rest");
  const Expr x = m.state("x", guessed(5.0));
  m.equation(der(x) == -x * x - 1.0);
  m.initial_equation("at rest", der(x) == 0.0);
  const Solution s = begun(m);
  EXPECT_EQ(s.report.outcome, Outcome::not_started);
  EXPECT_NE(s.report.message.find("initial equation 'at rest' cannot hold"), std::string::npos)
      << s.report.message;
}

TEST(InitialEquations, AnAlgebraicUnknownDeterminesAState) {
  Model m("square");
  const Expr x = m.state("x", guessed(1.0)), y = m.algebraic("y");
  m.equation(der(x) == -x);
  m.equation(y == x * x);
  m.initial_equation(y == 9.0);
  const Solution s = begun(m);
  EXPECT_NEAR(s.at("x", 0.0), 3.0, found_to);
}

/// x^2 + y^2 = 1, index 3: two of the four are free.
void write_rod(Model& m) {
  const Expr x = m.state("x", guessed(0.8)), y = m.state("y", guessed(-0.5));
  const Expr u = m.state("u", guessed(0.0)), v = m.state("v", guessed(0.0)), l = m.algebraic("l");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -l * x);
  m.equation(der(v) == -l * y - 9.81);
  m.equation(x * x + y * y == 1.0);
  m.initial_equation("place", x == m.parameter("place", 0.6));
  m.initial_equation("speed", der(x) == 0.5);
}

TEST(InitialEquations, I7_HiddenConstraintsHoldTogetherWithThem) {
  Model m("rod");
  write_rod(m);
  const Solution s = begun(m);
  ASSERT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  EXPECT_NEAR(s.at("y", 0.0), -0.8, found_to);
  EXPECT_NEAR(s.at("v", 0.0), 0.375, found_to);  // x u + y v = 0
}

TEST(InitialEquations, RelationsAreDecidedByTheValuesFound) {
  Model m("branches");
  const Expr x = m.state("x", guessed(5.0));
  m.equation(der(x) == where(x > 1.0, 2.0 - 4.0 * x, 3.0 - 4.0 * x));
  m.initial_equation(der(x) == 0.0);
  const Solution s = begun(m);
  EXPECT_NEAR(s.at("x", 0.0), 0.75, found_to);
}

TEST(InitialEquations, BranchesThatExcludeTheirOwnStartsAreRefused) {
  // Above 1 rest would be at 0.5, below at 2.
  Model m("branches");
  const Expr x = m.state("x", guessed(5.0));
  m.equation(der(x) == where(x > 1.0, 0.5 - x, 2.0 - x));
  m.initial_equation(der(x) == 0.0);
  const Solution s = begun(m);
  EXPECT_EQ(s.report.outcome, Outcome::not_started);
  EXPECT_NE(s.report.message.find("x > 1"), std::string::npos) << s.report.message;
}

TEST(InitialEquations, WhatIsSetAtTheStartIsKnownToThem) {
  Model m("set");
  const Expr x = m.state("x", guessed(0.0)), d = m.discrete("d", 1.0);
  m.equation(der(x) == d - x);
  m.at_start("doubles", {{d, 2.0 * pre(d)}});
  m.initial_equation(der(x) == 0.0);
  const Solution s = begun(m);
  EXPECT_NEAR(s.at("x", 0.0), 2.0, found_to);
  EXPECT_EQ(s.at("d", 0.0), 2.0);
}

TEST(InitialEquations, OneWithoutUnknownsIsRefusedWhenTheModelIsBuilt) {
  Model m("none");
  const Expr x = m.state("x", 1.0), p = m.parameter("p", 1.0);
  m.equation(der(x) == -x);
  m.initial_equation("nothing", p == 2.0);
  EXPECT_THROW((void)m.build(), ModelError);
  EXPECT_THROW(m.initial_equation("nothing", x == 2.0), ModelError);  // twice
}

TEST(InitialEquations, ManyThatSayAValueNeedNoAnalysis) {
  // An index analysis is limited to 600 columns: these are solved one after the other.
  Model m("chain");
  constexpr int n = 400;
  std::vector<Expr> x;
  for (int i = 0; i < n; ++i) x.push_back(m.state("x" + std::to_string(i), guessed(0.0)));
  const Expr p = m.parameter("p", 2.0);
  for (int i = 0; i < n; ++i) m.equation(der(x[i]) == -x[i]);
  m.initial_equation(x[0] == p);
  for (int i = 1; i < n; ++i) m.initial_equation(x[i] == x[i - 1] + 1.0);
  const Solution s = begun(m);
  ASSERT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  EXPECT_EQ(s.at("x399", 0.0), 401.0);
}

/// Temperatures along a rod, nonlinear; index 1, with its heat flows as algebraic unknowns.
void write_rod_of_heat(Model& m, int n, bool at_rest_everywhere) {
  std::vector<Expr> x, q;
  for (int i = 0; i < n; ++i) x.push_back(m.state("x" + std::to_string(i), guessed(0.5)));
  for (int i = 0; i <= n; ++i) q.push_back(m.algebraic("q" + std::to_string(i)));
  const auto at = [&](int i) { return i < 0 ? Expr(0.0) : i == n ? Expr(1.0) : x[i]; };
  for (int i = 0; i <= n; ++i) {
    const Expr here = at(i), before = at(i - 1);
    m.equation("flow " + std::to_string(i),
               q[i] == here * here * here - before * before * before + here - before);
  }
  for (int i = 0; i < n; ++i) {
    m.equation("heat " + std::to_string(i), der(x[i]) == q[i + 1] - q[i]);
    if (at_rest_everywhere || i != 7) m.initial_equation(der(x[i]) == 0.0);
  }
}

TEST(InitialEquations, LargeSystemsOfIndexOneNeedNoAnalysis) {
  constexpr int n = 200;
  Model m("rod");
  write_rod_of_heat(m, n, true);
  const Solution s = begun(m, {.t_end = 1e-3});
  ASSERT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  // x^3 + x rises by 2 / (n + 1) from one to the next.
  for (const int i : {0, 50, 199}) {
    const double x = s.at("x" + std::to_string(i), 0.0);
    EXPECT_NEAR(x * x * x + x, 2.0 * (i + 1) / (n + 1), found_to);
  }
}

TEST(InitialEquations, LargeOnesKeepGuessesToo) {
  constexpr int n = 120;
  Model m("rod");
  write_rod_of_heat(m, n, false);
  const Solution s = begun(m, {.t_end = 1e-3});
  ASSERT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    const double x = s.at("x" + std::to_string(i), 0.0);
    if (x == 0.5) ++kept;
    if (i == 7) continue;
    const auto at = [&](int k) {
      const double v = k < 0 ? 0.0 : k == n ? 1.0 : s.at("x" + std::to_string(k), 0.0);
      return v * v * v + v;
    };
    EXPECT_NEAR(at(i - 1) - 2 * at(i) + at(i + 1), 0.0, found_to);
  }
  EXPECT_EQ(kept, 1);
}

TEST(InitialEquations, LargeSystemsThatNeedAnAnalysisAreToldSo) {
  // A constraint between two states, and nothing else that says how they begin.
  Model m("large");
  std::vector<Expr> x;
  for (int i = 0; i < 400; ++i) x.push_back(m.state("x" + std::to_string(i), guessed(0.0)));
  const Expr force = m.algebraic("force");
  for (int i = 0; i < 400; ++i)
    m.equation(der(x[i]) == (i == 0 ? force - x[i] : i == 1 ? -force - x[i] : 1.0 - x[i]));
  m.equation(x[0] == x[1]);
  m.initial_equation(x[0] + x[1] == 3.0);
  const Solution s = begun(m);
  EXPECT_EQ(s.report.outcome, Outcome::not_started);
  EXPECT_NE(s.report.message.find("initial equations are solved after an index analysis"),
            std::string::npos)
      << s.report.message;
}

void write_charged_diode(Model& m) {
  // A source of 2 V charges a capacitor through a diode and a resistor, another one discharges it.
  const Expr u = m.state("u", guessed(0.0)), i = m.algebraic("i"), d = m.algebraic("d");
  m.equation("capacitor", der(u) == i - u);
  m.equation("loop", 2.0 == u + i + d);
  m.diode("D", d, i);
  m.initial_equation("at rest", der(u) == 0.0);
}

TEST(InitialEquations, TheModeIsFoundTogetherWithTheStart) {
  Model m("diode");
  write_charged_diode(m);
  const Solution s = begun(m);
  ASSERT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  EXPECT_NEAR(s.at("u", 0.0), 1.0, found_to);  // it conducts
}

// ---- derivatives --------------------------------------------------------------------------------------

Solution start_with_derivatives(Model& m, const std::string& with_respect_to) {
  RunOptions options;
  options.sensitivities = {with_respect_to};
  return begun(m, options);
}

TEST(InitialEquations, StartsHaveDerivativesWithRespectToParametersInThem) {
  Model m("cubic");
  write_cubic(m, 8.0, 1.0);
  const Solution s = start_with_derivatives(m, "p");
  ASSERT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  // x = p^(1/3), at rest for good: dx/dp = 1 / (3 x^2) = 1/12. Differences of searches are exact to about 1e-8.
  EXPECT_NEAR(s.sensitivity("x", "p", 0.0), 1.0 / 12, 1e-8);
  EXPECT_NEAR(s.sensitivity("x", "p", 1.0), 1.0 / 12, 1e-6);
}

TEST(InitialEquations, SoDoThoseOfHigherIndex) {
  Model m("rod");
  write_rod(m);
  const Solution s = start_with_derivatives(m, "place");
  ASSERT_EQ(s.report.outcome, Outcome::finished) << s.report.message;
  // y = -sqrt(1 - x^2): dy/dx = -x / y = 0.75; v = -x u / y: dv/dx = -u / y + x u / y^2 dy/dx
  EXPECT_NEAR(s.sensitivity("y", "place", 0.0), 0.75, 1e-7);
  EXPECT_NEAR(s.sensitivity("v", "place", 0.0), 0.5 / 0.8 + 0.6 * 0.5 / 0.64 * 0.75, 1e-7);
}

TEST(InitialEquations, AKeptGuessIsNoFunctionOfTheParameter) {
  Model m("decays");
  const Expr x = m.state("x", guessed(1.0)), y = m.state("y", guessed(1.0));
  m.equation(der(x) == -x);
  m.equation(der(y) == -2.0 * y);
  m.initial_equation(x + y == m.parameter("p", 3.0));
  const Solution s = start_with_derivatives(m, "p");
  EXPECT_NEAR(s.sensitivity("x", "p", 0.0), 0.0, 1e-8);
  EXPECT_NEAR(s.sensitivity("y", "p", 0.0), 1.0, 1e-8);
}

// ---- the end --------------------------------------------------------------------------------------------

TEST(AtEnd, ActionsOfTheLastInstantHaveBothLimits) {
  Model m("end");
  const Expr x = m.state("x", 0.0), over = m.discrete("over", 0.0), seen = m.discrete("seen", 0.0);
  m.equation(der(x) == 1.0);
  m.at_end("is over", {{over, 1.0}});
  m.when("look", over > 0.5, {{seen, x}});
  const Solution s = begun(m);
  EXPECT_EQ(s.report.outcome, Outcome::finished);
  EXPECT_EQ(s.at("over", 1.0, Side::left), 0.0);
  EXPECT_EQ(s.at("over", 1.0), 1.0);
  EXPECT_NEAR(s.at("seen", 1.0), 1.0, 1e-8);
  EXPECT_EQ(s.instants().size(), 1U);
}

TEST(AtEnd, AnEventAtTheEndComesBefore) {
  Model m("end");
  const Expr x = m.state("x", 0.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == 1.0);
  m.when("tick", m.every("clock", 0.5, 0.5), {{n, pre(n) + 1.0}});
  m.at_end("times ten", {{n, 10.0 * pre(n)}});
  EXPECT_EQ(begun(m).at("n", 1.0), 20.0);
}

TEST(AtEnd, ARunThatFailsHasNone) {
  Model m("fails");
  const Expr x = m.state("x", 1.0), n = m.discrete("n", 0.0);
  m.equation(der(x) == x * x * 10.0);  // infinite at 0.1
  m.at_end("end", {{n, 1.0}});
  const Solution s = begun(m);
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  EXPECT_EQ(s.final("n"), 0.0);
}

}  // namespace
}  // namespace saltus
