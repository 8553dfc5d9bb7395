#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <saltus/trajectory.hpp>

#include "unit/trajectory/bounce_log.hpp"

namespace saltus {
namespace {

using test::bounce_log;
using test::bounce_parts;
using test::BounceParts;
using test::made_event;

std::string explained(const BounceParts& parts, std::size_t which = 0) {
  EventLog log;
  log.add(parts.instant, parts.events, true);
  return explain(log, log.events()[which]);
}

TEST(Explain, AnImpactIsToldFromItsRelationToTheRestart) {
  EXPECT_EQ(
      explained(bounce_parts()),
      "At t = 0.5, 'h <= 0' became true: its switching function fell through zero.\n"
      "Proven: along the computed step no earlier crossing was overlooked. Its time is located "
      "within 1e-16 s on the computed solution. The state was taken from before the surface, "
      "which it must not pass.\n"
      "Micro-step 1: the when-clause 'bounce' was carried out because 'h <= 0' became true; it "
      "set 'v' from -4.5 to 3.6 m/s.\n"
      "Micro-step 2: the when-clause 'count' was carried out because 'v > 0 and armed' became "
      "true; it set 'n' from 3 to 4.\n"
      "1 other relation changed at this instant: 'v > 0' (now true).\n"
      "To hold again, the equations took 'p' from 1 to 1.0000001 Pa (by 1e-07 Pa) and 'F' from "
      "0 to 2.25 N (by 2.25 N); the largest change first.\n"
      "The integration began anew from here, as equations or values have changed.\n");
}

TEST(Explain, AnActionSaysWhatItFollowedFrom) {
  EXPECT_EQ(
      explained(bounce_parts(), 1),
      "At t = 0.5, the when-clause 'bounce' was carried out because 'h <= 0' became true; it "
      "set 'v' from -4.5 to 3.6 m/s.\n"
      "It was micro-step 1 of the events that followed, without time passing, from 'h <= 0' "
      "(became "
      "true).\n"
      "Micro-step 2: the when-clause 'count' was carried out because 'v > 0 and armed' became "
      "true; it set 'n' from 3 to 4.\n"
      "1 other relation changed at this instant: 'v > 0' (now true).\n"
      "To hold again, the equations took 'p' from 1 to 1.0000001 Pa (by 1e-07 Pa) and 'F' from "
      "0 to 2.25 N (by 2.25 N); the largest change first.\n"
      "The integration began anew from here, as equations or values have changed.\n");
}

TEST(Explain, AFlippedLockSaysWhyNothingWasInterrupted) {
  const EventLog log = bounce_log();
  EXPECT_EQ(
      explain(log, log.events()[3]),
      "At t = 0.75, 'x > 0' became false: its switching function fell through zero. It "
      "interrupted nothing: every condition that chooses an equation, an output or an action "
      "is as it was. Only its lock was turned, so that its next crossing is seen from the "
      "right side, and the integration went on without a restart.\n"
      "Heuristic: this crossing is real, but it was found by samples (the relation cannot be "
      "enclosed, or events.prove is off); two crossings between neighbouring samples would go "
      "unseen. More events.samples_per_step or a smaller max_step look closer.\n");
}

TEST(Explain, LimitsAndScheduledTimesAndTheEndOfARun) {
  const EventLog log = bounce_log();
  EXPECT_EQ(
      explain(log, log.events()[4]),
      "At t = 1, the declared range 'h <= 10' was left.\n"
      "Marginal: the surface was touched, or passed by less than the tolerances resolve. The "
      "tolerances may decide whether the event happens: compare with a run at tighter ones.\n"
      "Note: ranges are reported, not enforced. The integration went on without a restart.\n");
  EXPECT_EQ(
      explain(log, log.events()[5]),
      "At t = 2, 'time >= 2' became true: its switching function rose through zero. The time "
      "was known beforehand, and a step ended exactly there.\n"
      "Micro-step 1: the when-clause 'done' was carried out because 'time >= 2' became true.\n"
      "No value jumped.\n"
      "The run ends here, as 'done' demands: long enough.\n");
}

TEST(Explain, EventsNearEachOtherSayThatTheyWereHandledTogether) {
  BounceParts parts = bounce_parts();
  Event other = made_event("side", EventKind::state, 0.4999, 1);
  other.text = "x - y > 0";
  parts.events.insert(parts.events.begin() + 1, other);
  const std::string text = explained(parts, 1);
  EXPECT_NE(text.find("At t = 0.4999, 'side', that is 'x - y > 0', crossed its surface: its "
                      "switching function rose through zero.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("At the same instant: 'h <= 0'. Events this close are handled together, at "
                      "t = 0.5 (region of concurrency).\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(explained(bounce_parts()).find("region of concurrency"), std::string::npos);
}

/// Something of the log is changed: the explanation must change with it, or something is silent.
struct LogChange {
  const char* what;
  std::function<void(BounceParts&)> change;
};

const std::vector<LogChange>& changes_that_must_be_told() {
  static const std::vector<LogChange> changes = {
      {"time", [](BounceParts& p) { p.events[0].t = 0.6; }},
      {"name", [](BounceParts& p) { p.events[0].name = "h <= 1"; }},
      {"text", [](BounceParts& p) { p.events[0].text = "h - 0 <= 0"; }},
      {"direction", [](BounceParts& p) { p.events[0].direction = 1; }},
      {"kind", [](BounceParts& p) { p.events[0].kind = EventKind::limit; }},
      {"guarantee", [](BounceParts& p) { p.events[0].guarantee = Guarantee::heuristic; }},
      {"width", [](BounceParts& p) { p.events[0].time_width = 1e-9; }},
      {"terminal", [](BounceParts& p) { p.events[0].terminal = true; }},
      {"note", [](BounceParts& p) { p.events[0].note = "a word more"; }},
      {"cause", [](BounceParts& p) { p.events[1].cause = "h < 0"; }},
      {"action", [](BounceParts& p) { p.events[1].name = "stop"; }},
      {"micro-step", [](BounceParts& p) { p.events[2].micro_step = 3; }},
      {"followed", [](BounceParts& p) { p.events.pop_back(); }},
      {"together", [](BounceParts& p) { p.events[1].micro_step = 0; }},
      {"instant", [](BounceParts& p) { p.instant.t = 0.6; }},
      {"mode", [](BounceParts& p) { p.instant.mode_after = "contact"; }},
      {"restart", [](BounceParts& p) { p.instant.restarted = false; }},
      {"side", [](BounceParts& p) { p.instant.near_side = false; }},
      {"lock", [](BounceParts& p) { p.instant.locks[0].after = false; }},
      {"other lock", [](BounceParts& p) { p.instant.locks.pop_back(); }},
      {"set by", [](BounceParts& p) { p.instant.jumps[0].by = "count"; }},
      {"set when", [](BounceParts& p) { p.instant.jumps[0].micro_step = 2; }},
      {"before", [](BounceParts& p) { p.instant.jumps[0].before = -4.4; }},
      {"after", [](BounceParts& p) { p.instant.jumps[0].after = 3.5; }},
      {"unit", [](BounceParts& p) { p.instant.jumps[2].unit = "kN"; }},
      {"variable", [](BounceParts& p) { p.instant.jumps[2].variable = "G"; }},
      {"why", [](BounceParts& p) { p.instant.jumps[2].cause = JumpCause::impulse; }},
      {"size", [](BounceParts& p) { p.instant.jumps[2].in_tolerances = 0.001; }},
      {"order", [](BounceParts& p) { p.instant.jumps[2].in_tolerances = 300; }},
      {"jump", [](BounceParts& p) { p.instant.jumps.clear(); }},
  };
  return changes;
}

TEST(Explain, NothingOfTheLogIsSilent) {
  const std::string text = explained(bounce_parts());
  EXPECT_EQ(explained(bounce_parts()), text);
  for (const LogChange& c : changes_that_must_be_told()) {
    BounceParts parts = bounce_parts();
    c.change(parts);
    EXPECT_NE(explained(parts), text) << c.what;
  }
  // The check sees silence: what is said elsewhere (limits of variables are columns of tables).
  BounceParts parts = bounce_parts();
  parts.instant.x_plus[0] = 1;
  EXPECT_EQ(explained(parts), text);
}

/// Faults that a listener would stumble over.
int stumbles(const std::string& text) {
  int n = text.empty() || text.back() != '\n';
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    n += line.empty() || line.back() != '.';
    n +=
        !line.empty() && !(line[0] >= 'A' && line[0] <= 'Z') && !(line[0] >= '0' && line[0] <= '9');
    for (const char* fault : {"  ", " .", " ,", "..", "''", "()", ",,"})
      n += line.find(fault) != std::string::npos;
  }
  return n;
}

TEST(Explain, EveryExplanationReadsAsSentences) {
  const EventLog log = bounce_log();
  for (const Event& event : log.events()) EXPECT_EQ(stumbles(explain(log, event)), 0) << event.name;
  for (const LogChange& c : changes_that_must_be_told()) {
    BounceParts parts = bounce_parts();
    c.change(parts);
    for (std::size_t k = 0; k < parts.events.size(); ++k)
      EXPECT_EQ(stumbles(explained(parts, k)), 0) << c.what << '\n' << explained(parts, k);
  }
  EXPECT_GT(stumbles("at once  this ()\n"), 3);
}

TEST(Explain, TransitionsImpulsesAndInputsHaveTheirWords) {
  BounceParts parts;
  parts.instant.t = 3;
  parts.instant.mode_before = "slip";
  parts.instant.mode_after = "stick";
  parts.instant.restarted = true;
  Jump jump{"omega", 2, 1.5, JumpCause::impulse};
  jump.unit = "rad/s";
  parts.instant.jumps = {jump};
  parts.events = {made_event("u", EventKind::scheduled, 3),
                  made_event("close", EventKind::structural, 3, 0, 1, "locked")};
  EXPECT_EQ(explained(parts),
            "At t = 3, 'u' was due: a time known beforehand, at which a step ended exactly.\n"
            "Micro-step 1: the transition 'close' took the model from mode 'slip' to mode 'stick' "
            "because 'locked' held.\n"
            "An impulse took 'omega' from 2 to 1.5 rad/s (by -0.5 rad/s).\n"
            "The integration began anew from here, as equations or values have changed.\n");
  EXPECT_EQ(explained(parts, 1),
            "At t = 3, the transition 'close' took the model from mode 'slip' to mode 'stick' "
            "because 'locked' held.\n"
            "It was micro-step 1 of the events that followed, without time passing, from 'u'.\n"
            "An impulse took 'omega' from 2 to 1.5 rad/s (by -0.5 rad/s).\n"
            "The integration began anew from here, as equations or values have changed.\n");
}

TEST(Explain, ManyJumpsAreCutAndSmallOnesAreToldApart) {
  BounceParts parts;
  parts.instant.restarted = true;
  for (int k = 0; k < 9; ++k)
    parts.instant.jumps.push_back(
        {"x" + std::to_string(k), 1, 1 + 0.1 * k, JumpCause::consistency});
  parts.instant.jumps[0] = {"x0", 5, 5.0000000000000009, JumpCause::consistency};  // 1 ulp
  parts.events = {made_event("a > 0", EventKind::state, 0, 1)};
  const std::string text = explained(parts);
  EXPECT_NE(text.find("took 'x8' from 1 to 1.8 (by 0.8), 'x7'"), std::string::npos) << text;
  EXPECT_NE(text.find("'x3' from 1 to 1.3 (by 0.3) and 3 more; the largest change first."),
            std::string::npos)
      << text;
  parts.instant.jumps.resize(1);
  EXPECT_NE(explained(parts).find("'x0' from 5 to 5.000000000000001 (by 8.88e-16)."),
            std::string::npos)
      << explained(parts);
}

TEST(Explain, AnActionOfTheRunItselfFollowsFromNothing) {
  BounceParts parts = bounce_parts();
  parts.events = {parts.events[1]};
  parts.events[0].cause.clear();
  parts.events[0].note = "impacts accumulate here";
  parts.instant.locks.clear();
  parts.instant.jumps.resize(1);
  EXPECT_EQ(
      explained(parts),
      "At t = 0.5, the when-clause 'bounce' was carried out; it set 'v' from -4.5 to 3.6 m/s.\n"
      "Note: impacts accumulate here. The integration began anew from here, as equations or "
      "values have changed.\n");
}

TEST(Explain, ARelationThatIsTurnedBackSaysSo) {
  BounceParts parts = bounce_parts();
  parts.instant.locks[0].after = false;
  EXPECT_NE(explained(parts).find("'h <= 0' became true, and false again by what followed: its "
                                  "switching function fell through zero."),
            std::string::npos)
      << explained(parts);
  EventLog log;
  log.add(parts.instant, parts.events, true);
  EXPECT_TRUE(changes_text(log, log.events()[0]).starts_with("true, then false again; "));
  parts.instant.locks[0].before = parts.instant.locks[0].after = true;
  EXPECT_NE(explained(parts).find("became false, and true again"), std::string::npos);
}

TEST(Explain, RoundingIsCountedButNotListed) {
  BounceParts parts = bounce_parts();
  parts.instant.jumps[2].in_tolerances = 0.0099;
  EXPECT_NE(
      explained(parts).find("To hold again, the equations took 'p' from 1 to 1.0000001 Pa (by "
                            "1e-07 Pa). 1 value changed by less than a hundredth of the "
                            "tolerance.\n"),
      std::string::npos)
      << explained(parts);
  parts.instant.jumps[3].in_tolerances = 0.0001;
  EXPECT_NE(
      explained(parts).find("\n2 values changed by less than a hundredth of the tolerance.\n"),
      std::string::npos);
  parts.instant.jumps[2].in_tolerances = 0.0101;
  EXPECT_NE(explained(parts).find("'F' from 0 to 2.25 N"), std::string::npos);
}

TEST(Explain, ACopyOfAnEventIsExplainedAndAForeignOneRefused) {
  const EventLog log = bounce_log();
  const std::vector<Event> copies(log.events().begin(), log.events().end());
  for (std::size_t k = 0; k < copies.size(); ++k)
    EXPECT_EQ(explain(log, copies[k]), explain(log, log.events()[k]));
  Event foreign = log.events()[0];
  foreign.name = "another";
  EXPECT_THROW(explain(log, foreign), Error);
  EXPECT_THROW(explain(EventLog(), log.events()[0]), Error);
}

}  // namespace
}  // namespace saltus
