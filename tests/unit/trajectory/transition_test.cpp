// Transitions between modes in words.
#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <saltus/trajectory.hpp>

#include "trajectory/mode_words.hpp"
#include "unit/trajectory/transition_log.hpp"

namespace saltus {
namespace {

using test::BounceParts;
using test::chain_parts;
using test::closing_parts;

std::string told(const BounceParts& parts, std::size_t which) {
  EventLog log;
  log.set_variables({"i", "iD", "uD", "phi"});
  log.add(parts.instant, parts.events, true);
  return explain(log, log.events()[which]);
}

TEST(TransitionWords, AClosingSwitchIsToldFromItsGuardToWhatWasConserved) {
  EXPECT_EQ(
      told(closing_parts(), 1),
      "At t = 0.25, the transition 'close' took the model from mode 'conducting, open' to mode "
      "'blocking, closed' because 'gate' held.\n"
      "It was micro-step 1 of the events that followed, without time passing, from 'time >= 0.25' "
      "(became "
      "true).\n"
      "Mode 'conducting, closed' was tried and rejected: it requires iD >= 0, but iD gets an "
      "impulse of -0.2453 A s.\n"
      "New in mode 'blocking, closed': 'uD'. No longer there: 'iD'.\n"
      "There was an impulse of -0.2453 V s in 'uL', order 0 (delta).\n"
      "The transition set 'v' from -3 to 1.5 m/s (by 4.5 m/s).\n"
      "Equations of the transition between both sides of the event took 'w' from 2 to 4 (by 2).\n"
      "This impulse took 'phi' from 1 to 0.7547 V s (by -0.245 V s).\n"
      "As least_squares was asked for, the nearest consistent values were taken, regardless of "
      "conserved quantities: 'q' from 8 to 9 (by 1).\n"
      "To hold, the equations of mode 'blocking, closed' took 'u' from 0 to 10 V (by 10 V).\n"
      "Conserved, as declared: 'charge' (1.5 A s). Declared as conserved, but not kept within the "
      "tolerances: 'momentum' changed from 3 to 2.5 kg m/s (by -0.5 kg m/s).\n"
      "The integration began anew from here, as equations or values have changed.\n");
}

TEST(TransitionWords, AChainSaysWhereEachLinkLed) {
  EXPECT_EQ(
      told(chain_parts(), 0),
      "At t = 0.5, 'x < 0' became true: its switching function fell through zero.\n"
      "Proven: along the computed step no earlier crossing was overlooked.\n"
      "Micro-step 1: the transition 'first' took the model from mode 'a' to mode 'b' because "
      "'x < 0' held.\n"
      "Micro-step 2: the transition 'second' took the model from mode 'b' to mode 'c' because "
      "'y > 0' held.\n"
      "Mode 'b' was passed without time: 'second' led on because 'y > 0' held. The next mode "
      "started from the state before the event, not from this mode.\n"
      "Mode 'd' was tried and rejected: it requires z <= 0. It would have had an impulse of 2.5 m "
      "s in 'z', order 1 (delta').\n"
      "In all, the mode changed from 'a' to 'c'.\n"
      "No value jumped.\n"
      "The integration began anew from here, as equations or values have changed.\n");
  // The last link does not speak of the first one's candidates.
  EXPECT_EQ(told(chain_parts(), 2).find("was passed"), std::string::npos);
  EXPECT_NE(told(chain_parts(), 2).find("Mode 'd' was tried"), std::string::npos);
}

TEST(TransitionWords, ATransitionBackIntoItsOwnModeIsOne) {
  BounceParts parts = closing_parts();
  parts.instant.mode_after = parts.instant.mode_before = "turn";
  EXPECT_NE(told(parts, 1).find("took the model from mode 'turn' to mode 'turn'"),
            std::string::npos);
}

TEST(TransitionWords, StrengthsHaveTheUnitOfTheVariableTimesSeconds) {
  using detail::strength_unit;
  EXPECT_EQ(strength_unit("A", 0), "A s");
  EXPECT_EQ(strength_unit("A", 1), "A s^2");
  EXPECT_EQ(strength_unit("m/s", 0), "m");
  EXPECT_EQ(strength_unit("m/s", 1), "m s");
  EXPECT_EQ(strength_unit("m/s^2", 0), "m/s");
  EXPECT_EQ(strength_unit("m/s^3", 0), "m/s^2");
  EXPECT_EQ(strength_unit("m/s^2", 1), "m");
  EXPECT_EQ(strength_unit("1/s", 1), "s");
  EXPECT_EQ(strength_unit("1/s^2", 0), "1/s");
  EXPECT_EQ(strength_unit("J/K", 0), "(J/K) s");
  EXPECT_EQ(strength_unit("1/s2", 0), "1/s");
  EXPECT_EQ(strength_unit("m/s3", 0), "m/s2");
  EXPECT_EQ(strength_unit("m/sr", 0), "(m/sr) s");
  EXPECT_EQ(strength_unit("", 0), "");
}

struct TransitionChange {
  const char* what;
  std::function<void(BounceParts&)> change;
};

const std::vector<TransitionChange>& transition_changes() {
  static const std::vector<TransitionChange> changes = {
      {"transition", [](BounceParts& p) { p.events[1].name = "clos"; }},
      {"guard", [](BounceParts& p) { p.events[1].cause = "gate > 0"; }},
      {"no guard", [](BounceParts& p) { p.events[1].cause.clear(); }},
      {"mode before", [](BounceParts& p) { p.instant.mode_before = "off"; }},
      {"mode after", [](BounceParts& p) { p.instant.mode_after = "on"; }},
      {"candidate", [](BounceParts& p) { p.instant.candidates[0].mode = "other"; }},
      {"verdict", [](BounceParts& p) { p.instant.candidates[0].verdict = "it has no solution"; }},
      {"no verdict", [](BounceParts& p) { p.instant.candidates[0].verdict.clear(); }},
      {"passed", [](BounceParts& p) { p.instant.candidates[0].passed = true; }},
      {"taken", [](BounceParts& p) { p.instant.candidates[0].taken = true; }},
      {"impulse", [](BounceParts& p) { p.instant.impulses.clear(); }},
      {"strength", [](BounceParts& p) { p.instant.impulses[0].strength = 0.2453; }},
      {"order", [](BounceParts& p) { p.instant.impulses[0].order = 1; }},
      {"unit", [](BounceParts& p) { p.instant.impulses[0].unit = "mV"; }},
      {"where", [](BounceParts& p) { p.instant.impulses[0].variable = "uC"; }},
      {"two",
       [](BounceParts& p) {
         p.instant.impulses.push_back({"uR", 3, 1, ""});
       }},
      {"map", [](BounceParts& p) { p.instant.jumps[0].cause = JumpCause::equation; }},
      {"equation", [](BounceParts& p) { p.instant.jumps[1].cause = JumpCause::map; }},
      {"impulse jump", [](BounceParts& p) { p.instant.jumps[2].cause = JumpCause::consistency; }},
      {"squares", [](BounceParts& p) { p.instant.jumps[3].cause = JumpCause::impulse; }},
      {"conserved", [](BounceParts& p) { p.instant.conserved[0].kept = false; }},
      {"lost", [](BounceParts& p) { p.instant.conserved[1].kept = true; }},
      {"amount", [](BounceParts& p) { p.instant.conserved[1].after = 2; }},
      {"none", [](BounceParts& p) { p.instant.conserved.clear(); }},
      {"comes", [](BounceParts& p) { p.instant.minus_present[0] = 0; }},
      {"goes", [](BounceParts& p) { p.instant.plus_present[3] = 0; }},
      {"stays", [](BounceParts& p) { p.instant.plus_present[1] = 1; }},
  };
  return changes;
}

TEST(TransitionWords, NothingOfATransitionIsSilent) {
  const std::string text = told(closing_parts(), 1);
  for (const TransitionChange& c : transition_changes()) {
    BounceParts parts = closing_parts();
    c.change(parts);
    EXPECT_NE(told(parts, 1), text) << c.what;
  }
  BounceParts parts = closing_parts();  // the check sees silence: the impulse is in the verdict
  parts.instant.candidates[0].impulses[0].strength = 1;
  EXPECT_EQ(told(parts, 1), text);
}

int bumps(const std::string& text) {
  int n = text.empty() || text.back() != '\n';
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    n += line.empty() || line.back() != '.' || !(line[0] > ' ' && line[0] <= 'Z');
    n += !line.empty() && line[0] == '\'';
    for (const char* fault : {"  ", " .", " ,", "..", "''.", "()", ",,", ": ."})
      n += line.find(fault) != std::string::npos;
  }
  return n;
}

TEST(TransitionWords, EveryExplanationReadsAsSentences) {
  for (const TransitionChange& c : transition_changes()) {
    BounceParts parts = closing_parts();
    c.change(parts);
    for (std::size_t k = 0; k < parts.events.size(); ++k)
      EXPECT_EQ(bumps(told(parts, k)), 0) << c.what << '\n' << told(parts, k);
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(bumps(told(chain_parts(), k)), 0);
  EXPECT_GT(bumps("'x' went  away: .\n"), 3);
}

TEST(TransitionWords, ManyCandidatesAreCut) {
  BounceParts parts = closing_parts();
  for (int k = 0; k < 20; ++k) parts.instant.candidates.push_back(parts.instant.candidates[0]);
  EXPECT_NE(told(parts, 1).find("\nIn the same way, 13 more modes were tried.\n"),
            std::string::npos)
      << told(parts, 1);
}

TEST(TransitionWords, WithoutNamesNobodyKnowsWhatCameOrWent) {
  EventLog log;
  log.add(closing_parts().instant, closing_parts().events, true);
  EXPECT_EQ(explain(log, log.events()[1]).find("New in mode"), std::string::npos);
  EXPECT_NE(told(closing_parts(), 1).find("New in mode"), std::string::npos);
}

TEST(TransitionWords, TheTableTellsTheInstantInTheLineOfItsLastTransition) {
  const EventLog log = test::transition_log();
  EXPECT_EQ(changes_text(log, log.events()[0]), "now true");
  EXPECT_EQ(changes_text(log, log.events()[1]),
            "mode conducting, open -> blocking, closed; impulse -0.2453 V s in uL; map v: -3 -> "
            "1.5 m/s; equation w: 2 -> 4; impulse phi: 1 -> 0.7547 V s; least squares q: 8 -> 9; "
            "consistency u: 0 -> 10 V; 1 candidate rejected; momentum not conserved");
  EXPECT_EQ(to_text(log).substr(to_text(log).find("\n0.5") + 1),
            "0.5   state       x < 0         falling    proven     now true\n"
            "0.5   structural    first       -          -          passed mode b\n"
            "0.5   structural      second    -          -          mode a -> c; 1 candidate "
            "rejected\n");
}

TEST(TransitionCounts, TransitionsInterruptAndWhatTheyTriedIsCounted) {
  for (const bool keep : {true, false}) {
    const EventCounts counts = test::transition_log(keep).counts();
    EXPECT_EQ(counts.of(EventKind::structural), 3U);
    EXPECT_EQ(counts.n_interruptions, 2U);
    EXPECT_EQ(counts.n_rejected, 2U);
    EXPECT_EQ(counts.n_passed, 1U);
    EXPECT_EQ(counts.n_impulses, 1U);
    EXPECT_EQ(counts.n_not_conserved, 1U);
  }
  // Alone, without restart and without a crossing, a transition interrupts all the same.
  EventLog log;
  log.add({}, {test::made_event("go", EventKind::structural, 1)}, true);
  EXPECT_EQ(log.counts().n_interruptions, 1U);
  log.add({}, {test::made_event("x > 0", EventKind::lock, 1)}, true);
  EXPECT_EQ(log.counts().n_interruptions, 1U);
}

RunReport report_of_modes() {
  RunReport report;
  report.outcome = Outcome::finished;
  report.events.counts = test::transition_log().counts();
  WorkCounts work;
  work.n_steps = 12;
  work.n_evaluations = 80;
  report.work = {{"open", "radau", "dense", 8, work},
                 {"open", "ida", "dense", 8, work},
                 {"rest", "ida", "dense", 3, work}};
  report.modes = {{"open", 2, 1, 0.35, 1, 0, "(1, 1, 6, 0, 0)"},
                  {"closed", 0, 2, 0.0, 1, 0, "(0, 2, 5, 0, 0)"},
                  {"rest", 1, 0, 0.65, 0, 0, ""}};
  return report;
}

TEST(ModeReport, HasALinePerModeIfThereAreSeveral) {
  RunReport report = report_of_modes();
  const std::string text = to_text(report);
  EXPECT_NE(
      text.find(
          "\nModes, in the order in which they were first entered:\n"
          "  mode    stays  time  tentative  analyses  mu, d, a, v, u   engine      steps  "
          "evaluations\n"
          "  open    2      0.35  1          1         (1, 1, 6, 0, 0)  radau, ida  24     160\n"
          "  closed  0      0     2          1         (0, 2, 5, 0, 0)  -           0      0\n"
          "  rest    1      0.65  -          -         -                ida         12     80\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  At transitions: 2 candidate modes rejected, 1 mode passed without time "
                      "and 1 impulse\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  A quantity declared as conserved was not kept (1 time): "),
            std::string::npos);
  report.modes[1].n_reductions = 3;
  EXPECT_NE(to_text(report).find("analyses  reductions  mu"), std::string::npos);
  for (int k = 0; k < 30; ++k) report.modes.emplace_back().mode = "mode " + std::to_string(k);
  EXPECT_NE(to_text(report).find("  ... and 9 more\n"), std::string::npos);
  report.modes.resize(1);
  EXPECT_EQ(to_text(report).find("Modes"), std::string::npos);
}

}  // namespace
}  // namespace saltus
