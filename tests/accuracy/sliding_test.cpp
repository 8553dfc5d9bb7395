// Problems that slide beside their references; tools/show sliding has all tolerances and figures.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "problems/sliding_problems.hpp"

namespace saltus::problems {
namespace {

constexpr double sliding_tolerance = 1e-6;
constexpr EngineKind all_engines[] = {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                      EngineKind::ida};

RunOptions sliding_options(const SlidingProblem& p, EngineKind engine,
                           double tolerance = sliding_tolerance) {
  RunOptions o = {.t_end = p.t_end, .rtol = tolerance, .atol = tolerance, .engine = engine};
  o.limits.max_events = 2000;  // whoever chatters ends, and is counted
  return o;
}

double allowed_on(EngineKind engine, double tolerance = sliding_tolerance) {
  return (engine == EngineKind::ida ? 5000 : 300) * tolerance;
}

void expect_true_events(const Solution& s, const SlidingProblem& p, EngineKind engine,
                        double tolerance = sliding_tolerance) {
  const std::string who =
      p.name + " " + std::string(name(engine)) + " " + std::to_string(std::log10(tolerance));
  ASSERT_TRUE(s.ok()) << who << ": " << s.report.message;
  const SlidingComparison c = compare_sliding(s, p);
  EXPECT_TRUE(c.complete) << who << ": " << c.first_difference;
  EXPECT_LE(c.largest_time_error, allowed_on(engine, tolerance)) << who;
  EXPECT_LE(end_error(s, p), allowed_on(engine, tolerance)) << who;
}

/// Two events closer than half of what is true, or another number of them.
bool chatters(const Solution& s, const SlidingProblem& p) {
  const auto found = counted_sliding_events(s.event_log);
  return !s.ok() || found.size() != p.events.size() ||
         smallest_distance(found, p.t_end) < 0.5 * p.smallest_distance();
}

TEST(SlidingReferences, EventsBelongToRelationsOfTheModels) {
  for (const SlidingProblem& p : sliding_problems()) {
    const auto system = *compile_model(write_model(p))->system({});
    const auto workspace = system->workspace();
    const auto& functions = *workspace->ability<SwitchingFunctions>();
    EXPECT_FALSE(p.events.empty()) << p.name;
    EXPECT_EQ(p.modes.size(), p.events.size() + 1) << p.name;
    EXPECT_GE(p.n_sliding(p.events.size()), 0) << p.name;
    for (const SlidingEvent& e : p.events) {
      bool known = false;
      for (std::uint32_t w = 0; w < functions.count(); ++w)
        known = known || surface_of(functions.info(w).name) == surface_of(e.surface);
      EXPECT_TRUE(known) << p.name << ": " << e.surface;
      EXPECT_EQ(e.state.size(), p.states.size()) << p.name << " " << e.t;
    }
  }
}

// What an oracle is told to vanish at an event does, at the state of the reference.
TEST(SlidingReferences, StatesLieOnWhatEndsTheirStretches) {
  for (const SlidingProblem& p : sliding_problems()) {
    for (std::size_t k = 0; k < p.events.size(); ++k) {
      NamedState x;
      for (std::size_t i = 0; i < p.states.size(); ++i) x[p.states[i]] = p.events[k].state[i];
      // A few operations on numbers below 10.
      EXPECT_NEAR(p.vanishes(k, p.events[k].t, x), 0.0, 1e-14) << p.name << " " << k;
    }
  }
}

TEST(SlidingSequences, AreCompleteAndInTime) {
  for (const SlidingProblem& p : sliding_problems()) {
    const auto model = write_model(p);
    for (const EngineKind engine : all_engines)
      expect_true_events(simulate(model, sliding_options(p, engine)), p, engine);
  }
}

/// DISODE45's problem 1, whose sides end at their surface, in three writings.
std::vector<std::function<Solution(const RunOptions&)>> ways_to_write_problem_1() {
  const auto model = write_model(disode_p1());
  const auto throwing = make_system(disode_p1_one_sided());
  const auto own_signs = make_system(disode_p1_f_and_g());
  return {[=](const RunOptions& o) { return simulate(model, o); },
          [=](const RunOptions& o) { return simulate(throwing, o); },
          [=](const RunOptions& o) { return simulate(own_signs, o); }};
}

TEST(SlidingSequences, FieldsThatEndAtTheirSurfaceSlide) {
  const auto written = ways_to_write_problem_1();
  for (std::size_t k = 0; k < written.size(); ++k) {
    const SlidingProblem p = k == 0 ? disode_p1() : disode_p1("g");
    for (const EngineKind engine : all_engines) {
      for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
        const Solution s = written[k](sliding_options(p, engine, tolerance));
        expect_true_events(s, p, engine, tolerance);
        EXPECT_GT(s.report.events.n_continued, 0u);
      }
    }
  }
}

// The twin: the same problem with steps that must not pass the end of a side.
TEST(SlidingSequences, FieldsThatAreNotContinuedNeedMoreSteps) {
  const SlidingProblem p = disode_p1();
  const auto model = write_model(p);
  for (const EngineKind engine : all_engines) {
    RunOptions o = sliding_options(p, engine);
    const Solution continued = simulate(model, o);
    o.events.beyond = BeyondPolicy::refused;
    const Solution refused = simulate(model, o);
    ASSERT_TRUE(continued.ok() && refused.ok()) << name(engine);
    EXPECT_EQ(refused.report.events.n_continued, 0u);
    EXPECT_EQ(continued.report.events.n_one_sided_steps, 0u) << name(engine);
    EXPECT_GT(refused.report.events.n_one_sided_steps, 0u);
    EXPECT_GT(refused.report.total_work().n_steps, continued.report.total_work().n_steps)
        << name(engine);
  }
}

// A step of 4e-16 s that could not be followed by another one was continued by ten seconds of straight line.
TEST(SlidingSequences, NothingIsBridgedByAStraightLine) {
  SlidingProblem p = disode_p1("g");
  RunOptions o = sliding_options(p, EngineKind::ida);
  o.rtol = o.atol = 1e-10;
  const Solution s = simulate(make_system(disode_p1_one_sided()), o);
  const auto found = counted_sliding_events(s.event_log);
  ASSERT_GE(found.size(), 2u);
  ASSERT_LE(found.size(), p.events.size());
  EXPECT_TRUE(s.ok() || found.size() < p.events.size());
  p.events.resize(found.size());
  const SlidingComparison c = compare_sliding(found, p.events);
  EXPECT_TRUE(c.complete) << c.first_difference;
  EXPECT_LE(c.largest_time_error, 5000 * o.rtol);
}

// Steps of IDA at 1e-4 are as long as some stretches of the relay: where it first loses one, it says so, and where
// it says so none is found.
TEST(SlidingSequences, WhatIsLostAtACoarseToleranceIsMarkedThere) {
  const SlidingProblem p = disode_p3();
  RunOptions o = sliding_options(p, EngineKind::ida);
  o.rtol = o.atol = 1e-4;
  const Solution s = simulate(write_model(p), o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  const auto lost = first_lost(counted_sliding_events(s.event_log), p.events);
  if (!lost) return;
  EXPECT_TRUE(is_marked(s, *lost, 0.01)) << lost->t << to_text(s.report);
  // Marks are where something was too close to call, not everywhere: midway between two far events none is.
  SlidingEvent elsewhere = *lost;
  elsewhere.t = 0.5 * p.events.front().t;
  EXPECT_FALSE(is_marked(s, elsewhere, 0.01));
}

TEST(SlidingSequences, TheFirstLostEventIsFoundByItsTime) {
  const SlidingProblem p = disode_p3();
  EXPECT_FALSE(first_lost(p.events, p.events));
  auto pair_lost = p.events;
  pair_lost.erase(pair_lost.begin() + 9, pair_lost.begin() + 11);
  ASSERT_TRUE(first_lost(pair_lost, p.events));
  EXPECT_EQ(first_lost(pair_lost, p.events)->t, p.events[9].t);
  EXPECT_EQ(first_lost(p.events, pair_lost)->t, p.events[9].t);
}

TEST(SlidingSequences, AMissingALateAnExtraAndAnotherEventAreNoticed) {
  const SlidingProblem p = belt_stick_slip();
  ASSERT_TRUE(compare_sliding(p.events, p.events).complete);
  auto missing = p.events;
  missing.erase(missing.begin() + 1);
  EXPECT_FALSE(compare_sliding(missing, p.events).complete);
  auto extra = p.events;
  extra.push_back(p.events.back());
  EXPECT_FALSE(compare_sliding(extra, p.events).complete);
  auto crossing = p.events;
  crossing[0].kind = EventKind::state;
  EXPECT_FALSE(compare_sliding(crossing, p.events).complete);
  auto turned = p.events;
  turned[1].direction = -turned[1].direction;
  EXPECT_FALSE(compare_sliding(turned, p.events).complete);
  auto late = p.events;
  late[2].t += 0.5;
  EXPECT_GT(compare_sliding(late, p.events).largest_time_error, 0.4);
}

TEST(SlidingChattering, NoneWithTheDecisionAndSomeWithout) {
  for (const SlidingProblem& p : sliding_problems()) {
    const auto model = write_model(p);
    RunOptions o = sliding_options(p, EngineKind::dopri5);
    EXPECT_FALSE(chatters(simulate(model, o), p)) << p.name;
    o.events.surface = SurfacePolicy::cross;
    o.limits.max_events = 10 * static_cast<int>(p.events.size()) + 100;
    EXPECT_TRUE(chatters(simulate(model, o), p)) << p.name;
  }
}

// 395: the count of the exact automaton with this band.
TEST(SlidingChattering, AHysteresisSwitchesAsOftenAsItsAutomaton) {
  for (const EngineKind engine : all_engines) {
    Model m("two bodies with a hysteresis");
    write_two_bodies_ahead(m);
    RunOptions o = sliding_options(two_body_stick_slip(), engine);
    o.events.hysteresis = {{"ahead", 0.003}};
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_EQ(counted_sliding_events(s.event_log).size(), 395u) << name(engine);
  }
}

TEST(SlidingChattering, ThreeModesByHandHaveTheSameEvents) {
  const SlidingProblem p = two_body_stick_slip();
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    Model m("two bodies, three modes");
    write_two_body_modes(m);
    const Solution s = simulate(m, sliding_options(p, engine));
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.instants().size(), p.events.size()) << name(engine);
    for (std::size_t k = 0; k < p.events.size(); ++k) {
      EXPECT_EQ(s.instants()[k].mode_after, p.modes[k + 1]) << name(engine);
      EXPECT_NEAR(s.instants()[k].t, p.events[k].t, allowed_on(engine)) << name(engine);
    }
  }
}

