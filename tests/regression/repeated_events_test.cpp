// Complaints: events that other tools find again and again.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

#include "problems/switched_problem.hpp"
#include "regression/naive.hpp"

namespace saltus {
namespace {

constexpr EngineKind every_engine[] = {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                       EngineKind::ida};

// ---- OrdinaryDiffEq.jl#3627: a condition at rest at zero fires a million times at one t --------------

TEST(ComplaintsOrdinaryDiffEq3627, AConditionThatComesToRestAtZeroFiresAtMostOnce) {
  for (const EngineKind engine : every_engine) {
    Model m("comes to rest");
    Expr x = m.state("x", 1.0), n = m.discrete("n", 0.0);
    m.equation(der(x) == where(m.time() < 1.0, Expr(-1.0), Expr(0.0)));
    m.when("arrived", x <= 0.0, {{n, pre(n) + 1.0}});
    RunOptions o = {.t_end = 3.0, .engine = engine};
    o.limits.max_events = 100;
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_LE(s.final("n"), 1.0) << name(engine);
  }
}

TEST(ComplaintsOrdinaryDiffEq3627, NaiveEqualityWithZeroFiresAtEveryStep) {
  // "The condition is zero, so the event is now": at rest this is so at every step.
  int fired = 0;
  const auto result =
      test::run_naively({.x = {1.0},
                         .f = [](double, auto x, auto xdot) { xdot[0] = -20.0 * x[0]; },
                         .g =
                             [&](double, auto x) {
                               fired += std::abs(x[0]) < 1e-6;
                               return x[0];
                             },
                         .t_end = 3.0,
                         .fixed_step = 0.01});
  EXPECT_EQ(result.t, 3.0);
  EXPECT_GT(fired, 100);
}

// ---- AMICI#2861: a root is found again right after re-initialisation ---------------------------------

TEST(ComplaintsAmici2861, AnEventIsNotFoundAgainAfterItsOwnRestart) {
  for (const EngineKind engine : every_engine) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      Model m("dose");
      Expr x = m.state("x", 0.0), z = m.state("z", 0.0);
      m.equation(der(x) == 1.0 - 0.3 * x);
      m.equation(der(z) == -z);
      m.when("dose", x > 1.0, {{z, pre(z) + 1.0}});
      RunOptions o = {.t_end = 3.0, .rtol = tolerance, .atol = tolerance, .engine = engine};
      o.limits.max_events = 50;
      const Solution s = simulate(m, o);
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_EQ(problems::counted_events(s.event_log).size(), 1u) << name(engine) << tolerance;
      EXPECT_EQ(s.event_log.n_events(EventKind::action), 1u) << name(engine) << tolerance;
    }
  }
}

TEST(ComplaintsAmici2861, NaiveRestartsBeforeTheSurfaceFindItAgain) {
  const auto found = test::run_naively({.x = {0.0, 0.0},
                                        .f =
                                            [](double, auto x, auto xdot) {
                                              xdot[0] = 1.0 - 0.3 * x[0];
                                              xdot[1] = -x[1];
                                            },
                                        .g = [](double, auto x) { return x[0] - 1.0; },
                                        .effect = [](double, auto x) { x[1] += 1.0; },
                                        .t_end = 3.0});
  EXPECT_GT(found.times.size(), 1u);
}

// ---- FMPy#399, sundials#947: thousands of events from noise at max(0, y) -----------------------------

void write_noise_at_zero(Model& m) {
  // y decays to zero quickly; then only the errors of the steps are left of it, with either sign.
  Expr y = m.state("y", 1.0), x = m.state("x", 0.0);
  m.equation(der(y) == -200.0 * y);
  m.equation(der(x) == max(y, Expr(0.0)) - x);
}

