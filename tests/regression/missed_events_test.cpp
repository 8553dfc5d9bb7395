// Complaints: events that other tools overlook. Each suite is a complaint; the case called Naive… shows that
// a plain loop around an integrator fails on it.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

#include "problems/switched_problem.hpp"
#include "regression/naive.hpp"

namespace saltus {
namespace {

using problems::counted_events;

// ---- scipy#9228: three roots in a step, one reported -------------------------------------------------

double three_roots(double x) { return (x - 0.3) * (x - 0.5) * (x - 0.6); }

TEST(ComplaintsScipy9228, ThreeRootsInOneStepAreThreeEvents) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau}) {
    Model m("three roots");
    Expr x = m.state("x", 0.0), z = m.state("z", 0.0);
    m.equation(der(x) == 1.0);
    m.equation(der(z) == where((x - 0.3) * (x - 0.5) * (x - 0.6) > 0.0, Expr(1.0), Expr(0.0)));
    const Solution s = simulate(m, {.t_end = 1.0, .fixed_step = 1.0, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    const auto events = counted_events(s.event_log);
    ASSERT_EQ(events.size(), 3u);
    // Located a hundredth of the tolerance beyond the surface, which is crossed with slope 0.02 … 0.06.
    EXPECT_NEAR(events[0].t, 0.3, 1e-6);
    EXPECT_NEAR(events[1].t, 0.5, 1e-6);
    EXPECT_NEAR(events[2].t, 0.6, 1e-6);
    EXPECT_NEAR(s.final("z"), 0.2 + 0.4, 4e-6);
  }
}

TEST(ComplaintsScipy9228, NaiveSignsSeeOne) {
  const auto found = test::run_naively({.x = {0.0},
                                        .f = [](double, auto, auto xdot) { xdot[0] = 1.0; },
                                        .g = [](double, auto x) { return three_roots(x[0]); },
                                        .fixed_step = 1.0});
  EXPECT_EQ(found.times.size(), 1u);
}

// ---- OrdinaryDiffEq.jl#3222: a crossing that starts at zero is not seen ------------------------------

TEST(ComplaintsOrdinaryDiffEq3222, ACrossingThatStartsAtZeroIsSeen) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("slip");
    Expr v = m.state("v", 0.0), z = m.state("z", 0.0);
    m.equation(der(v) == -1.0);
    m.equation(der(z) == where(v >= 0.0, Expr(1.0), Expr(2.0)));
    const Solution s = simulate(m, {.t_end = 1.0, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    // Slipping from the first moment on.
    EXPECT_NEAR(s.final("z"), 2.0, 300 * 1e-6) << name(engine);
  }
}

TEST(ComplaintsOrdinaryDiffEq3222, AResetOntoTheSurfaceIsLeftToTheRightSide) {
  Model m("stick, then slip");
  Expr v = m.state("v", 1.0), z = m.state("z", 0.0);
  m.equation(der(v) == -1.0);
  m.equation(der(z) == where(v >= 0.0, Expr(1.0), Expr(2.0)));
  m.when("stop", m.time() > 0.5, {{v, 0.0}});
  const Solution s = simulate(m, {.t_end = 1.0, .engine = EngineKind::dopri5});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("z"), 0.5 + 2 * 0.5, 300 * 1e-6);
}

TEST(ComplaintsOrdinaryDiffEq3222, NaiveSignsNeverChange) {
  bool slips = false;
  const auto found = test::run_naively({.x = {0.0, 0.0},
                                        .f =
                                            [&](double, auto, auto xdot) {
                                              xdot[0] = -1.0;
                                              xdot[1] = slips ? 2.0 : 1.0;
                                            },
                                        .g = [](double, auto x) { return x[0]; },
                                        .effect = [&](double, auto) { slips = true; }});
  EXPECT_TRUE(found.times.empty());
  EXPECT_NEAR(found.x[1], 1.0, 1e-9);  // wrong by half
}

// ---- sundials#881: a switching function that is zero on an interval ----------------------------------

TEST(ComplaintsSundials881, AFunctionThatIsZeroForAWhileIsNoMistake) {
  for (const EngineKind engine :
       {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
    Model m("dead zone");
    Expr x = m.state("x", 0.0), z = m.state("z", 0.0);
    m.equation(der(x) == 1.0);
    m.equation(der(z) == where(max(x - 1.0, Expr(0.0)) > 0.0, Expr(1.0), Expr(0.0)));
    const Solution s = simulate(m, {.t_end = 3.0, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("z"), 2.0, 300 * 1e-6) << name(engine);
  }
}

TEST(ComplaintsSundials881, NaiveSignsNeverDiffer) {
  const auto found =
      test::run_naively({.x = {0.0},
                         .f = [](double, auto, auto xdot) { xdot[0] = 1.0; },
                         .g = [](double, auto x) { return std::max(x[0] - 1.0, 0.0); },
                         .t_end = 3.0});
  EXPECT_TRUE(found.times.empty());
}

// ---- roadrunner#1358: a window narrower than the output grid never triggers --------------------------

TEST(ComplaintsRoadrunner1358, AWindowNarrowerThanTheGridTriggers) {
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("window");
    Expr x = m.state("x", 0.0), hits = m.discrete("hits", 0.0);
    m.equation(der(x) == 1.0);
    m.when("inside", x > 0.51 && x < 0.5101, {{hits, pre(hits) + 1.0}});
    RunOptions o = {.t_end = 1.0, .engine = engine};
    o.output.points = OutputPoints::grid;
    o.output.interval = 0.1;
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(s.final("hits"), 1.0) << name(engine);
  }
}

TEST(ComplaintsRoadrunner1358, NaiveLooksAtGridPointsMissIt) {
  int hits = 0;
  for (int k = 0; k <= 10; ++k) {
    const double x = 0.1 * k;
    hits += x > 0.51 && x < 0.5101;
  }
  // Signs of a product at the ends of steps do not see the window either.
  const auto found =
      test::run_naively({.x = {0.0},
                         .f = [](double, auto, auto xdot) { xdot[0] = 1.0; },
                         .g = [](double, auto x) { return -(x[0] - 0.51) * (x[0] - 0.5101); },
                         .fixed_step = 0.1});
  EXPECT_EQ(hits, 0);
  EXPECT_TRUE(found.times.empty());
}

// ---- casadi#4393: zero crossings are ignored silently ------------------------------------------------

void write_half_wave(Model& m) {
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), z = m.state("z", 0.0);
  m.equation(der(x) == -y);
  m.equation(der(y) == x);
  m.equation(der(z) == max(x, Expr(0.0)));
}

TEST(ComplaintsCasadi4393, CrossingsInsideTheEquationsAreFoundUnasked) {
  Model m("half wave");
  write_half_wave(m);
  const Solution s =
      simulate(m, {.t_end = 4.0, .rtol = 1e-8, .atol = 1e-8, .engine = EngineKind::dop853});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(counted_events(s.event_log).size(), 1u);
  EXPECT_NEAR(s.final("z"), 1.0, 300 * 1e-8);
}

TEST(ComplaintsCasadi4393, NaiveRunThroughIsWrongAndOursSaysSo) {
  Model m("half wave");
  write_half_wave(m);
  RunOptions o = {.t_end = 4.0, .rtol = 1e-8, .atol = 1e-8, .engine = EngineKind::dop853};
  o.events.handling = EventHandling::off;
  const Solution s = simulate(m, o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("z"), std::sin(4.0), 300 * 1e-8);  // far from 1
  EXPECT_TRUE(s.report.events.off);
}

}  // namespace
}  // namespace saltus