// The same with friction as usual and sticking as the mode of its surface. At 1e-8 radau begins to slip along
// the surface, crosses it by the error of its first steps, and must not begin again from the same point for ever.
TEST(SlidingChattering, AModeNamedAsTheSlidingModeHasTheSameEvents) {
  const SlidingProblem p = two_body_stick_slip();
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    for (const double tolerance : {1e-6, 1e-8}) {
      Model m("two bodies, sticking named");
      write_two_bodies_with_named_mode(m);
      RunOptions o = sliding_options(p, engine);
      o.rtol = o.atol = tolerance;
      o.limits.max_steps = 5000;
      const Solution s = simulate(m, o);
      ASSERT_TRUE(s.ok()) << s.report.message;
      ASSERT_EQ(s.instants().size(), p.events.size()) << name(engine);
      for (std::size_t k = 0; k < p.events.size(); ++k) {
        EXPECT_EQ(s.instants()[k].mode_after, p.modes[k + 1] == "3" ? "stick" : "slip");
        EXPECT_NEAR(s.instants()[k].t, p.events[k].t, allowed_on(engine) / 1e-6 * tolerance);
      }
    }
  }
}

// Index 3, boundary constraints as they are written; up to the second event.
TEST(SlidingString, IsCaughtByItsBowAndReleased) {
  SlidingProblem p = bowed_string_light();
  RunOptions o = sliding_options(p, EngineKind::dop853);
  o.atol = 1e-10;  // displacements are below 1e-5
  o.t_end = 0.5 * (p.events[1].t + p.events[2].t);
  p.events.resize(2);
  const Solution s = simulate(write_model(p), o);
  ASSERT_TRUE(s.ok()) << s.report.message;
  const SlidingComparison c = compare_sliding(s, p);
  EXPECT_TRUE(c.complete) << c.first_difference;
  EXPECT_LE(c.largest_time_error, allowed_on(EngineKind::dop853));
}

TEST(SlowSlidingString, SticksAndSlips84Times) {
  const SlidingProblem p = bowed_string_light();
  RunOptions o = sliding_options(p, EngineKind::dop853);
  o.atol = 1e-10;
  expect_true_events(simulate(write_model(p), o), p, EngineKind::dop853);
}

}  // namespace
}  // namespace saltus::problems