TEST(ComplaintsFMPy399, NoiseAroundZeroIsNoEventStorm) {
  // Not dop853: at the limit of its stability its interpolant swings by a hundred tolerances between
  // points that are right, and what crosses there cannot be told from a crossing.
  for (const EngineKind engine :
       {EngineKind::automatic, EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    Model m("noise at zero");
    write_noise_at_zero(m);
    const Solution s = simulate(m, {.t_end = 20.0, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_LE(problems::counted_events(s.event_log).size(), 20u) << name(engine);
  }
}

TEST(ComplaintsFMPy399, NaiveSignsAlongStepsAreAStorm) {
  // Every change of sign along the polynomials of the steps would be an event and a restart.
  SystemFunctions functions;
  functions.unknowns = {{"y", 1.0}};
  functions.derivative = [](double, auto y, auto ydot) { ydot[0] = -200.0 * y[0]; };
  const auto system = make_system(functions);
  const auto workspace = system->workspace();
  EngineOptions options;
  options.rtol = 1e-6;
  options.atol = {1e-6};
  const auto engine = make_engine(EngineKind::dopri5, *system, *workspace, options);
  const std::vector<double> x = {1.0}, xdot = {-200.0};
  ASSERT_TRUE(engine->start({0.0, x, xdot}, 20.0));
  int n_changes = 0;
  while (engine->t() < 20.0) {
    ASSERT_TRUE(engine->step(20.0));
    const StepPolynomial step = engine->last_step();
    for (int k = 1; k <= 16; ++k) {
      const double length = (step.t_right - step.t_left) / 16;
      n_changes +=
          step.value(0, step.t_left + (k - 1) * length) * step.value(0, step.t_left + k * length) <
          0;
    }
  }
  EXPECT_GT(n_changes, 100);
}

// ---- OpenModelica#16667, fmi-standard#382: chattering is not traced to a condition -------------------

void write_relay_that_chatters(Model& m) {
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0);
  m.equation(der(x) == where(x - 0.1 * y > 0.0, Expr(-1.0), Expr(1.0)));
  m.equation(der(y) == -0.1 * y + where(y > 5.0, Expr(1.0), Expr(0.0)));
}

TEST(ComplaintsOpenModelica16667, WhatWouldChatterSlidesUnderTheNameOfItsCondition) {
  for (const EngineKind engine : every_engine) {
    Model m("relay");
    write_relay_that_chatters(m);
    const Solution s = simulate(m, {.t_end = 5.0, .engine = engine});
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    const auto times = s.event_times("x - 0.1*y > 0", EventKind::enter_sliding);
    ASSERT_EQ(times.size(), 1u) << name(engine);
    // 1 - t = 0.1 exp(-t / 10)
    EXPECT_NEAR(times[0], 0.908686, 5000e-6) << name(engine);
    EXPECT_EQ(s.event_log.n_instants(), 1u) << name(engine);
  }
}

TEST(ComplaintsOpenModelica16667, ChatteringIsTracedToItsCondition) {
  for (const EngineKind engine : every_engine) {
    Model m("relay");
    write_relay_that_chatters(m);
    RunOptions o = {.t_end = 5.0, .engine = engine};
    o.events.surface = SurfacePolicy::cross;
    o.limits.max_events = 10000;
    const Solution s = simulate(m, o);
    EXPECT_FALSE(s.ok()) << name(engine);
    EXPECT_NE(s.report.message.find("'x - 0.1*y > 0'"), std::string::npos) << s.report.message;
    EXPECT_EQ(s.report.message.find("y > 5"), std::string::npos) << s.report.message;
    // Little was wasted on it.
    EXPECT_LE(s.report.events.counts.n_interruptions, 1000u) << name(engine);
    EXPECT_NEAR(s.report.t_reached, 0.9087, 0.01);
  }
}

TEST(ComplaintsOpenModelica16667, NaiveStepsAreWastedWithoutAWord) {
  // The sign inside the right-hand side, as it is written: steps shrink until they are as short as an error
  // of the tolerance allows, and nothing says why.
  int n_evaluations = 0;
  const auto found = test::run_naively({.x = {1.0, 1.0},
                                        .f =
                                            [&](double, auto x, auto xdot) {
                                              ++n_evaluations;
                                              xdot[0] = x[0] - 0.1 * x[1] > 0 ? -1.0 : 1.0;
                                              xdot[1] = -0.1 * x[1];
                                            },
                                        .g = [](double, auto) { return 1.0; },
                                        .t_end = 1.0});
  EXPECT_TRUE(found.times.empty());
  EXPECT_GT(n_evaluations, 10000);
}

}  // namespace
}  // namespace saltus
