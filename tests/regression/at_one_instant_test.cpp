// Complaints: what other tools do to values at the instant of an event.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

#include "problems/switched_problem.hpp"
#include "regression/naive.hpp"

namespace saltus {
namespace {

constexpr EngineKind implicit_engines[] = {EngineKind::radau, EngineKind::ida};

// ---- DiffEqBase#889, ModelingToolkit#3819: of simultaneous events only the first runs, or none ends ---

TEST(ComplaintsDiffEqBase889, SimultaneousEventsAllRunOnce) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("twins");
    Expr x = m.state("x", 0.0), y = m.state("y", 0.0);
    Expr a = m.discrete("a", 0.0), b = m.discrete("b", 0.0), c = m.discrete("c", 0.0);
    m.equation(der(x) == 1.0);
    m.equation(der(y) == 1.0);
    m.when("x arrives", x > 1.0, {{a, pre(a) + 1.0}, {x, 0.0}});
    m.when("y arrives", y > 1.0, {{b, pre(b) + 1.0}, {y, 0.0}});
    m.when("time", m.time() >= 2.0, {{c, pre(c) + 1.0}});
    RunOptions o = {.t_end = 3.5, .engine = engine};
    o.limits.max_events = 100;
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.final("a"), 3.0) << name(engine);
    EXPECT_EQ(s.final("b"), 3.0) << name(engine);
    EXPECT_EQ(s.final("c"), 1.0) << name(engine);
  }
}

TEST(ComplaintsDiffEqBase889, NaiveLoopRunsTheFirstOfTwo) {
  // One function for both: the sign of the product does not change when both change at once.
  int n = 0;
  const auto found = test::run_naively({.x = {0.0, 0.0},
                                        .f =
                                            [](double, auto, auto xdot) {
                                              xdot[0] = 1.0;
                                              xdot[1] = 1.0;
                                            },
                                        .g = [](double, auto x) { return (x[0] - 1) * (x[1] - 1); },
                                        .effect = [&](double, auto) { ++n; },
                                        .t_end = 3.0});
  EXPECT_TRUE(found.times.empty());
  // The first one found, the state reset, the other one then has no sign to change from.
  int first = 0, second = 0;
  const auto one = test::run_naively({.x = {0.0, 0.0},
                                      .f =
                                          [](double, auto, auto xdot) {
                                            xdot[0] = 1.0;
                                            xdot[1] = 1.0;
                                          },
                                      .g = [](double, auto x) { return x[0] - 1; },
                                      .effect =
                                          [&](double, auto x) {
                                            ++first;
                                            second += x[1] > 1.0;
                                            x[0] = 0.0;
                                          },
                                      .t_end = 1.5});
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  EXPECT_GT(one.x[1], 1.4);
}

// ---- ModelingToolkit#4661: an event that changes nothing resets the state of a DAE --------------------

void write_two_branches(Model& m, bool with_event) {
  // y^2 = x has two solutions; the run begins on the lower one.
  Expr x = m.state("x", 1.0), y = m.algebraic("y", {.guess = -1.0}), n = m.discrete("n", 0.0);
  m.equation(der(x) == -0.5 * x);
  m.equation(y * y == x);
  if (with_event) m.when("count", m.time() > 0.7, {{n, pre(n) + 1.0}});
}

TEST(ComplaintsModelingToolkit4661, AnEventThatSetsNoUnknownLeavesTheStateAlone) {
  for (const EngineKind engine : implicit_engines) {
    Model with("with"), without("without");
    write_two_branches(with, true);
    write_two_branches(without, false);
    const RunOptions o = {.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8, .engine = engine};
    const Solution a = simulate(with, o), b = simulate(without, o);
    ASSERT_TRUE(a.ok() && b.ok()) << a.report.message << b.report.message;
    ASSERT_EQ(a.instants().size(), 1u);
    EXPECT_NEAR(a.final("y"), -std::exp(-0.25), 5000 * 1e-8);
    EXPECT_NEAR(a.final("y"), b.final("y"), 5000 * 1e-8);
    // Consistency may polish what the steps left of an equation; nothing moves by a tolerance.
    for (const Jump& j : a.instants()[0].jumps) {
      EXPECT_TRUE(j.discrete || j.in_tolerances < 1.0)
          << j.variable << " moved by " << j.after - j.before;
    }
  }
}

TEST(ComplaintsModelingToolkit4661, NaiveReinitialisationFromDefaultsJumpsToTheOtherBranch) {
  Model m("fresh start");
  Expr x = m.state("x", 1.0), y = m.algebraic("y", {.guess = 1.0});
  m.equation(der(x) == -0.5 * x);
  m.equation(y * y == x);
  const auto system = *compile_model(m.build())->system({});
  const auto workspace = system->workspace();
  StartValues at_event = system->start_values();  // what the model says, not where the run is
  const std::vector<double> weights(2, 1e6);
  const auto found = find_consistent_start(*system, *workspace, 0.7, at_event, weights);
  ASSERT_TRUE(found);
  EXPECT_GT(found->x[0] + found->x[1], 1.9);  // x and y both 1: neither is where it was
}

