// Complete sequences of events on the named problems; tools/show events has all tolerances and figures.
#include <gtest/gtest.h>

#include "problems/bouncing_balls.hpp"
#include "problems/disode_p2_functions.hpp"
#include "problems/smooth_events.hpp"
#include "problems/switched_problems.hpp"

namespace saltus::problems {
namespace {

constexpr double switched_tolerance = 1e-6;

std::vector<EngineKind> engines_of(const SwitchedProblem& p) {
  if (!p.explicit_engines) return {EngineKind::radau, EngineKind::ida};
  return {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida};
}

Solution run_switched(const WrittenModel& written, const SwitchedProblem& p, EngineKind engine) {
  return simulate(
      written.definition,
      {.t_end = p.t_end, .rtol = switched_tolerance, .atol = switched_tolerance, .engine = engine});
}

TEST(SwitchedSequences, AreCompleteAndInTime) {
  for (const SwitchedProblem& p : switched_problems()) {
    const WrittenModel written = write_model(p);
    for (const EngineKind engine : engines_of(p)) {
      const Solution s = run_switched(written, p, engine);
      ASSERT_TRUE(s.ok()) << p.name << " " << name(engine) << ": " << s.report.message;
      const SequenceComparison c =
          compare_events(counted_events(s.event_log), p.events, written.texts);
      EXPECT_TRUE(c.complete) << p.name << " " << name(engine) << ": " << c.first_difference;
      const double allowed = (engine == EngineKind::ida ? 5000 : 300) * switched_tolerance;
      EXPECT_LE(c.largest_time_error, allowed) << p.name << " " << name(engine);
      EXPECT_LE(end_error(s, p), allowed) << p.name << " " << name(engine);
    }
  }
}

/// A hundred balls come to their springs within a microsecond: one that has just left the distance at which another was placed
/// has an event of its own, too.
TEST(SwitchedSequences, OfBallsThatAreCloserThanATolerance) {
  SwitchedProblem p = spring_balls();
  p.t_end = 0.6;
  std::erase_if(p.events, [&](const ReferenceEvent& e) { return e.t > p.t_end; });
  ASSERT_EQ(p.events.size(), 200U);
  const WrittenModel written = write_model(p);
  for (const double tolerance : {1e-4, 6e-7, 1e-6, 1e-8}) {
    for (const EngineKind engine : engines_of(p)) {
      const Solution s =
          simulate(written.definition,
                   {.t_end = p.t_end, .rtol = tolerance, .atol = tolerance, .engine = engine});
      ASSERT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
      // The order of events closer than errors of times is not asked for.
      const SequenceComparison c = compare_events(counted_events(s.event_log), p.events,
                                                  written.texts, true, 300 * tolerance);
      EXPECT_TRUE(c.complete) << name(engine) << " " << tolerance << ": " << c.first_difference;
    }
  }
}

TEST(SwitchedSequences, AMissingALateAndAnExtraEventAreNoticed) {
  const SwitchedProblem p = small_hybrid();
  const WrittenModel written = write_model(p);
  const Solution s = run_switched(written, p, EngineKind::dopri5);
  const auto found = counted_events(s.event_log);
  const auto compare = [&](const std::vector<CountedEvent>& events) {
    return compare_events(events, p.events, written.texts);
  };
  ASSERT_TRUE(compare(found).complete);
  auto missing = found;
  missing.erase(missing.begin() + 1);
  EXPECT_FALSE(compare(missing).complete);
  auto extra = found;
  extra.push_back(found.back());
  EXPECT_FALSE(compare(extra).complete);
  auto turned = found;
  turned[1].direction = -turned[1].direction;
  EXPECT_FALSE(compare(turned).complete);
  auto late = found;
  late[2].t += 1.0;
  EXPECT_GT(compare(late).largest_time_error, 0.9);
}

TEST(SwitchedSequences, OrderIsFreeWithinTheResolutionOnly) {
  const std::map<std::string, std::string> texts = {{"a", "x > 1"}, {"b", "y > 1"}};
  const std::vector<ReferenceEvent> expected = {{1.0, "a", 1}, {1.001, "b", 1}};
  const std::vector<CountedEvent> swapped = {{1.0, "y > 1", 1}, {1.001, "x > 1", 1}};
  EXPECT_FALSE(compare_events(swapped, expected, texts).complete);
  EXPECT_TRUE(compare_events(swapped, expected, texts, true, 0.01).complete);
  EXPECT_FALSE(compare_events(swapped, expected, texts, true, 0.0001).complete);
}

// The same right-hand side as plain functions that decide by themselves on which side they are.
TEST(SwitchedSequences, PoundingWithOwnSignsHasTheSameEvents) {
  const SwitchedProblem p = pounding();
  const auto system = make_system(disode_p2_functions());
  const std::map<std::string, std::string> texts = {{"contact", "contact"}, {"approach", "speed"}};
  for (const EngineKind engine : engines_of(p)) {
    const Solution s = simulate(system, {.t_end = p.t_end,
                                         .rtol = switched_tolerance,
                                         .atol = switched_tolerance,
                                         .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    const SequenceComparison c = compare_events(counted_events(s.event_log), p.events, texts);
    EXPECT_TRUE(c.complete) << name(engine) << ": " << c.first_difference;
  }
}

// The Taylor series of tests/problems/smooth_events.hpp against an engine: three events each.
TEST(SwitchedSequences, SmoothEventProblemsHaveThreeEventsAndTheirEndValues) {
  for (const SmoothEventProblem& p : smooth_event_problems()) {
    for (const double t_begin : {0.0, 0.1}) {
      Model m(p.name);
      p.write(m, t_begin);
      const Solution s = simulate(m, {.t_begin = t_begin,
                                      .t_end = p.t_end,
                                      .rtol = 1e-11,
                                      .atol = 1e-11,
                                      .engine = EngineKind::dop853});
      ASSERT_TRUE(s.ok()) << p.name << s.report.message;
      EXPECT_EQ(counted_events(s.event_log).size(), 3u) << p.name;
      for (const auto& [variable, value] : p.final_values)
        EXPECT_NEAR(s.final(variable), value, 300 * 1e-11) << p.name << " " << variable;
    }
  }
}

}  // namespace
}  // namespace saltus::problems
