// Entries of the event table, from what happened at an instant.
#include "hybrid/switch/event_journal.hpp"

#include <saltus/system/function_system.hpp>

#include "fake_switches.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::Crossing;
using detail::InstantResult;

/// Relations 'b' and 'a', a range, an exit and a relation of time; actions 'kick' (x and the discrete n) and 'law' (the
/// discrete n, and x without a name).
struct JournalScene {
  JournalScene()
      : fake({.n_unknowns = 2,
              .functions = {{.info = {.name = "b"}},
                            {.info = {.name = "a", .sets_unknowns = true}},
                            {.info = {.name = "x >= 0", .kind = SwitchKind::lower_limit}},
                            {.info = {.name = "stick", .kind = SwitchKind::exit}},
                            {.info = {.name = "time > 1"}, .is_timed = true}},
              .actions = {{.info = {.name = "kick",
                                    .targets = {{true, 0}, {false, 0}},
                                    .target_names = {"x", "n"},
                                    .terminal = true,
                                    .message = "kicked"}},
                          {.info = {.name = "law",
                                    .targets = {{false, 0}, {true, 0}},
                                    .target_names = {"n", ""},
                                    .message = "",
                                    .by_laws = true}}},
              .triggers = {while_true(0, 0), while_true(1, 1)},
              .discrete = {0.0}}),
        system(
            make_system({.unknowns = {{.name = "x", .unit = "m"}, {.name = "y"}},
                         .derivative = [](double, auto, auto xdot) { xdot[0] = xdot[1] = 0.0; }})),
        board(fake, {.hysteresis = {{"b", 0.25}}}, true) {
    result.start.x = x_minus;
  }
  detail::JournalEntry entry(std::vector<Crossing> crossings = {}) {
    return detail::journal_entry(board, *system, tolerances, "main", 2.0, x_minus, crossings,
                                 result);
  }

  FakeSwitches fake;
  std::shared_ptr<const System> system;
  detail::SwitchBoard board;
  EngineOptions tolerances{.rtol = 1e-2, .atol = {1e-1, 1e-3}};
  std::vector<double> x_minus{4.0, 10.0};
  InstantResult result;
};

TEST(EventJournal, ACrossingIsAnEventOfItsKind) {
  JournalScene s;
  std::vector<Crossing> crossings;
  for (std::uint32_t w = 0; w < 5; ++w) crossings.push_back({.which = w});
  crossings.push_back({.which = 0, .only_flips = true});
  const auto events = s.entry(crossings).events;
  ASSERT_EQ(events.size(), 6U);
  const std::vector<EventKind> kinds{EventKind::state,     EventKind::state,
                                     EventKind::limit,     EventKind::exit_sliding,
                                     EventKind::scheduled, EventKind::lock};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(events[k].kind, kinds[k]) << k;
  EXPECT_EQ(events[3].name, "stick");
}

TEST(EventJournal, ACrossingTellsHowItWasFound) {
  JournalScene s;
  const Crossing crossing{.which = 0,
                          .direction = -1,
                          .guarantee = Guarantee::heuristic,
                          .time_width = 1e-9,
                          .waited = true};
  const auto entry = s.entry({crossing});
  const Event& e = entry.events.at(0);
  EXPECT_EQ(e.t, 2.0);
  EXPECT_EQ(e.direction, -1);
  EXPECT_EQ(e.guarantee, Guarantee::heuristic);
  EXPECT_EQ(e.time_width, 1e-9);
  EXPECT_EQ(e.hysteresis, 0.25);
  EXPECT_TRUE(e.waited);
  EXPECT_EQ(e.micro_step, 0U);
}

TEST(EventJournal, TheInstantIsNearItsSurfaceIfACrossingSetsUnknowns) {
  JournalScene s;
  EXPECT_FALSE(s.entry({{.which = 0}}).instant.near_side);
  EXPECT_TRUE(s.entry({{.which = 1}, {.which = 0}}).instant.near_side);
}

