// Mistakes that were made once, by their symptoms.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind each_engine[] = {EngineKind::ida, EngineKind::radau, EngineKind::dopri5,
                                      EngineKind::dop853};

TEST(Symptom, FastOscillationDriftsFarFromTimeZero) {
  for (const EngineKind engine : each_engine) {
    const auto end = [&](double t_begin) {
      Model m("oscillator");
      const double w = 2000 * std::numbers::pi;
      Expr x = m.state("x", 1.0), v = m.state("v", 0.0);
      m.equation(der(x) == w * v);
      m.equation(der(v) == -w * x);
      const Solution s =
          simulate(m, {.t_begin = t_begin, .t_end = t_begin + 0.015625, .engine = engine});
      EXPECT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
      return s.final("v");
    };
    // A tick of the clock at 1.7e9 is 2.4e-7 s, a phase of 1.5e-3.
    EXPECT_NEAR(end(1.7e9), end(0.0), 3e-3) << name(engine);
  }
}

TEST(Symptom, StiffSolutionIsWrongBetweenStepsOnly) {
  for (const double rate : {1e3, 1e6, 1e8}) {
    Model m("follower");
    Expr x = m.state("x", 1.0);
    m.equation(der(x) == -rate * (x - cos(m.time())) - sin(m.time()));
    const Solution s =
        simulate(m, {.t_end = 10.0, .rtol = 1e-6, .atol = 1e-6, .engine = EngineKind::radau});
    double worst = 0.0;
    for (double t = 0; t <= 10; t += 0.01) {
      worst = std::max(worst, std::abs(s.at("x", t) - std::cos(t)));
    }
    // Between steps Radau is controlled to 0.1 rtol^(2/3) = 1e-5.
    EXPECT_LT(worst, 5e-5) << rate;
  }
}

TEST(Symptom, BlowUpTripsAnAssertion) {
  for (const EngineKind engine : each_engine) {
    Model m("explosion");
    Expr x = m.state("x", 1.0);
    m.equation(der(x) == x * x);
    const Solution s = simulate(m, {.t_end = 2.0, .engine = engine});
    EXPECT_EQ(s.report.outcome, Outcome::failed) << name(engine);
    EXPECT_NEAR(s.report.t_reached, 1.0, 1e-3) << name(engine);
    EXPECT_NE(s.report.message.find("'x' has grown to"), std::string::npos) << s.report.message;
  }
  Model m("explosion as DAE");
  Expr y = m.state("y", 1.0), z = m.algebraic("z");
  m.equation(der(y) == z * y);
  m.equation(z == y);
  EXPECT_EQ(simulate(m, {.t_end = 2.0}).report.outcome, Outcome::failed);
}

TEST(Symptom, OutputOutOfDomainClaimsTimeThatWasNotRecorded) {
  for (const EngineKind engine : each_engine) {
    Model m("emptying");
    Expr h = m.state("h", 1.0);
    m.equation(der(h) == -1.0);
    m.output("p", sqrt(h));
    const Solution s = simulate(m, {.t_end = 2.0, .engine = engine});
    EXPECT_EQ(s.report.outcome, Outcome::failed);
    EXPECT_NE(s.report.message.find("'p'"), std::string::npos);
    EXPECT_EQ(s.report.t_reached, s.trajectory.t_end());
    EXPECT_NEAR(s.final("h"), 1.0 - s.report.t_reached, 1e-6);
  }
}

TEST(Symptom, SmallQuantitiesAreNonsenseWithoutAWord) {
  const auto warnings = [](double nominal) {
    Model m("traces");
    Expr c = m.state("c", 1e-9, {.nominal = nominal});
    m.equation(der(c) == -5.0 * c + 3e-9 * sin(20.0 * m.time()));
    return simulate(m, {.t_end = 2.0}).report.warnings;
  };
  ASSERT_EQ(warnings(1.0).size(), 1u);
  EXPECT_NE(warnings(1.0)[0].find("'c' stays below the absolute tolerance"), std::string::npos);
  EXPECT_TRUE(warnings(1e-9).empty());
}

