// How a run goes from mode to mode.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

// Of runs. Events and what follows exactly from them are right to some tolerances, ends of stretches on Radau to
// a hundred, on IDA and after several stretches to a thousand.
constexpr double mode_tol = 1e-8;

RunOptions run_until(double t_end) {
  RunOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = mode_tol;
  return options;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// x rises, then falls; the guards and options of what leads to "down" are the caller's.
struct UpAndDown {
  Model m{"up and down"};
  Expr x = m.state("x", 0.0);
  ModeId up = m.mode("up"), down = m.mode("down");
  UpAndDown() {
    m.equation(up, der(x) == 1.0);
    m.equation(down, der(x) == -1.0);
  }
};

/// Capacitors of 1 and 3 F; what the switch is when closed, and when it closes, is the caller's.
struct Capacitors {
  Model m{"capacitors"};
  Expr v1, v2, i = m.algebraic("i");
  ModeId open = m.mode("open"), closed = m.mode("closed");
  Capacitors(double start1, double start2) : v1(m.state("v1", start1)), v2(m.state("v2", start2)) {
    m.equation(der(v1) == -i);
    m.equation(3.0 * der(v2) == i);
    m.equation(open, i == 0.0);
  }
};

TEST(ModeRuns, AModeIsLeftWhereItsGuardBecomesTrue) {
  UpAndDown w;
  w.m.transition("top", w.up, w.down, w.x > 1.0);
  const Solution s = simulate(w.m, run_until(1.5));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("x"), 0.5, 10 * mode_tol);
  ASSERT_EQ(s.event_times("top").size(), 1U);
  EXPECT_NEAR(s.event_times("top")[0], 1.0, 10 * mode_tol);
  ASSERT_EQ(s.report.modes.size(), 2U);
  EXPECT_EQ(s.report.modes[0].n_stays, 1U);
  EXPECT_NEAR(s.report.modes[0].duration, 1.0, 10 * mode_tol);
  EXPECT_EQ(s.trajectory.segments().front().mode, "up");
  EXPECT_EQ(s.trajectory.segments().back().mode, "down");
}

TEST(ModeRuns, TwoTransitionsToDifferentModesNeedPriorities) {
  for (const bool with_priority : {false, true}) {
    UpAndDown w;
    const ModeId rest = w.m.mode("rest");
    w.m.equation(rest, der(w.x) == 0.0);
    w.m.transition("turn", w.up, w.down, w.x > 1.0);
    w.m.transition("stop", w.up, rest, w.x > 1.0, {.priority = with_priority ? 1 : 0});
    const Solution s = simulate(w.m, run_until(2.0));
    if (with_priority) {
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_EQ(s.trajectory.segments().back().mode, "rest");
      continue;
    }
    EXPECT_EQ(s.report.outcome, Outcome::failed);
    EXPECT_TRUE(contains(s.report.message, "'turn'")) << s.report.message;
    EXPECT_TRUE(contains(s.report.message, "'stop'")) << s.report.message;
  }
}

TEST(ModeRuns, ModesThatLeadBackToEachOtherAreRefusedByName) {
  UpAndDown w;
  w.m.transition("top", w.up, w.down, w.x > 1.0);
  w.m.transition("bottom", w.down, w.up, w.x > 0.5);
  const Solution s = simulate(w.m, run_until(2.0));
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  EXPECT_NEAR(s.report.t_reached, 1.0, 10 * mode_tol);
  EXPECT_TRUE(contains(s.report.message, "'top'")) << s.report.message;
  EXPECT_TRUE(contains(s.report.message, "'bottom'")) << s.report.message;
}