TEST(EventJournal, TheInstantTellsWhatItTook) {
  JournalScene s;
  s.result.n_micro_steps = 3;
  s.result.n_searches = 5;
  s.result.restart = true;
  s.result.impulses = {{.variable = "y", .strength = 7.0}};
  const EventInstant instant = s.entry().instant;
  EXPECT_EQ(instant.t, 2.0);
  EXPECT_EQ(instant.mode_before + instant.mode_after, "mainmain");
  EXPECT_EQ(instant.n_micro_steps, 3U);
  EXPECT_EQ(instant.n_iterations, 5U);
  EXPECT_TRUE(instant.restarted);
  ASSERT_EQ(instant.impulses.size(), 1U);
  EXPECT_EQ(instant.impulses[0].strength, 7.0);
}

TEST(EventJournal, RelationsAreListedOnceByNameWithBothEnds) {
  JournalScene s;
  s.board.set_truth(0, true);  // it turned twice
  s.board.set_truth(1, true);  // once
  s.result.flips = {{0, 0}, {1, 0}, {0, 1}};
  const auto locks = s.entry().instant.locks;
  ASSERT_EQ(locks.size(), 2U);
  EXPECT_EQ(locks[0].relation, "a");
  EXPECT_FALSE(locks[0].before);
  EXPECT_TRUE(locks[0].after);
  EXPECT_EQ(locks[1].relation, "b");
  EXPECT_TRUE(locks[1].before);
  EXPECT_TRUE(locks[1].after);
}

TEST(EventJournal, AnActionHasItsTriggerOrAReason) {
  JournalScene s;
  s.result.fired = {{0, 0, 0, {}}, {1, detail::FiredAction::no_trigger, 2, "v jumped"}};
  const auto events = s.entry().events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, EventKind::action);
  EXPECT_EQ(events[0].name, "kick");
  EXPECT_EQ(events[0].cause, "yes");
  EXPECT_EQ(events[0].note, "kicked");
  EXPECT_TRUE(events[0].terminal);
  EXPECT_EQ(events[0].micro_step, 1U);
  EXPECT_EQ(events[1].cause, "");
  EXPECT_EQ(events[1].note, "v jumped");
  EXPECT_FALSE(events[1].terminal);
  EXPECT_EQ(events[1].micro_step, 3U);
}

TEST(EventJournal, LawsTellWhichDiscreteVariablesTheyChanged) {
  JournalScene s;
  s.result.fired = {{1, 1, 0, "v jumped"}};
  s.result.set = {{{false, 0}, 0.0, 1.0, 1, 0},  // told
                  {{false, 0}, 1.0, 1.0, 1, 0},  // no change
                  {{false, 0}, 1.0, 2.0, 1, 1},  // another micro-step
                  {{true, 0}, 4.0, 5.0, 1, 0}};  // an unknown
  s.result.start.x = {5.0, 10.0};
  const auto entry = s.entry();
  EXPECT_EQ(entry.events.at(0).note, "v jumped; n from 0 to 1");
  // Nor is what has no name, or did not change, a jump.
  ASSERT_EQ(entry.instant.jumps.size(), 2U);
  EXPECT_EQ(entry.instant.jumps[0].after, 1.0);
  EXPECT_EQ(entry.instant.jumps[1].after, 2.0);
}

TEST(EventJournal, WhatAnActionSetsIsAJumpByIt) {
  JournalScene s;
  s.result.set = {{{true, 0}, 4.0, 11.0, 0, 1}, {{false, 0}, 0.0, 3.0, 0, 0}};
  s.result.start.x = {11.0, 10.0};
  const auto jumps = s.entry().instant.jumps;
  ASSERT_EQ(jumps.size(), 2U);
  EXPECT_EQ(jumps[0].variable, "x");
  EXPECT_EQ(jumps[0].by, "kick");
  EXPECT_EQ(jumps[0].cause, JumpCause::action);
  EXPECT_EQ(jumps[0].unit, "m");
  EXPECT_FALSE(jumps[0].discrete);
  EXPECT_EQ(jumps[0].micro_step, 2U);
  EXPECT_NEAR(jumps[0].in_tolerances, 7.0 / (0.01 * 4.0 + 0.1), 1e-12);
  EXPECT_EQ(jumps[1].variable, "n");
  EXPECT_TRUE(jumps[1].discrete);
  EXPECT_EQ(jumps[1].in_tolerances, 0.0) << "it has no tolerance";
}