TEST(Symptom, RunsThatWereCutShortWarnOfWhatWouldHaveGrown) {
  Model m("growing");
  Expr x = m.state("x", 0.0);
  m.equation(der(x) == 1.0 + m.time());
  RunOptions options{.t_end = 2.0, .initial_step = 1e-9};
  options.limits.max_steps = 1;
  const Solution s = simulate(m, options);
  ASSERT_EQ(s.report.outcome, Outcome::step_limit);
  EXPECT_LT(s.final("x"), 1e-8);
  EXPECT_TRUE(s.report.warnings.empty());
}

TEST(Symptom, SquareRootAtZeroCannotStart) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::dop853}) {
    Model m("root");
    Expr x = m.state("x", 0.0);
    m.equation(der(x) == 1.0 - sqrt(x));
    EXPECT_TRUE(simulate(m, {.t_end = 0.5, .engine = engine}).ok()) << name(engine);
  }
}

TEST(Symptom, UnitsMakeARegularStartSingular) {
  Model m("units");
  const double g = 1e-15;
  Expr x = m.state("x", 0.0);
  Expr q = m.algebraic("q", {.nominal = 1e5 * g}), p = m.algebraic("p", {.nominal = 1e5}),
       pm = m.algebraic("pm", {.nominal = 1e5});
  m.equation(der(x) == 1.0 - x);
  m.equation(q == 1e5 * g * x);
  m.equation(q == g * p);
  m.equation(pm == p + 100.0);
  const Solution s = simulate(m, {.t_end = 1.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("pm"), 1e5 * (1 - std::exp(-1.0)) + 100.0, 1.0);

  Model n("mixed");
  Expr w = n.state("w", 0.0), y = n.algebraic("y", {.nominal = 1e9}),
       z = n.algebraic("z", {.nominal = 1e-9});
  n.equation(der(w) == 1.0 - w);
  n.equation(1e-9 * y + 1e9 * z == 2.0 * w);
  n.equation(1e-9 * y - 1e9 * z == 0.5);
  EXPECT_TRUE(simulate(n, {.t_end = 1.0}).ok());
}

TEST(Symptom, ALargeDerivativeHidesAnInconsistentOne) {
  Model m("two scales");
  Expr a = m.state("a", 0.0, {.nominal = 1e12});
  Expr b = m.state("b", 0.0, {.derivative_guess = -2.0});
  m.equation(der(a) == 1e12);
  m.equation(der(b) * der(b) * der(b) - 2.0 * der(b) + 2.0 == 0.0);
  const Solution s = simulate(m, {.t_end = 1.0, .engine = EngineKind::radau});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("b"), -1.7692923542386314, 1e-5);
}

TEST(Symptom, DenseOutputExplodesAfterSignsWereCorrected) {
  Model m("stiff decay");
  Expr a = m.state("a", 1.0), b = m.state("b", 0.0);
  m.equation(der(a) == -a);
  m.equation(der(b) == a - 1000.0 * b);
  RunOptions o{.t_end = 50.0,
               .rtol = 1e-4,
               .atol = 1e-4,
               .engine = EngineKind::dop853,
               .non_negative = {"a", "b"}};
  o.output.points = OutputPoints::grid;
  o.output.interval = 0.05;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok());
  for (const double v : s.trajectory.column("b")) EXPECT_LT(std::abs(v), 1e-2);
}

TEST(Symptom, ATankThatMayNotRunNegativeStopsTheRunWhenEmpty) {
  for (const EngineKind engine : each_engine) {
    Model m("tank");
    Expr h = m.state("h", 1.0);
    m.equation(der(h) == -sqrt(h));
    RunOptions o{.t_end = 4.0, .engine = engine, .non_negative = {"h"}};
    const Solution s = simulate(m, o);
    EXPECT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
    EXPECT_NEAR(s.final("h"), 0.0, 1e-4) << name(engine);
    EXPECT_GE(s.final("h"), 0.0) << name(engine);
  }
}