/// Mode "short" would discharge the capacitor; it is left at once, and must leave no trace.
TEST(ModeRuns, AModeThatLastsNoTimeDoesNotTouchTheState) {
  Model m("mythical");
  Expr v = m.state("v", 2.0), i = m.algebraic("i");
  const ModeId open = m.mode("open"), shorted = m.mode("short"), loaded = m.mode("loaded");
  m.equation(der(v) == i);
  m.equation(open, i == 0.0);
  m.equation(shorted, v == 0.0);
  m.equation(loaded, i == -v);
  m.transition("closes", open, shorted, m.time() > 1.0);
  m.transition("current flows back", shorted, loaded, i < 0.0);
  const Solution s = simulate(m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.at("v", 1.0, Side::right), 2.0);
  EXPECT_NEAR(s.final("v"), 2.0 * std::exp(-1.0), 100 * mode_tol);
  ASSERT_EQ(s.instants().size(), 1U);
  const EventInstant& instant = s.instants()[0];
  ASSERT_EQ(instant.candidates.size(), 2U);
  EXPECT_TRUE(instant.candidates[0].passed);
  ASSERT_FALSE(instant.candidates[0].impulses.empty());
  EXPECT_EQ(instant.candidates[0].impulses[0].variable, "i");
  EXPECT_NEAR(instant.candidates[0].impulses[0].strength, -2.0, 1e-9);
  EXPECT_TRUE(instant.candidates[1].taken);
  EXPECT_TRUE(instant.impulses.empty());
  EXPECT_EQ(s.event_log.n_events(EventKind::structural), 2U);
}

/// The twin: where the shorted mode stays, the charge is gone.
TEST(ModeRuns, AModeThatStaysTakesItsImpulse) {
  Model m("shorted");
  Expr v = m.state("v", 2.0), i = m.algebraic("i");
  const ModeId open = m.mode("open"), shorted = m.mode("short");
  m.equation(der(v) == i);
  m.equation(open, i == 0.0);
  m.equation(shorted, v == 0.0);
  m.transition("closes", open, shorted, m.time() > 1.0);
  const Solution s = simulate(m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.at("v", 1.0, Side::left), 2.0);
  EXPECT_EQ(s.at("v", 1.0, Side::right), 0.0);
  ASSERT_EQ(s.instants().size(), 1U);
  ASSERT_EQ(s.instants()[0].impulses.size(), 1U);
  EXPECT_NEAR(s.instants()[0].impulses[0].strength, -2.0, 1e-9);
}

TEST(ModeRuns, MapsOnTheWayThroughAModeStay) {
  Model m("mapped on the way");
  Expr x = m.state("x", 1.0);
  const ModeId first = m.mode("first"), between = m.mode("between"), last = m.mode("last");
  for (const ModeId mode : {first, between, last}) m.equation(mode, der(x) == 0.0);
  m.transition("reset", first, between, m.time() > 1.0, {.maps = {{x, 2.0 * pre(x)}}});
  m.transition("on", between, last, x > 1.5);
  const Solution s = simulate(m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("x"), 2.0);
  EXPECT_EQ(s.trajectory.segments().back().mode, "last");
  ASSERT_EQ(s.instants()[0].jumps.size(), 1U);
  EXPECT_EQ(s.instants()[0].jumps[0].cause, JumpCause::map);
}