// ---- ModelingToolkit#3254: algebraic variables change silently at an event ----------------------------

TEST(ComplaintsModelingToolkit3254, WhatConsistencyChangesIsListedWithItsSize) {
  for (const EngineKind engine : implicit_engines) {
    Model m("dose");
    Expr x = m.state("x", 1.0), y = m.algebraic("y");
    m.equation(der(x) == -x);
    m.equation("slave", y == 3.0 * x + 1.0);
    m.when("dose", m.time() > 0.5, {{x, 2.0}});
    const Solution s = simulate(m, {.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.instants().size(), 1u);
    bool listed = false;
    for (const Jump& j : s.instants()[0].jumps) {
      if (j.variable != "y") continue;
      listed = true;
      EXPECT_EQ(j.cause, JumpCause::consistency);
      EXPECT_NEAR(j.before, 3 * std::exp(-0.5) + 1, 5000 * 1e-8);
      EXPECT_NEAR(j.after, 7.0, 1e-8);
    }
    EXPECT_TRUE(listed);
    EXPECT_NE(s.explain(s.events()[0]).find("y"), std::string::npos);
  }
}

TEST(ComplaintsModelingToolkit3254, NaiveListOfAssignmentsDoesNotMentionIt) {
  Model m("dose");
  Expr x = m.state("x", 1.0), y = m.algebraic("y");
  m.equation(der(x) == -x);
  m.equation("slave", y == 3.0 * x + 1.0);
  m.when("dose", m.time() > 0.5, {{x, 2.0}});
  const auto definition = m.build();
  const auto clauses = definition->when_clauses();
  ASSERT_EQ(clauses.size(), 1u);
  EXPECT_EQ(clauses[0].assignments.size(), 1u);  // x alone, and yet y moves by four
}

// ---- SciMLSensitivity#1447: 7 % error when an event is within an ulp of an output point ---------------

void write_sawtooth(Model& m) {
  Expr x = m.state("x", 0.0), z = m.state("z", 0.0);
  m.equation(der(x) == 1.0);
  m.equation(der(z) == x);
  m.when("fall", m.time() >= 0.5, {{x, 0.0}});
}

TEST(ComplaintsSciMLSensitivity1447, OutputWithinAnUlpOfAnEventIsRight) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("sawtooth");
    write_sawtooth(m);
    RunOptions o = {.t_end = 1.0, .rtol = 1e-9, .atol = 1e-9, .engine = engine};
    o.output.points = OutputPoints::times;
    const double before = std::nextafter(0.5, 0.0), after = std::nextafter(0.5, 1.0);
    o.output.times = {before, 0.5, after, 1.0};
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.instants().size(), 1u);
    EXPECT_EQ(s.instants()[0].t, 0.5);
    EXPECT_NEAR(s.at("x", before), 0.5, 5000 * 1e-9);
    EXPECT_NEAR(s.at("x", 0.5, Side::left), 0.5, 5000 * 1e-9);
    EXPECT_NEAR(s.at("x", 0.5, Side::right), 0.0, 5000 * 1e-9);
    EXPECT_NEAR(s.at("x", after), 0.0, 5000 * 1e-9);
    EXPECT_NEAR(s.final("z"), 0.25, 5000 * 1e-9);
  }
}

TEST(ComplaintsSciMLSensitivity1447, NaiveStopsAtOutputPointsLoseTheEvent) {
  // A loop that stops at the output point an ulp before the event and goes on from the one an ulp behind it
  // never makes a step in which the condition changes its sign.
  const double before = std::nextafter(0.5, 0.0), after = std::nextafter(0.5, 1.0);
  const auto f = [](double, auto, auto xdot) { xdot[0] = 1.0; };
  const auto g = [](double t, auto) { return t - 0.5; };
  const auto fall = [](double, auto x) { x[0] = 0.0; };
  auto stretch = test::run_naively({.x = {0.0}, .f = f, .g = g, .effect = fall, .t_end = before});
  std::size_t n_events = stretch.times.size();
  const auto rest = [&](double t, auto x) { return g(t + after, x); };
  stretch =
      test::run_naively({.x = stretch.x, .f = f, .g = rest, .effect = fall, .t_end = 1.0 - after});
  n_events += stretch.times.size();
  EXPECT_EQ(n_events, 0u);
  EXPECT_NEAR(stretch.x[0], 1.0, 1e-9);  // should be 0.5
}

}  // namespace
}  // namespace saltus