TEST(Symptom, TheLastStepOfALoopIsNeverSeen) {
  Model m("decay");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  auto run = start_run(m, {.t_end = 1.0});
  double last = 0.0;
  while (run.advance()) last = run.t();
  EXPECT_EQ(last, 1.0);
}

TEST(Symptom, ARoundedEndIsOutsideTheSolution) {
  Model m("decay");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  const Solution s = simulate(m, {.t_end = 0.3});
  EXPECT_EQ(s.at("x", 0.1 + 0.2), s.at("x", 0.3));
  EXPECT_THROW((void)s.at("x", 0.31), Error);
}

/// A root that exists on its own side only, as an output.
Solution with_root_as_output(double speed, double height, BeyondPolicy beyond) {
  Model m("falling");
  Expr x = m.state("x", height);
  m.equation(der(x) == -speed * (1.0 + 0.1 * x * x));
  m.output("root", where(x > 0.0, sqrt(x), 0.0));
  RunOptions options{.t_end = 3.0, .engine = EngineKind::dopri5};
  options.events.beyond = beyond;
  return simulate(m, options);
}

/// Two tanks: the pipe between them exists only while the first is fuller, the weir only above its edge.
Solution two_tanks(double level, EngineKind engine) {
  Model m("tanks");
  const Expr h1 = m.state("h1", 1.2), h2 = m.state("h2", level);
  const Expr q = where(h1 > h2, 0.004 * sqrt(19.62 * (h1 - h2)), 0.0);
  const Expr over = where(h2 > 0.8, 0.36 * pow(h2 - 0.8, 1.5), 0.0);
  m.equation(der(h1) == -q);
  m.equation(0.5 * der(h2) == q - over - 0.001 * sqrt(h2));
  RunOptions o{.t_end = 600.0};
  o.engine = engine;
  return simulate(m, o);
}

// Levels become equal: the square root cannot be evaluated beyond, and the flow is stiff before.
TEST(Symptom, AStiffEngineTakesOverBesideASurface) {
  int n_replaced = 0;
  for (int k = 0; k < 40; ++k) {
    const double level = 0.01 + 0.028 * k;
    const Solution s = two_tanks(level, EngineKind::automatic);
    ASSERT_TRUE(s.ok()) << level << ": " << s.report.message;
    for (const DecisionRecord& choice : s.report.choices)
      n_replaced += choice.name == "engine" && choice.reason.find("from t = ") != std::string::npos;
    const Solution other = two_tanks(level, EngineKind::dopri5);
    EXPECT_NEAR(s.final("h1"), other.final("h1"), 1e-3) << level;  // the default tolerances
    EXPECT_EQ(s.report.events.counts.n_interruptions, other.report.events.counts.n_interruptions)
        << level;
  }
  EXPECT_GT(n_replaced, 20);
}

TEST(Symptom, OutputThatEndsAtASurfaceEndsTheRun) {
  int n_refused = 0;
  for (int k = 0; k < 20; ++k) {
    const double speed = 0.5 + 0.037 * k, height = 1.0 - 0.011 * k;
    const Solution s = with_root_as_output(speed, height, BeyondPolicy::continued);
    EXPECT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.instants().size(), 1U);
    EXPECT_EQ(s.final("root"), 0.0);
    EXPECT_NEAR(s.at("root", 0.0), std::sqrt(height), 1e-15);
    // Taken at most 2e-7 inside, where the root is 5e-4.
    EXPECT_NEAR(s.at("root", s.instants()[0].t, Side::left), 0.0, 5e-4);
    if (!with_root_as_output(speed, height, BeyondPolicy::refused).ok()) ++n_refused;
  }
  // The twin: some of these events lie beyond their surface.
  EXPECT_GT(n_refused, 0);
}

}  // namespace
}  // namespace saltus