TEST(ModeRuns, ARunMayLeaveItsFirstModeBeforeAnyTimeHasPassed) {
  UpAndDown w;
  w.m.transition("top", w.up, w.down, w.x > -1.0);
  const Solution s = simulate(w.m, run_until(1.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("x"), -1.0, 10 * mode_tol);
  EXPECT_EQ(s.trajectory.segments().front().mode, "down");
  EXPECT_EQ(s.event_times("top"), std::vector<double>{0.0});
}

TEST(ModeRuns, ARunBeginsInTheModeThatIsAskedFor) {
  UpAndDown w;
  RunOptions options = run_until(1.0);
  options.mode = "down";
  EXPECT_NEAR(simulate(w.m, options).final("x"), -1.0, 10 * mode_tol);
  options.mode = "dawn";
  EXPECT_THROW(simulate(w.m, options), OptionError);
}

TEST(ModeRuns, RequirementsEndARunThatNothingLeadsOutOf) {
  UpAndDown w;
  w.m.require(w.up, w.x < 0.5);
  const Solution s = simulate(w.m, run_until(1.0));
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  EXPECT_NEAR(s.report.t_reached, 0.5, 100 * mode_tol);
  EXPECT_TRUE(contains(s.report.message, "x < 0.5")) << s.report.message;

  UpAndDown from_the_start;
  from_the_start.m.require(from_the_start.up, from_the_start.x > 0.5);
  const Solution none = simulate(from_the_start.m, run_until(1.0));
  EXPECT_EQ(none.report.outcome, Outcome::not_started);
  EXPECT_TRUE(contains(none.report.message, "x > 0.5")) << none.report.message;
}

TEST(ModeRuns, ATransitionWithoutAPossibleCandidateSaysWhyForEach) {
  UpAndDown w;
  const ModeId other = w.m.mode("other");
  w.m.equation(other, der(w.x) == 0.0);
  w.m.require(w.down, w.x < 0.0);
  w.m.require(other, w.x > 2.0);
  w.m.transition("top", w.up, std::vector<ModeId>{w.down, other}, w.x > 1.0);
  const Solution s = simulate(w.m, run_until(2.0));
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  for (const char* part : {"'top'", "'down'", "x < 0", "'other'", "x > 2"})
    EXPECT_TRUE(contains(s.report.message, part)) << part << ": " << s.report.message;
}

TEST(ModeRuns, SeveralPossibleCandidatesAreNotUnique) {
  UpAndDown w;
  const ModeId other = w.m.mode("other");
  w.m.equation(other, der(w.x) == 0.0);
  w.m.transition("top", w.up, std::vector<ModeId>{w.down, other}, w.x > 1.0);
  const Solution s = simulate(w.m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.trajectory.segments().back().mode, "down");
  ASSERT_EQ(s.report.warnings.size(), 1U);
  EXPECT_TRUE(contains(s.report.warnings[0], "not unique")) << s.report.warnings[0];
}

TEST(ModeRuns, AVariableThatAModeLacksIsAbsentOrHeld) {
  Model m("rope");
  Expr y = m.state("y", 1.0), force = m.algebraic("force");
  const ModeId taut = m.mode("taut"), slack = m.mode("slack");
  m.equation(taut, y == 1.0);
  m.equation(taut, der(y, 2) == force - 2.0);
  m.equation(slack, der(y, 2) == -2.0);
  m.transition("cut", taut, slack, m.time() > 1.0);
  Solution s = simulate(m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("force", 0.5), 2.0, 10 * mode_tol);
  EXPECT_THROW(s.at("force", 1.5), Error);
  EXPECT_NEAR(s.final("y"), 0.0, 100 * mode_tol);
  RunOptions options = run_until(2.0);
  options.output.absent = AbsentVariables::held;
  s = simulate(m, options);
  EXPECT_NEAR(s.at("force", 1.5), 2.0, 10 * mode_tol);
}

TEST(ModeRuns, DiscreteVariablesGoFromModeToMode) {
  UpAndDown w;
  Expr n = w.m.discrete("n", 0.0);
  w.m.when("count", w.m.every("tick", 0.1, 0.2), {{n, pre(n) + 1.0}});
  w.m.transition("top", w.up, w.down, w.x > 0.45);
  w.m.transition("bottom", w.down, w.up, w.x < 0.0);
  const Solution s = simulate(w.m, run_until(1.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("n"), 5.0);
}

TEST(ModeRuns, EquationsBetweenLimitsDecideTheNewValues) {
  Model m("clutch");
  Expr w1 = m.state("w1", 3.0), w2 = m.state("w2", 0.0), torque = m.algebraic("torque");
  const ModeId open = m.mode("open"), engaged = m.mode("engaged");
  m.equation(der(w1) == -torque);
  m.equation(2.0 * der(w2) == torque);
  m.equation(open, torque == 0.0);
  m.equation(engaged, w1 == w2);
  m.output("momentum", w1 + 2.0 * w2);
  m.output("energy", 0.5 * w1 * w1 + w2 * w2);
  m.transition("engage", open, engaged, m.time() > 1.0,
               {.free = {w1, w2},
                .equations = {w1 + 2.0 * w2 == pre(w1) + 2.0 * pre(w2)},
                .conserved = {"momentum", "energy"}});
  const Solution s = simulate(m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("w1"), 1.0, 10 * mode_tol);
  EXPECT_NEAR(s.final("w2"), 1.0, 10 * mode_tol);
  const EventInstant& instant = s.instants()[0];
  ASSERT_EQ(instant.conserved.size(), 2U);
  EXPECT_TRUE(instant.conserved[0].kept);
  EXPECT_FALSE(instant.conserved[1].kept);  // what a clutch loses
  ASSERT_EQ(s.report.warnings.size(), 1U);
  EXPECT_TRUE(contains(s.report.warnings[0], "'energy'")) << s.report.warnings[0];
}

/// The same clutch, which may break as soon as it is engaged.
Solution through_engaged(bool leads_on) {
  Model m("clutch that opens");
  Expr w1 = m.state("w1", 3.0), w2 = m.state("w2", 0.0), torque = m.algebraic("torque");
  const ModeId open = m.mode("open"), engaged = m.mode("engaged"), broken = m.mode("broken");
  m.equation(der(w1) == -torque);
  m.equation(2.0 * der(w2) == torque);
  for (const ModeId free : {open, broken}) m.equation(free, torque == 0.0);
  m.equation(engaged, w1 == w2);
  m.transition("engage", open, engaged, m.time() > 1.0,
               {.free = {w1, w2}, .equations = {w1 + 2.0 * w2 == pre(w1) + 2.0 * pre(w2)}});
  if (leads_on) m.transition("breaks", engaged, broken, w1 > 0.5);
  return simulate(m, run_until(3.0));
}

TEST(ModeRuns, EquationsIntoAModeThatIsLeftAtOnceAreNotDroppedSilently) {
  const Solution s = through_engaged(true);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("w1"), 3.0);
  ASSERT_EQ(s.report.warnings.size(), 1U);
  for (const char* part : {"t = 1 ", "'engage'", "'engaged'", "'broken'", "had no effect"})
    EXPECT_TRUE(contains(s.report.warnings[0], part)) << s.report.warnings[0];
  // The twin: where the mode stays they have an effect, and nothing is to be said.
  const Solution stays = through_engaged(false);
  ASSERT_TRUE(stays.ok()) << stays.report.message;
  EXPECT_NEAR(stays.final("w1"), 1.0, 10 * mode_tol);
  EXPECT_TRUE(stays.report.warnings.empty());
}

/// The same event sets q, by which another clause acts, and leaves the mode or does not.
Solution sets_and_leaves(EngineKind engine, bool leaves) {
  Model m("set and leave");
  Expr x = m.state("x", 0.0), q = m.discrete("q", 0.0), n = m.discrete("n", 0.0);
  const ModeId slow = m.mode("slow"), fast = m.mode("fast");
  m.equation(slow, der(x) == 1.0);
  m.equation(fast, der(x) == 2.0);
  m.when("arm", x > 1.0, {{q, 1.0}});
  m.when("count", q > 0.5, {{n, pre(n) + 1.0}});
  m.transition("on", slow, fast, x > (leaves ? 1.0 : 100.0));
  RunOptions options = run_until(3.0);
  options.engine = engine;
  return simulate(m, options);
}

TEST(ModeRuns, WhatTheLastActionOfAModeMakesTrueActsInTheNext) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida, EngineKind::dop853}) {
    for (const bool leaves : {false, true}) {
      const Solution s = sets_and_leaves(engine, leaves);
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_EQ(s.final("q"), 1.0) << name(engine) << leaves;
      EXPECT_EQ(s.final("n"), 1.0) << name(engine) << leaves;
    }
  }
}

