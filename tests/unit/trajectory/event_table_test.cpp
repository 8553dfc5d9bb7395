#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <saltus/trajectory.hpp>

#include "unit/trajectory/bounce_log.hpp"

namespace saltus {
namespace {

using test::bounce_log;

TEST(EventTable, HasALinePerEventInAlignedColumns) {
  EXPECT_EQ(to_text(bounce_log()),
            "t     kind       event      direction  guarantee  what changed\n"
            "0.5   state      h <= 0     falling    proven     now true; consistency p: 1 -> "
            "1.0000001 Pa "
            "and F: 0 -> 2.25 N\n"
            "0.5   action       bounce   -          -          v: -4.5 -> 3.6 m/s\n"
            "0.5   action         count  -          -          n: 3 -> 4\n"
            "0.75  lock       x > 0      falling    heuristic  now false\n"
            "1     limit      h <= 10    falling    marginal\n"
            "2     scheduled  time >= 2  rising     exact      now true\n"
            "2     action       done     -          -          ends the run\n");
}

TEST(EventTable, IsCappedAndSaysByHowMuch) {
  const std::string text = to_text(bounce_log(), 2);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_TRUE(text.ends_with("\n... and 5 more\n")) << text;
  EXPECT_EQ(to_text(bounce_log(), 7).find("more"), std::string::npos);
}

TEST(EventTable, EventsThatWereNotKeptAreCounted) {
  EXPECT_EQ(to_text(EventLog()), "no events\n");
  EXPECT_EQ(to_text(bounce_log(false)), "7 events that were counted, but not kept\n");
  EventLog both = bounce_log();
  both.add({}, {test::made_event("a", EventKind::state, 3)}, false);
  EXPECT_TRUE(to_text(both).ends_with("\n... and 1 event that was counted, but not kept\n"));
}

TEST(EventTable, LongAndForeignNamesKeepTheColumnsInLine) {
  EventLog log;
  log.add({}, {test::made_event(std::string(70, 'x'), EventKind::state, 0, 1)}, true);
  log.add({}, {test::made_event("h\xc3\xb6he < 0", EventKind::state, 1, 1)}, true);
  std::string text = to_text(log);
  std::erase_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
  std::istringstream lines(text);
  std::string header, line;
  std::getline(lines, header);
  while (std::getline(lines, line))
    EXPECT_EQ(line.find("rising"), header.find("direction")) << text;
  EXPECT_NE(text.find("  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...  "), std::string::npos) << text;
}

RunReport watched_report() {
  RunReport report;
  report.outcome = Outcome::finished;
  report.events.counts = bounce_log().counts();
  report.events.counts.n_marginal = 0;
  report.events.n_located = 2;
  report.events.n_evaluations_locate = 70;
  report.events.n_evaluations_iterate = 12;
  report.events.n_one_sided_steps = 1;
  report.events.n_continued = 4;
  report.events.n_evaluations_one_sided = 7;
  report.switches = {{"h <= 0", 100, 100, 0, 0, 420, 1, 0}, {"x > 0", 50, 50, 0, 0, 100, 0, 1}};
  return report;
}

bool says(const RunReport& report, const std::string& part) {
  return to_text(report).find(part) != std::string::npos;
}

TEST(EventReport, TransitionsAreSmoothIfAllWasProvenAndNothingMarginal) {
  const RunReport report = watched_report();
  EXPECT_TRUE(report.all_transitions_smooth());
  EXPECT_TRUE(says(report,
                   "  All transitions were smooth: on every step it was proven that no event "
                   "was overlooked, and no event was marginal.\n"));
  RunReport sampled = report;
  sampled.switches[1].n_proven = 47;
  sampled.switches[1].n_heuristic = 3;
  EXPECT_FALSE(sampled.all_transitions_smooth());
  EXPECT_TRUE(says(sampled,
                   "  Not all transitions are known to be smooth: 3 checks of steps were "
                   "made by samples only, which can overlook pairs of crossings; look "
                   "first at 'x > 0'.\n"));
  RunReport touched = report;
  touched.events.counts.n_marginal = 1;
  EXPECT_FALSE(touched.all_transitions_smooth());
  EXPECT_TRUE(says(touched, "1 event was marginal (a surface touched, or hardly passed).\n"));
  RunReport close = report;
  close.switches[0].n_proven = 99;
  close.switches[0].n_marginal = 1;
  EXPECT_FALSE(close.all_transitions_smooth());
  EXPECT_TRUE(says(close, "1 check of a step was marginal; look first at 'h <= 0'."));
  EXPECT_FALSE(says(close, "marginal step of"));
  close.marginal.assign(7, {"h <= 0", 1.25, 1.5, 1.375, 1e-9, 2e-9});
  EXPECT_TRUE(says(close,
                   "  marginal step of  from  to   distance  may be off by\n"
                   "  h <= 0            1.25  1.5  1e-09     2e-09\n"));
  EXPECT_TRUE(says(close, "  ... and 2 more\n"));
  RunReport off = report;
  off.events.off = true;
  EXPECT_FALSE(off.all_transitions_smooth());
  EXPECT_TRUE(says(off, "  Events were off: relations stayed as they were at the start"));
  RunReport together = report;
  together.events.counts.n_simultaneous = 2;
  EXPECT_TRUE(says(together, "marginal; at 2 instants several relations crossed at once.\n"));
}

TEST(EventReport, SaysHowManyOfWhatAndWhatTheyCost) {
  const RunReport report = watched_report();
  EXPECT_TRUE(says(report,
                   "\nEvents:\n  1 scheduled, 1 state, 3 action, 1 limit and 1 lock; 2 "
                   "interruptions, 2 restarts, 3 micro-steps\n"))
      << to_text(report);
  EXPECT_TRUE(
      says(report,
           "  Evaluations beyond those of smooth steps: 70 to locate 2 times, 12 for "
           "consistent values (3 iterations), 7 at 4 points beyond the end of a side, 1 step given "
           "up at a surface\n"));
  EXPECT_TRUE(says(report,
                   "  relation  events  flips  steps  proven  heuristic  marginal  evaluations per "
                   "step\n"
                   "  h <= 0    1       0      100    100     0          0         4.2\n"
                   "  x > 0     0       1      50     50      0          0         2\n"));
}

TEST(EventReport, IsSilentAboutModelsThatDoNotSwitch) {
  RunReport report = watched_report();
  report.switches.clear();
  report.events = {};
  EXPECT_FALSE(says(report, "Events"));
  EXPECT_TRUE(smoothness_sentence(report).empty());
  EXPECT_TRUE(report.all_transitions_smooth());
}

TEST(EventReport, TheRelationsWorthALookComeFirst) {
  RunReport report = watched_report();
  for (int k = 0; k < 20; ++k)
    report.switches.push_back({"quiet " + std::to_string(k), 10, 10, 0, 0, 10, 0, 0});
  report.switches.push_back({"noisy", 10, 9, 0, 1, 100, 0, 0});
  EXPECT_TRUE(says(report, "\n  ... and 11 more\n")) << to_text(report);
  EXPECT_TRUE(says(report, "\n  noisy "));
  EXPECT_FALSE(says(report, "\n  quiet 19"));
}

}  // namespace
}  // namespace saltus