TEST(EventJournal, WhatEquationsMakeOfItFollows) {
  JournalScene s;
  s.result.set = {{{true, 0}, 4.0, 11.0, 0, 0}};
  s.result.start.x = {11.5, 12.0};  // from 11 and 10
  for (const bool by_impulse : {false, true}) {
    s.result.by_impulse = by_impulse;
    const auto jumps = s.entry().instant.jumps;
    ASSERT_EQ(jumps.size(), 3U);
    EXPECT_EQ(jumps[1].variable, "x");
    EXPECT_EQ(jumps[1].before, 11.0);
    EXPECT_EQ(jumps[1].after, 11.5);
    EXPECT_EQ(jumps[1].cause, by_impulse ? JumpCause::impulse : JumpCause::consistency);
    EXPECT_EQ(jumps[2].variable, "y");
    EXPECT_NEAR(jumps[2].in_tolerances, 2.0 / (0.01 * 10.0 + 1e-3), 1e-12);
  }
}

TEST(EventJournal, TheLastDigitIsNoJumpAndWhatFollowsInAnotherModeIsToldThere) {
  JournalScene s;
  s.result.start.x = {4.0 * (1 + 0x1p-51), 10.0 * (1 + 0x1p-49)};  // 2 and 8 epsilon
  const auto jumps = s.entry().instant.jumps;
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_EQ(jumps[0].variable, "y");
  s.result.leaving = {{0}};
  EXPECT_TRUE(s.entry().instant.jumps.empty());
}

TEST(EventJournal, WhereAnotherSystemIsIntegratedValuesAreThoseWritten) {
  JournalScene s;
  s.result.start.x = {1.0};
  s.result.written = {.before = {4.0, 10.0}, .after = {4.0, 9.0}};
  const auto jumps = s.entry().instant.jumps;
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_EQ(jumps[0].variable, "y");
  EXPECT_EQ(jumps[0].after, 9.0);
}

TEST(EventJournal, AnInputThatJumpsHasNoEventsButRestarts) {
  JournalScene s;
  s.result.start.x = {4.0, 9.0};
  const auto entry = detail::jump_entry(*s.system, s.tolerances, "main", 2.0, s.x_minus, s.result);
  EXPECT_TRUE(entry.events.empty());
  EXPECT_EQ(entry.instant.t, 2.0);
  EXPECT_TRUE(entry.instant.restarted);
  EXPECT_EQ(entry.instant.mode_after, "main");
  ASSERT_EQ(entry.instant.jumps.size(), 1U);
  EXPECT_EQ(entry.instant.jumps[0].before, 10.0);
}

TEST(EventJournal, AFlipInterruptsNothing) {
  JournalScene s;
  s.board.set_truth(0, true);
  const std::vector<Crossing> crossings{{.which = 0}, {.which = 2}};
  const auto entry = detail::flip_entry(s.board, "main", 2.0, crossings);
  EXPECT_EQ(entry.instant.t, 2.0);
  EXPECT_FALSE(entry.instant.restarted);
  ASSERT_EQ(entry.instant.locks.size(), 2U);
  EXPECT_FALSE(entry.instant.locks[0].before);
  EXPECT_TRUE(entry.instant.locks[0].after);
  EXPECT_TRUE(entry.instant.locks[1].before);
  EXPECT_EQ(entry.events[0].kind, EventKind::lock);
  EXPECT_EQ(entry.events[1].kind, EventKind::limit);
}

}  // namespace
}  // namespace saltus::hybrid_test