/// x falls through zero in every other second; w exists in the first mode only.
Solution falls_without(bool lacks_it, bool in_value) {
  Model m("omitted");
  Expr x = m.state("x", 1.5), w = m.state("w", 0.0), n = m.discrete("n", 0.0);
  const ModeId with = m.mode("with"), without = m.mode("without");
  m.equation(der(x) == where(m.time() < 3.0, -1.0, where(m.time() < 5.0, 1.0, -1.0)));
  m.equation(with, der(w) == 0.0);
  if (!lacks_it) m.equation(without, der(w) == 1.0);
  if (lacks_it) m.equation(without, m.algebraic("other") == x);
  if (in_value)
    m.when("note", x < 0.0, {{n, n + 1.0 + w}});
  else
    m.when("note", x < 0.0, {{w, 5.0}, {n, n + 1.0}});
  m.transition("on", with, without, m.time() > 1.0);
  return simulate(m, run_until(7.0));
}

TEST(ModeRuns, AClauseThatAModeCannotCarryOutIsNotSkippedSilently) {
  const auto left_out = [](const Solution& s) {
    std::vector<std::string> said;
    for (const DecisionRecord& choice : s.report.choices)
      if (choice.used == "left out") said.push_back(choice.name + ": " + choice.reason);
    return said;
  };
  for (const bool in_value : {false, true}) {
    const Solution s = falls_without(true, in_value);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.final("n"), 0.0);
    EXPECT_EQ(s.event_times("note").size(), 0U);
    EXPECT_TRUE(s.report.warnings.empty());
    ASSERT_EQ(left_out(s).size(), 1U);
    for (const char* part : {"'note'", "'w'", "'without'"})
      EXPECT_TRUE(contains(left_out(s)[0], part)) << left_out(s)[0];
    // The twin: a mode that has all of it.
    const Solution done = falls_without(false, in_value);
    ASSERT_TRUE(done.ok()) << done.report.message;
    EXPECT_GE(done.final("n"), 2.0);
    EXPECT_TRUE(left_out(done).empty());
  }
}

