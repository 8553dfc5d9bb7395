// Surfaces that a solution stays on: in words, tables, segments and reports.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/trajectory.hpp>

#include "unit/trajectory/slide_log.hpp"

namespace saltus {
namespace {

using test::BounceParts;
using test::corner_parts;
using test::made_event;
using test::slide_log;
using test::slipping_parts;
using test::sticking_parts;

EventLog sliding_log_of(const BounceParts& parts) {
  EventLog log;
  log.add(parts.instant, parts.events, true);
  return log;
}

std::string read_aloud(const BounceParts& parts, std::size_t which = 0) {
  const EventLog log = sliding_log_of(parts);
  return explain(log, log.events()[which]);
}

std::string changed_at(const BounceParts& parts, std::size_t which = 0) {
  const EventLog log = sliding_log_of(parts);
  return changes_text(log, log.events()[which]);
}

bool tells(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SlidingWords, SayWhyTheSolutionStays) {
  EXPECT_EQ(
      read_aloud(sticking_parts()),
      "At t = 1, the solution came to the surface of 'v1 > v2' and stays on it.\n"
      "Proven: along the computed step no earlier crossing was overlooked. Its time is located "
      "within 1e-15 s on the computed solution.\n"
      "With 'v1 > v2' true its switching function falls at 0.3, with it false it rises at 0.5: "
      "both sides lead to the surface.\n"
      "Ways to go on from the surface:\n"
      "  sliding on v1 > v2  taken\n"
      "  v1 > v2 true        v1 > v2 does not stay true: it moves at -0.3\n"
      "  v1 > v2 false       v1 > v2 does not stay false: it moves at 0.5\n"
      "No value jumped.\n"
      "The integration began anew from here, as equations or values have changed.\n");
}

TEST(SlidingWords, AStartOnASurfaceIsNoArrival) {
  BounceParts parts = sticking_parts();
  parts.events[0].direction = 0;
  const std::string text = read_aloud(parts);
  EXPECT_TRUE(text.starts_with("At t = 1, the solution began on the surface of 'v1 > v2' and"))
      << text;
  EXPECT_FALSE(tells(text, "Proven")) << text;
}

TEST(SlidingWords, AllWaysOnALineForMessages) {
  const auto ways = sticking_parts().instant.surface_candidates;
  EXPECT_EQ(ways_text(ways),
            "sliding on v1 > v2: taken; v1 > v2 true: v1 > v2 does not stay true: it moves at "
            "-0.3; v1 > v2 false: v1 > v2 does not stay false: it moves at 0.5");
  EXPECT_EQ(ways_text(ways, 1), "sliding on v1 > v2: taken; and 2 more");
  EXPECT_EQ(ways_text({}), "");
}

TEST(SlidingWords, SayWhyItLeaves) {
  EXPECT_EQ(
      read_aloud(slipping_parts()),
      "At t = 2, the solution left the surface of 'v1 > v2', on which it had stayed.\n"
      "Proven: along the computed step no earlier crossing was overlooked.\n"
      "With 'v1 > v2' true its switching function hardly moves (at 3e-12), with it false it rises "
      "at 0.8: the side with 'v1 > v2' true no longer leads to the surface, and the solution goes "
      "on there.\n"
      "Ways to go on from the surface:\n"
      "  v1 > v2 true        taken\n"
      "  v1 > v2 false       v1 > v2 does not stay false: it moves at 0.8\n"
      "  sliding on v1 > v2  its multiplier leaves [-1, 1]\n"
      "No value jumped.\n"
      "The integration began anew from here, as equations or values have changed.\n");
  BounceParts parts = slipping_parts();
  parts.instant.surface_candidates[0].motions[0].rate = 0;
  EXPECT_TRUE(tells(read_aloud(parts), "does not move, with it false")) << read_aloud(parts);
  // Nothing but the direction is known.
  BounceParts bare = slipping_parts();
  bare.instant.surface_candidates.clear();
  EXPECT_TRUE(tells(read_aloud(bare),
                    "One side no longer leads to the surface: the switching "
                    "function rises from zero.\n"))
      << read_aloud(bare);
  bare.events[0].direction = -1;
  EXPECT_TRUE(tells(read_aloud(bare), "function falls from zero.\n")) << read_aloud(bare);
  // Of a size that is no rounding.
  parts.instant.surface_candidates[0].motions[0].rate = 1e-4;
  EXPECT_TRUE(tells(read_aloud(parts), "true its switching function rises at 0.0001, "))
      << read_aloud(parts);
}

TEST(SlidingWords, OnTwoSurfacesTheOtherOneIsAsItWasTaken) {
  const std::string text = read_aloud(corner_parts());
  EXPECT_TRUE(tells(text,
                    "With 'b > 0' true its switching function falls at 0.25, with it false it "
                    "rises at 0.25: both sides lead to the surface.\n"
                    "From here on it slides on the surfaces of 'a > 0' and 'b > 0' (codimension "
                    "2).\n"))
      << text;
  EXPECT_FALSE(tells(text, "more\n")) << text;
  // Twin: had 'a > 0' been left, other rates would tell.
  BounceParts twin = corner_parts();
  for (SurfaceCandidateRecord& c : twin.instant.surface_candidates) c.taken = c.text == "a 1, b 1";
  EXPECT_TRUE(
      tells(read_aloud(twin), "rises at 7, with it false it rises at 7: the surface is crossed"))
      << read_aloud(twin);
}

TEST(SlidingWords, ACrossingAndARepulsiveSurfaceAreToldApart) {
  BounceParts parts = sticking_parts();
  parts.events[0].kind = EventKind::state;
  parts.instant.sliding_after.clear();
  parts.instant.locks = {{"v1 > v2", true, false}};
  auto& ways = parts.instant.surface_candidates;
  ways[2].taken = false;
  ways[1].taken = true;
  ways[1].motions[0].rate = -0.5;
  EXPECT_TRUE(tells(read_aloud(parts),
                    "falls at 0.3, with it false it falls at 0.5: the surface is crossed, and the "
                    "solution goes on with 'v1 > v2' false.\n"))
      << read_aloud(parts);
  EXPECT_TRUE(tells(read_aloud(parts), "sliding on v1 > v2  possible\n"));
  ways[0].motions[0].rate = 0.3;
  EXPECT_TRUE(tells(read_aloud(parts), "both sides lead away from the surface, and the solution"))
      << read_aloud(parts);
}

TEST(SlidingWords, ATangencyIsDecidedByTheNextDerivative) {
  BounceParts parts = sticking_parts();
  parts.instant.surface_candidates[0].motions[0].rate = 1e-15;
  EXPECT_TRUE(tells(
      read_aloud(parts),
      "hardly moves (at 1e-15), with it false it rises at 0.5: one "
      "side leads to the surface, and the next derivative of the other shows that it does, too.\n"))
      << read_aloud(parts);
}

TEST(SlidingWords, ASurfaceThatIsKeptWithoutAttractingIsNotCalledAttractive) {
  const std::string attracts = "both sides lead to the surface.\n";
  BounceParts parts = sticking_parts();
  EXPECT_TRUE(tells(read_aloud(parts), " 0.5: " + attracts)) << read_aloud(parts);
  // Where the relation is true the function is negative: the same rates lead away.
  parts.instant.surface_candidates[0].motions[0].multiplier = -1;
  parts.instant.surface_candidates[1].motions[0].multiplier = 1;
  EXPECT_TRUE(tells(read_aloud(parts),
                    " 0.5: only one of the sides leads to the surface, or none, but there is no "
                    "other way to go on.\n"))
      << read_aloud(parts);
  parts = sticking_parts();
  parts.instant.surface_candidates[0].motions[0].rate = 0.3;
  EXPECT_TRUE(tells(read_aloud(parts), "only one of the sides")) << read_aloud(parts);
}

TEST(SlidingWords, WithoutVelocitiesTheTableSpeaksAlone) {
  BounceParts parts = sticking_parts();
  for (SurfaceCandidateRecord& c : parts.instant.surface_candidates) c.motions.clear();
  const std::string text = read_aloud(parts);
  EXPECT_FALSE(tells(text, "its switching function")) << text;
  EXPECT_TRUE(tells(text, "Ways to go on")) << text;
  parts.instant.surface_candidates.clear();
  EXPECT_FALSE(tells(read_aloud(parts), "Ways to go on"));
  for (int k = 0; k < 12; ++k)
    parts.instant.surface_candidates.push_back(test::way("w" + std::to_string(k), {}, "no"));
  parts.instant.surface_candidates[11].taken = true;
  EXPECT_TRUE(tells(read_aloud(parts), "surface:\n  w11  taken\n  w0   no\n")) << read_aloud(parts);
  EXPECT_TRUE(tells(read_aloud(parts), "  ... and 3 more\n")) << read_aloud(parts);
}

TEST(SlidingWords, AModeOfTheUsersOwnReplacesTheMotion) {
  BounceParts parts = sticking_parts();
  parts.instant.sliding_after.clear();
  parts.instant.mode_before = "slips";
  parts.instant.mode_after = "sticks";
  parts.events = {made_event("stick", EventKind::structural, 1, 0, 0, "v1 > v2")};
  const std::string why =
      "the transition 'stick' took the model from mode 'slips' to mode 'sticks' because the "
      "solution would slide on the surface of 'v1 > v2', and this mode is the motion there.\n";
  EXPECT_TRUE(tells(read_aloud(parts), why)) << read_aloud(parts);
  for (SurfaceCandidateRecord& c : parts.instant.surface_candidates) c.motions.clear();
  EXPECT_TRUE(tells(read_aloud(parts), why)) << read_aloud(parts);
  // A transition whose guard became true.
  parts.instant.surface_candidates.clear();
  EXPECT_TRUE(tells(read_aloud(parts), "to mode 'sticks' because 'v1 > v2' held.\n"));
}

TEST(SlidingWords, WhatFollowedFromAnotherEventIsOne) {
  BounceParts parts = sticking_parts();
  parts.events[0].micro_step = 1;
  parts.events.insert(parts.events.begin(), made_event("kick", EventKind::action, 1));
  EXPECT_TRUE(tells(read_aloud(parts),
                    "Micro-step 1: 'v1 > v2' began to hold the solution on its surface.\n"))
      << read_aloud(parts);
  parts.events[1].kind = EventKind::exit_sliding;
  EXPECT_TRUE(tells(read_aloud(parts), "'v1 > v2' let the solution go from its surface.\n"));
}

TEST(SlidingTable, SaysWhereItStaysAndToWhichSideItLeaves) {
  EXPECT_EQ(changed_at(sticking_parts()), "sliding on v1 > v2");
  EXPECT_EQ(changed_at(slipping_parts()), "now true");
  EXPECT_EQ(changed_at(corner_parts()), "sliding on a > 0 and b > 0");
  BounceParts parts = slipping_parts();
  parts.instant.sliding_after = {"w > 0"};
  EXPECT_EQ(changed_at(parts), "now true, still sliding on w > 0");
  parts.instant.surface_candidates.clear();
  parts.instant.locks[0].after = false;
  EXPECT_EQ(changed_at(parts), "now false, still sliding on w > 0");
  EXPECT_TRUE(tells(read_aloud(parts), "From here on it slides on the surface of 'w > 0'.\n"));
  parts.instant.sliding_before = parts.instant.sliding_after;
  EXPECT_TRUE(tells(read_aloud(parts), "It keeps sliding on the surface of 'w > 0'.\n"));
  EXPECT_EQ(to_text(slide_log()),
            "t  kind           event    direction  guarantee  what changed\n"
            "1  enter sliding  v1 > v2  falling    proven     sliding on v1 > v2\n"
            "2  exit sliding   v1 > v2  rising     proven     now true\n"
            "3  enter sliding  b > 0    rising     proven     sliding on a > 0 and b > 0\n");
}

TEST(SlidingTable, EntriesAndExitsAreCountedAndInterrupt) {
  const EventLog log = slide_log(false);
  EXPECT_EQ(log.n_events(EventKind::enter_sliding), 2U);
  EXPECT_EQ(log.n_events(EventKind::exit_sliding), 1U);
  EXPECT_EQ(log.counts().n_interruptions, 3U);
  EXPECT_EQ(log.counts().n_simultaneous, 0U);
  EventLog both;
  BounceParts parts = sticking_parts();
  parts.events.push_back(made_event("w > 0", EventKind::state, 1, 1));
  both.add(parts.instant, parts.events, true);
  EXPECT_EQ(both.counts().n_simultaneous, 1U);
}

TEST(SlidingTable, TimesOfOneKindAlone) {
  Solution solution;
  solution.event_log = slide_log();
  EXPECT_EQ(solution.event_times("v1 > v2"), (std::vector<double>{1, 2}));
  EXPECT_EQ(solution.event_times("v1 > v2", EventKind::enter_sliding), std::vector<double>{1});
  EXPECT_EQ(solution.event_times("v1 > v2", EventKind::exit_sliding), std::vector<double>{2});
  EXPECT_TRUE(solution.event_times("v1 > v2", EventKind::state).empty());
  EXPECT_THROW(static_cast<void>(solution.event_times("v1 < v2", EventKind::state)), Error);
}

TEST(SlidingSegments, KnowTheirSurfaces) {
  TrajectoryRecorder recorder(std::vector<VariableInfo>(1, VariableInfo{"x", "", ""}));
  recorder.begin_segment("m", 0);
  recorder.add_row(0, std::vector{1.0});
  recorder.begin_segment("m", 1, {}, {"v1 > v2", "w > 0"});
  const std::vector<std::uint8_t> all{1};
  const std::vector<std::string> both{"v1 > v2", "w > 0"}, one{"v1 > v2"};
  EXPECT_TRUE(recorder.is_empty_segment("m", all, both));
  EXPECT_FALSE(recorder.is_empty_segment("m", all, one));
  EXPECT_FALSE(recorder.is_empty_segment("m", all));
  const std::size_t before = recorder.trajectory().memory();
  recorder.begin_segment("m", 2);
  EXPECT_TRUE(recorder.is_empty_segment("m", all));
  EXPECT_GT(before, sizeof(Trajectory));
  const Trajectory t = recorder.take();
  EXPECT_TRUE(t.segments()[0].sliding.empty());
  EXPECT_EQ(t.segments()[1].sliding, both);
  EXPECT_TRUE(t.segments()[2].sliding.empty());
}

/// A model without modes that slides on one surface and on two.
RunReport slid() {
  RunReport report;
  report.model = "belt";
  report.outcome = Outcome::finished;
  report.t_requested = report.t_reached = 10;
  report.events.counts = slide_log().counts();
  ModeVisit free, on_one, on_two;
  free.n_stays = 2;
  free.duration = 5.5;
  on_one.n_stays = 3;
  on_one.duration = 4.1;
  on_one.sliding = {"v1 > v2"};
  on_one.form = "mixed";
  on_two.n_stays = 1;
  on_two.duration = 0.4;
  on_two.sliding = {"v1 > v2", "w > 0"};
  on_two.form = "copies";
  report.modes = {free, on_one, on_two};
  ModeWork of_free, of_one;
  of_free.engine = of_one.engine = "radau";
  of_free.work.n_steps = 70;
  of_one.sliding = on_one.sliding;
  of_one.work.n_steps = 12;
  report.work = {of_free, of_one};
  return report;
}

TEST(SlidingReport, ListsWhatHeldTheSolutionAndHowLong) {
  const std::string text = to_text(slid());
  EXPECT_TRUE(tells(text, "Modes and surfaces, in the order in which they were first entered:\n"))
      << text;
  for (const char* part : {"  on no surface                          2      5.5 ",
                           "  sliding on v1 > v2 (mixed)             3      4.1 ",
                           "  sliding on v1 > v2 and w > 0 (copies)  1      0.4 ",
                           "  2 enter sliding and 1 exit sliding; 3 interruptions",
                           "  Sliding: 2 entries and 1 exit; 4.5 s of 10 s on surfaces\n"})
    EXPECT_TRUE(tells(text, part)) << part << " in\n" << text;
  RunReport twin = slid();
  for (ModeVisit& visit : twin.modes) visit.sliding.clear();
  twin.events.counts = {};
  EXPECT_FALSE(tells(to_text(twin), "urfaces")) << to_text(twin);
  EXPECT_FALSE(tells(to_text(twin), "Sliding")) << to_text(twin);
}

TEST(SlidingReport, WorkIsThatOfTheConfiguration) {
  const std::string text = to_text(slid());
  const auto line_of = [&](const std::string& begin) {
    const std::size_t at = text.find("  " + begin);
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_TRUE(tells(line_of("sliding on v1 > v2 (mixed)"), "radau   12 ")) << text;
  EXPECT_TRUE(tells(line_of("on no surface"), "radau   70 ")) << text;
  EXPECT_TRUE(tells(text, "-  sliding on v1 > v2  total\n")) << text;
}

TEST(SlidingReport, ConfigurationsHaveNames) {
  const std::vector<std::string> none, one{"v > 0"}, two{"v > 0", "w > 0"};
  EXPECT_EQ(configuration_text("", none), "");
  EXPECT_EQ(configuration_text("belt", none), "belt");
  EXPECT_EQ(configuration_text("", one), "sliding on v > 0");
  EXPECT_EQ(configuration_text("belt", two), "belt, sliding on v > 0 and w > 0");
  // All of them: two configurations never share a name.
  const std::vector<std::string> many(9, "g");
  EXPECT_FALSE(tells(configuration_text("", many), "more"));
}

TEST(SlidingReport, ARunLeftAtADecisionSaysSo) {
  RunReport report = slid();
  report.outcome = Outcome::undecided;
  report.t_reached = 1;
  report.message = "'v1 > v2' may be crossed or stayed on";
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(tells(to_text(report),
                    "The run of 'belt' was left at t = 1, before t = 10, at a surface where a "
                    "decision was asked for: 'v1 > v2' may be crossed or stayed on.\n"))
      << to_text(report);
}

}  // namespace
}  // namespace saltus