/// What lies on the floor does not bounce: its condition rests on its surface there, and marks no step.
TEST(ModeRuns, AClauseThatAModeLacksIsNotWatchedThere) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("dropped");
    const Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
    const ModeId flying = m.mode("flying"), lying = m.mode("lying");
    m.equation(flying, der(h) == v);
    m.equation(flying, der(v) == -9.81);
    m.equation(lying, h == 0.0);
    m.when("bounce", h < 0.0, {reinit(v, -0.1 * pre(v))});
    m.transition("lands", flying, lying, h < 0.0 && abs(v) < 1.0);
    RunOptions options = run_until(2.0);
    options.engine = engine;
    const Solution s = simulate(m, options);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.event_times("bounce").size(), 1U);
    EXPECT_TRUE(s.report.all_transitions_smooth()) << to_text(s.report);
    EXPECT_TRUE(s.report.warnings.empty());
  }
}

/// Two inertias that become one; how their speeds start is the caller's.
Solution engaged(const std::function<TransitionOptions(Expr w1, Expr w2)>& options) {
  Model m("clutch");
  Expr w1 = m.state("w1", 3.0), w2 = m.state("w2", 0.0), torque = m.algebraic("torque");
  const ModeId open = m.mode("open"), closed = m.mode("closed");
  m.equation(der(w1) == -torque);
  m.equation(2.0 * der(w2) == torque);
  m.equation(open, torque == 0.0);
  m.equation(closed, w1 == w2);
  m.transition("engage", open, closed, m.time() > 1.0, options(w1, w2));
  return simulate(m, run_until(2.0));
}

TEST(ModeRuns, AMapIsKeptOrRefused) {
  const Solution wrong = engaged([](Expr w1, Expr w2) {
    return TransitionOptions{.maps = {{w1, 1.0}, {w2, 2.0}}};
  });
  EXPECT_EQ(wrong.report.outcome, Outcome::failed);
  EXPECT_TRUE(contains(wrong.report.message, "its map gives 'w1' the value 1"))
      << wrong.report.message;
  const Solution right = engaged([](Expr w1, Expr w2) {
    return TransitionOptions{.maps = {{w1, 1.5}}, .free = {w2}};
  });
  ASSERT_TRUE(right.ok()) << right.report.message;
  EXPECT_NEAR(right.final("w2"), 1.5, 10 * mode_tol);
}

TEST(ModeRuns, WhatIsFreeMustBeDetermined) {
  const Solution s = engaged([](Expr w1, Expr w2) { return TransitionOptions{.free = {w1, w2}}; });
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  EXPECT_TRUE(contains(s.report.message, "1 equation is missing")) << s.report.message;
}

TEST(ModeRuns, APositionThatIsTornIsWarnedOf) {
  Model m("gripper");
  Expr g = m.state("g", 1.0, {.derivative_start = -1.0}), b = m.state("b", 0.0);
  Expr force = m.algebraic("force");
  const ModeId apart = m.mode("apart"), tied = m.mode("tied");
  m.equation(apart, der(g, 2) == 0.0);
  m.equation(apart, der(b, 2) == 0.0);
  m.equation(tied, der(g, 2) == -force);
  m.equation(tied, der(b, 2) == force);
  m.equation(tied, g == b);
  m.transition("close", apart, tied, g < 0.5);
  const Solution s = simulate(m, run_until(1.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.report.warnings.size(), 1U);
  EXPECT_TRUE(contains(s.report.warnings[0], "'close'")) << s.report.warnings[0];
}

/// A diode whose source jumps below the capacitor blocks: what the conducting mode would have made of the
/// capacitor at that instant is no part of the solution.
TEST(ModeRuns, WhatTheModeThatIsLeftWouldDoAtTheInstantDoesNotHappen) {
  const double times[] = {0.0, 1.0, 2.0}, values[] = {3.0, -5.0, -5.0};
  Model m("source that drops");
  const Expr u = m.input("u", table(times, values, Interpolation::step));
  Expr v = m.state("v", 3.0), i = m.algebraic("i");
  const ModeId on = m.mode("on"), off = m.mode("off");
  m.equation(2.0 * der(v) == i - v);
  m.equation(on, v == u);
  m.equation(off, i == 0.0);
  m.require(on, i >= 0.0);
  m.require(off, u <= v);
  m.transition("blocks", on, off, i < 0.0);
  const Solution s = simulate(m, run_until(1.5));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("v", 1.0, Side::right), 3.0, 10 * mode_tol);
  EXPECT_NEAR(s.final("v"), 3.0 * std::exp(-0.25), 100 * mode_tol);
}

/// R = 0 makes the closed mode one of index 2, R = 2 one of index 1.
TEST(ModeRuns, AModeIsAnalysedAnewWhereItsIndexHasChanged) {
  for (const double first : {0.0, 2.0}) {
    Capacitors c(4.0, 4.0);
    Model& m = c.m;
    Expr r = m.discrete("r", first);
    m.equation(c.closed, c.v1 - c.v2 == r * c.i);
    const Cond is_closed = sin(std::numbers::pi * m.time()) < 0.0;
    m.when("replaced", m.time() > 2.5, {{r, 2.0 - first}, {c.v1, 10.0}});
    m.transition("close", c.open, c.closed, is_closed);
    m.transition("open", c.closed, c.open, !is_closed);
    const Solution s = simulate(m, run_until(4.0));
    ASSERT_TRUE(s.ok()) << s.report.message;
    // 10 + 3 4 = 22 is shared at once, or with the time constant R / (1 + 1/3).
    const double decay = first == 0.0 ? std::exp(-2.0 / 3.0) : 0.0;
    EXPECT_NEAR(s.final("v1"), 5.5 + 4.5 * decay, 1000 * mode_tol);
    EXPECT_NEAR(s.final("v2"), 5.5 - 1.5 * decay, 1000 * mode_tol);
  }
}

/// The same within a mode, by a branch: from index 2 to index 1.
TEST(ModeRuns, ABranchThatLowersTheIndexIsFollowed) {
  Model m("branch");
  Expr v1 = m.state("v1", 4.0), v2 = m.state("v2", 4.0), i = m.algebraic("i");
  m.equation(der(v1) == -i);
  m.equation(3.0 * der(v2) == i);
  m.equation(v1 - v2 == where(m.time() >= 1.0, 2.0 * i - 1.0, Expr(0.0)));
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    RunOptions options = run_until(2.0);
    options.engine = engine;
    const Solution s = simulate(m, options);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.at("v1", 1.0, Side::right), 4.0, 100 * mode_tol);
    EXPECT_NEAR(s.at("i", 1.0, Side::right), 0.5, 100 * mode_tol);
    // The difference goes to -1 with the time constant 2 / (1 + 1/3).
    const double difference = -1.0 + std::exp(-2.0 / 3.0);
    EXPECT_NEAR(s.final("v1"), 4.0 + 0.75 * difference, 1000 * mode_tol);
    EXPECT_NEAR(s.final("v1") + 3.0 * s.final("v2"), 16.0, 1000 * mode_tol);
  }
}

TEST(ModeRuns, ADiscreteVariableThatMovesAConstraintTakesAnImpulse) {
  Model m("moved constraint");
  Expr a = m.state("a", 0.0), b = m.state("b", 0.0), i = m.algebraic("i");
  Expr d = m.discrete("d", 0.0);
  m.equation(der(a) == -i);
  m.equation(3.0 * der(b) == i);
  m.equation(a - b == d);
  m.when("moves", m.time() >= 1.0, {{d, 4.0}});
  const Solution s = simulate(m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("a"), 3.0, 10 * mode_tol);
  EXPECT_NEAR(s.final("b"), -1.0, 10 * mode_tol);
  ASSERT_EQ(s.instants().back().impulses.size(), 1U);
  EXPECT_NEAR(s.instants().back().impulses[0].strength, -3.0, 1e-8);
}

TEST(ModeRuns, AnUnknownSurvivesAModeThatLastsNoTime) {
  Model m("passed");
  Expr b = m.state("b", 0.0), a = m.state("a", 0.0);
  const ModeId first = m.mode("first"), between = m.mode("between"), last = m.mode("last");
  m.equation(der(a) == 0.0);
  m.equation(first, der(b) == 1.0);
  m.equation(last, der(b) == 1.0);
  m.transition("leave", first, between, m.time() > 1.0);
  m.transition("on", between, last, a < 1.0);
  const Solution s = simulate(m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("b"), 2.0, 10 * mode_tol);
}

/// The impulse of i is 6: neither is within bounds, whichever way that is written.
TEST(ModeRuns, ImpulsesAreJudgedByWhatAConditionBecomesFarOut) {
  for (const int way : {0, 1, 2, 3}) {
    Capacitors c(10.0, 2.0);
    c.m.equation(c.closed, c.v1 == c.v2);
    if (way == 0) c.m.require(c.closed, abs(c.i) <= 5.0);
    if (way == 1) c.m.require(c.closed, max(c.i, 0.0) <= 5.0);
    if (way == 2) c.m.require(c.closed, c.i * c.i <= 50.0);
    if (way == 3) c.m.require(c.closed, max(-c.i, 0.0) <= 5.0);  // this one holds
    c.m.transition("close", c.open, c.closed, c.m.time() > 1.0);
    EXPECT_EQ(simulate(c.m, run_until(2.0)).ok(), way == 3) << way;
  }
}

TEST(ModeRuns, WhenClausesSeeWhatTransitionsChange) {
  const auto run = [](bool ends, RangePolicy range) {
    Model m("seen");
    Expr x = m.state("x", 0.0, {.max = 4.0}), n = m.discrete("n", 0.0);
    const ModeId one = m.mode("one"), two = m.mode("two");
    m.equation(der(x) == 0.0 * n);
    m.equation(one, m.algebraic("y") == x);
    m.equation(two, m.algebraic("z") == x);
    m.when("high", x > 3.0, {{n, pre(n) + 1.0}});
    if (ends) m.terminate_when("too high", x > 3.5);
    m.transition("up", one, two, m.time() > 1.0, {.maps = {{x, 5.0}}});
    RunOptions options = run_until(2.0);
    options.events.range = range;
    return simulate(m, options);
  };
  const Solution counted = run(false, RangePolicy::warn);
  ASSERT_TRUE(counted.ok()) << counted.report.message;
  EXPECT_EQ(counted.final("n"), 1.0);
  EXPECT_EQ(counted.report.warnings.size(), 1U);
  for (const bool ends : {true, false}) {
    const Solution ended = run(ends, RangePolicy::stop);
    EXPECT_EQ(ended.report.outcome, Outcome::terminal_event) << ended.report.message;
    EXPECT_EQ(ended.report.t_reached, 1.0);
  }
}

TEST(ModeRuns, PoliciesDecideWhatJumps) {
  const auto run = [](RestartPolicy policy) {
    Capacitors c(10.0, 2.0);
    c.m.equation(c.closed, c.v1 == c.v2);
    c.m.transition("close", c.open, c.closed, c.m.time() > 1.0, {.restart = policy});
    return simulate(c.m, run_until(2.0));
  };
  for (const RestartPolicy policy : {RestartPolicy::keep, RestartPolicy::impulse}) {
    const Solution s = run(policy);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("v1"), 4.0, 1e-9);  // (10 + 3 2) / 4
    ASSERT_EQ(s.instants()[0].impulses.size(), 1U);
    EXPECT_NEAR(s.instants()[0].impulses[0].strength, 6.0, 1e-9);
  }
  EXPECT_NEAR(run(RestartPolicy::least_squares).final("v1"), 6.0, 1e-6);
  const Solution checked = run(RestartPolicy::check);
  EXPECT_EQ(checked.report.outcome, Outcome::failed);
  EXPECT_TRUE(contains(checked.report.message, "v1")) << checked.report.message;
}

TEST(ModeRuns, AnInputThatJumpsInAConstraintTakesItsImpulse) {
  Model m("driven");
  const double times[] = {0.0, 1.0, 2.0}, values[] = {1.0, 3.0, 3.0};
  const Expr u = m.input("u", table(times, values, Interpolation::step));
  Expr x = m.state("x", 1.0), i = m.algebraic("i");
  m.equation(der(x) == i);
  m.equation(x == u);
  const Solution s = simulate(m, run_until(2.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("x"), 3.0, 10 * mode_tol);
  ASSERT_EQ(s.instants().size(), 1U);
  ASSERT_EQ(s.instants()[0].impulses.size(), 1U);
  EXPECT_EQ(s.instants()[0].impulses[0].variable, "i");
  EXPECT_NEAR(s.instants()[0].impulses[0].strength, 2.0, 1e-9);
}

TEST(ModeRuns, TransitionsCannotBeUndoneBackward) {
  UpAndDown w;
  w.m.transition("top", w.up, w.down, w.x > 1.0);
  RunOptions options = run_until(-1.0);
  EXPECT_THROW(simulate(w.m, options), OptionError);
}

TEST(ModeRuns, APurelyAlgebraicModeLasts) {
  Model m("locked");
  Expr x = m.state("x", 0.0);
  const ModeId moves = m.mode("moves"), locked = m.mode("locked");
  m.equation(moves, der(x) == 1.0);
  m.equation(locked, x == 1.0 + sin(m.time() - 1.0));
  m.transition("lock", moves, locked, x > 1.0);
  for (const EngineKind engine : {EngineKind::automatic, EngineKind::radau, EngineKind::ida}) {
    RunOptions options = run_until(2.0);
    options.engine = engine;
    const Solution s = simulate(m, options);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("x"), 1.0 + std::sin(1.0), 100 * mode_tol);
    EXPECT_NEAR(s.at("x", 1.5), 1.0 + std::sin(0.5), 1000 * mode_tol);
  }
}

TEST(ModeRuns, ACachedModeIsEnteredAgainWithoutAnalysis) {
  Model m("in and out");
  Expr x = m.state("x", 1.0), i = m.algebraic("i");
  const ModeId free = m.mode("free"), held = m.mode("held");
  m.equation(der(x) == i);
  m.equation(free, i == 0.0);
  m.equation(held, x == 1.0);
  const Cond on = sin(20.0 * m.time()) > 0.0;
  m.transition("hold", free, held, on);
  m.transition("let go", held, free, !on);
  const Solution s = simulate(m, run_until(3.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  for (const ModeVisit& mode : s.report.modes) {
    EXPECT_GE(mode.n_stays, 9U) << mode.mode;
    EXPECT_LE(mode.n_analyses, 1U) << mode.mode;
    EXPECT_LE(mode.n_reductions, 1U) << mode.mode;
  }
}

TEST(ModeRuns, TheSameToTheLastBitWhenRunTwice) {
  UpAndDown w;
  w.m.transition("top", w.up, w.down, w.x > 0.3);
  w.m.transition("bottom", w.down, w.up, w.x < 0.0);
  const Solution one = simulate(w.m, run_until(3.0)), two = simulate(w.m, run_until(3.0));
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_EQ(one.trajectory.n_rows(), two.trajectory.n_rows());
  for (std::uint32_t r = 0; r < one.trajectory.n_rows(); ++r) {
    EXPECT_EQ(one.trajectory.times()[r], two.trajectory.times()[r]);
    EXPECT_EQ(one.trajectory.row(r)[0], two.trajectory.row(r)[0]);
  }
}

}  // namespace
}  // namespace saltus
