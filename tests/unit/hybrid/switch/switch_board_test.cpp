// The switches of a workspace: sides, slacks, waiting times, and what hangs on them.
#include "hybrid/switch/switch_board.hpp"

#include <limits>

#include <saltus/core/error.hpp>

#include "fake_switches.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::Consequence;
using detail::SwitchBoard;

/// 'a' is x > 0 and chooses equations, 'b' is written the other way round (x < 1) and chooses outputs, 'idle' chooses
/// nothing, 'inner' (x > 0.5) chooses equations where 'a' holds; a range and an exit.
FakeParts board_parts() {
  return {.functions =
              {{.info = {.name = "a"}, .by_x = {1.0}},
               {.info = {.name = "b", .true_if_positive = false}, .constant = -1.0, .by_x = {1.0}},
               {.info = {.name = "idle"}, .by_x = {1.0}},
               {.info = {.name = "inner"}, .constant = -0.5, .by_x = {1.0}, .only_with = 0},
               {.info = {.name = "x >= 0", .kind = SwitchKind::lower_limit, .true_at_zero = true},
                .by_x = {1.0}},
               {.info = {.name = "exit", .kind = SwitchKind::exit}, .constant = 1.0}},
          .of_equations = {0, 3},
          .of_outputs = {1}};
}
enum : std::uint32_t { board_a, board_b, board_idle, board_inner, board_range, board_exit };

struct BoardScene {
  explicit BoardScene(FakeParts parts = board_parts(), const EventOptions& options = {},
                      bool forward = true)
      : fake(std::move(parts)), board(fake, options, forward) {}
  Consequence consequence(std::vector<std::uint32_t> flips, double at = 0.0) {
    return board.consequence(flips, 0.0, std::vector{at}, std::vector{0.0});
  }
  Evaluation decide(double at) { return board.decide(0.0, std::vector{at}, std::vector{0.0}); }
  bool is_watched(std::uint32_t which, double t = 0.0) { return board.watch(t).side[which] != 0; }
  FakeSwitches fake;
  SwitchBoard board;
};

// ---- names -----------------------------------------------------------------------------------------------

TEST(SwitchBoard, AnUnknownNameIsRefusedWithANearOneUnlessOtherModesMayHaveIt) {
  FakeSwitches fake(board_parts());
  const EventOptions wrong{.dwell = {{"innr", 1.0}}};
  try {
    const SwitchBoard board(fake, wrong, true);
    FAIL();
  } catch (const OptionError& e) {
    EXPECT_EQ(e.field(), "events.dwell");
    EXPECT_NE(std::string(e.what()).find("is not a relation of the model, did you mean 'inner'?"),
              std::string::npos)
        << e.what();
  }
  EXPECT_EQ(SwitchBoard(fake, wrong, true, false).dwell(board_inner), 0.0);
}

TEST(SwitchBoard, OptionsBelongToTheRelationOfTheirName) {
  BoardScene s(board_parts(), {.hysteresis = {{"b", 0.25}}, .dwell = {{"a", 2.0}}});
  EXPECT_EQ(s.board.slack(board_b), 0.25);
  EXPECT_EQ(s.board.search_slack(board_b), 0.25);
  EXPECT_EQ(s.board.slack(board_a), 0.0);
  EXPECT_EQ(s.board.dwell(board_a), 2.0);
}

// ---- truths ----------------------------------------------------------------------------------------------

TEST(SwitchBoard, ASideIsTheSignWhileTheTruthIsKept) {
  BoardScene s;
  EXPECT_EQ(s.board.side(board_a), -1);
  EXPECT_EQ(s.board.side(board_b), 1);
  s.board.set_truths(std::vector<std::uint8_t>{1, 1, 0, 0, 0, 0});
  EXPECT_EQ(s.board.side(board_a), 1);
  EXPECT_EQ(s.board.side(board_b), -1);
}

TEST(SwitchBoard, LocksFollowRelationsAndNothingElse) {
  BoardScene s;
  s.board.set_truth(board_a, true);
  s.board.set_truth(board_exit, true);
  EXPECT_EQ(s.fake.locks()[board_a], 1);
  EXPECT_FALSE(s.board.is_one_sided());
  EXPECT_EQ(s.fake.n_told, 0) << "a system with locks knows them";
  EXPECT_TRUE(s.board.truth(board_exit));
}

TEST(SwitchBoard, ASystemWithoutLocksIsToldOfItsRelations) {
  FakeParts parts = board_parts();
  parts.has_locks = false;
  BoardScene s(parts);
  EXPECT_TRUE(s.board.is_one_sided());
  s.board.set_truth(board_b, true);
  EXPECT_EQ(s.fake.last_told, (std::vector<std::uint8_t>{0, 1, 0, 0}));
  ASSERT_TRUE(s.decide(0.75));
  EXPECT_EQ(s.fake.last_told, (std::vector<std::uint8_t>{1, 1, 1, 0}))
      << "'inner' did not matter yet";
  EXPECT_EQ(s.board.equation_branches().size(), 6U);
  EXPECT_TRUE(s.board.chooses_equations(board_idle, 0.0, std::vector{0.0}, std::vector{0.0}))
      << "nobody knows";
}

TEST(SwitchBoard, AtAPointARangeIncludesItsEndsAndARelationSaysWhereItIs) {
  BoardScene s;
  ASSERT_TRUE(s.decide(0.0));
  EXPECT_FALSE(s.board.truth(board_a));
  EXPECT_TRUE(s.board.truth(board_range));
  ASSERT_TRUE(s.decide(-1e-9));
  EXPECT_FALSE(s.board.truth(board_range));
  s.fake.parts.functions[board_range].has_value = [](double, auto) { return false; };
  EXPECT_EQ(s.decide(0.0).row(), board_range);
}

TEST(SwitchBoard, WhatComesToMatterIsDecidedAtThePointAndNothingElse) {
  BoardScene s;
  s.board.note_active();
  s.board.set_truth(board_a, true);
  s.board.decide_new(0.0, std::vector{0.75}, std::vector{0.0});
  EXPECT_TRUE(s.board.truth(board_inner));
  EXPECT_FALSE(s.board.truth(board_idle)) << "it mattered before";
  // It is known by now, unless somebody says otherwise.
  s.board.decide_new(0.0, std::vector{0.25}, std::vector{0.0});
  EXPECT_TRUE(s.board.truth(board_inner));
  s.board.note_unknown(board_inner);
  s.board.decide_new(0.0, std::vector{0.25}, std::vector{0.0});
  EXPECT_FALSE(s.board.truth(board_inner));
  s.board.note_unknown(board_inner);
  s.board.note_known(board_inner);
  s.board.decide_new(0.0, std::vector{0.75}, std::vector{0.0});
  EXPECT_FALSE(s.board.truth(board_inner));
}

TEST(SwitchBoard, KeptTruthsArePutBack) {
  BoardScene s;
  s.board.set_truth(board_a, true);
  {
    const detail::KeptTruths kept(s.board);
    s.board.set_truth(board_a, false);
    s.board.set_truth(board_b, true);
  }
  EXPECT_TRUE(s.board.truth(board_a));
  EXPECT_FALSE(s.board.truth(board_b));
  EXPECT_EQ(s.fake.locks()[board_a], 1);
}

// ---- watched ---------------------------------------------------------------------------------------------

TEST(SwitchBoard, OnlyWhatMayCrossByItselfIsWatched) {
  FakeParts parts = board_parts();
  parts.functions[board_idle].is_timed = true;
  parts.functions[board_exit].info.kind = SwitchKind::hold;
  BoardScene s(parts), without_ranges(parts, {.range = RangePolicy::ignore});
  EXPECT_TRUE(s.is_watched(board_a));
  EXPECT_FALSE(s.is_watched(board_idle)) << "its times are known";
  EXPECT_FALSE(s.is_watched(board_inner)) << "it does not matter";
  EXPECT_TRUE(s.is_watched(board_range));
  EXPECT_FALSE(without_ranges.is_watched(board_range));
  EXPECT_FALSE(s.is_watched(board_exit)) << "a hold is no event";
  s.board.set_truth(board_a, true);
  EXPECT_TRUE(s.is_watched(board_inner));
  EXPECT_EQ(s.board.watch(0.0).side[board_a], 1);
}

TEST(SwitchBoard, ARelationThatSwitchedWaits) {
  for (const double way : {1.0, -1.0}) {
    BoardScene s(board_parts(), {.dwell = {{"a", 0.5}}}, way > 0);
    EXPECT_FALSE(s.board.is_silent(board_a, way * -1e300));
    EXPECT_EQ(s.board.next_dwell_end(way * 1.0, way * 9.0), way * 9.0);
    s.board.note_switched(board_a, way * 1.0);
    s.board.note_switched(board_b, way * 1.0);
    EXPECT_EQ(s.board.silent_until(board_a), way * 1.5);
    EXPECT_TRUE(s.board.is_silent(board_a, way * 1.25));
    EXPECT_FALSE(s.board.is_silent(board_a, way * 1.5));
    EXPECT_FALSE(s.board.is_silent(board_b, way * 1.25));
    EXPECT_FALSE(s.is_watched(board_a, way * 1.25));
    EXPECT_TRUE(s.is_watched(board_a, way * 1.5));
    EXPECT_EQ(s.board.next_dwell_end(way * 1.0, way * 9.0), way * 1.5);
    EXPECT_EQ(s.board.next_dwell_end(way * 1.5, way * 9.0), way * 9.0) << "strictly after";
    EXPECT_EQ(s.board.next_dwell_end(way * 1.0, way * 1.25), way * 1.25);
  }
}

TEST(SwitchBoard, APardonLastsForAStepAndAddsToTheSlack) {
  BoardScene s(board_parts(), {.hysteresis = {{"a", 0.25}}});
  s.board.pardon(board_a, 0.5);
  EXPECT_EQ(s.board.watch(0.0).slack[board_a], 0.75);
  EXPECT_EQ(s.board.watch(0.0).width[board_a], 0.25);
  s.board.forget_excursions();
  EXPECT_EQ(s.board.search_slack(board_a), 0.25);
}

TEST(SwitchBoard, AnExcuseEndsOnTheRightSide) {
  BoardScene s(board_parts(), {.hysteresis = {{"a", 0.25}}});
  s.board.set_truth(board_a, true);
  const auto after = [&](double x) {
    s.board.end_excuses(0.0, std::vector{x}, std::vector{0.0});
    return s.board.search_slack(board_a);
  };
  s.board.excuse(board_a, 0.5);
  EXPECT_EQ(after(-0.5), 0.75);
  EXPECT_EQ(after(0.5), 0.75);
  EXPECT_EQ(after(0.51), 0.25);
  EXPECT_EQ(after(0.0), 0.25) << "it is over";
  s.board.excuse(board_a, 0.5, 2.0);
  EXPECT_EQ(after(1.9), 0.75);
  s.board.excuse(board_a, 0.125);  // takes the place of the one before
  EXPECT_EQ(after(0.1), 0.375);
  EXPECT_EQ(after(0.2), 0.25);
  s.board.excuse(board_a, 0.5);
  s.fake.parts.functions[board_a].has_value = [](double, auto) { return false; };
  EXPECT_EQ(after(0.0), 0.25) << "nobody knows where it is";
}

TEST(SwitchBoard, WhatLeavesIsToldUntilItsExcuseEnds) {
  BoardScene s;
  s.board.set_truth(board_a, true);
  EXPECT_TRUE(s.board.watch(0.0).leaves.empty());
  s.board.excuse_what_leaves(board_a, 0.5);
  EXPECT_EQ(s.board.watch(0.0).leaves[board_a], 1);
  EXPECT_EQ(s.board.watch(0.0).leaves[board_b], 0);
  s.board.end_excuses(0.0, std::vector{0.6}, std::vector{0.0});
  EXPECT_EQ(s.board.watch(0.0).leaves[board_a], 0);
  s.board.excuse_what_leaves(board_a, 0.5);
  s.board.excuse(board_a, 0.5);
  EXPECT_EQ(s.board.watch(0.0).leaves[board_a], 0);
}

TEST(SwitchBoard, WhatMotionSettledIsForgottenAfterTheFirstStep) {
  BoardScene s;
  s.board.settle_by_motion(board_b, true);
  EXPECT_TRUE(s.board.truth(board_b));
  EXPECT_TRUE(s.board.is_settled_by_motion(board_b));
  EXPECT_FALSE(s.board.is_settled_by_motion(board_a));
  s.board.end_excuses(0.0, std::vector{0.0}, std::vector{0.0});
  EXPECT_TRUE(s.board.settled_by_motion().empty());
  EXPECT_TRUE(s.board.truth(board_b));
}

// ---- consequences ----------------------------------------------------------------------------------------

TEST(SwitchBoard, AFlipMayChangeEquationsOutputsOrNothing) {
  BoardScene s;
  EXPECT_EQ(s.consequence({board_a}), Consequence::equations);
  EXPECT_EQ(s.consequence({board_b}), Consequence::outputs);
  EXPECT_EQ(s.consequence({board_idle}), Consequence::none);
  EXPECT_EQ(s.consequence({board_idle, board_b}), Consequence::outputs);
  EXPECT_EQ(s.consequence({board_range}), Consequence::none);
  EXPECT_EQ(s.consequence({board_range, board_exit}), Consequence::equations);
  EXPECT_EQ(s.consequence({board_inner}), Consequence::none) << "it does not matter here";
  for (std::uint32_t w = 0; w < 6; ++w) EXPECT_FALSE(s.board.truth(w)) << w;
  EXPECT_TRUE(s.board.chooses_equations(board_a, 0.0, std::vector{0.0}, std::vector{0.0}));
  EXPECT_FALSE(s.board.chooses_equations(board_b, 0.0, std::vector{0.0}, std::vector{0.0}));
  EXPECT_FALSE(s.board.chooses_equations(board_exit, 0.0, std::vector{0.0}, std::vector{0.0}));
}

TEST(SwitchBoard, WhatComesToMatterByAFlipCountsWithItsTruthAtThePoint) {
  FakeParts parts = board_parts();
  parts.of_equations = {board_inner};
  BoardScene s(parts);
  EXPECT_EQ(s.consequence({board_a}, 0.75), Consequence::equations);
  EXPECT_EQ(s.consequence({board_a}, 0.25), Consequence::none);
}

TEST(SwitchBoard, ATriggerThatTurnsIsAConsequence) {
  FakeParts parts = board_parts();
  parts.actions = {{fake_info("act", {{true, 0}})}};
  parts.triggers = {while_true(board_idle, 0)};
  for (const bool forward : {true, false}) {
    BoardScene s(parts, {}, forward);
    const auto sets_off = [&](std::uint32_t w) {
      return s.board.sets_off_actions({&w, 1}, 0.0, std::vector{0.0}, std::vector{0.0});
    };
    EXPECT_EQ(s.consequence({board_idle}), Consequence::equations);
    EXPECT_TRUE(sets_off(board_idle));
    EXPECT_FALSE(sets_off(board_a));
    s.board.set_truth(board_idle, true);
    EXPECT_EQ(sets_off(board_idle), !forward) << "that it ceases to hold leads to nothing";
  }
}

TEST(SwitchBoard, OnlyTheModelsOwnClausesThatDoSomethingAreSetOff) {
  FakeParts parts = board_parts();
  parts.actions = {{fake_info("sets", {{true, 0}})},
                   {fake_info("ends")},
                   {fake_info("nothing")},
                   {fake_info("leaves", ActionKind::transition)},
                   {fake_info("requires", ActionKind::requirement)},
                   {fake_info("law", {{true, 0}})},
                   {fake_info("late", {{true, 0}})},
                   {fake_info("by b", {{true, 0}})}};
  parts.actions[1].info.terminal = true;
  parts.actions[4].info.terminal = true;
  parts.actions[5].info.by_laws = true;
  parts.actions[6].info.comes_last = true;
  for (std::uint32_t a = 0; a < 7; ++a)
    for (int twice = 0; twice < 2; ++twice) parts.triggers.push_back(while_true(board_idle, a));
  parts.triggers.push_back(while_true(board_b, 7));
  BoardScene s(parts);
  const std::vector<std::uint32_t> flips{board_idle}, other{board_inner};
  EXPECT_EQ(s.board.actions_set_off(flips, 0.0, std::vector{0.0}, std::vector{0.0}),
            (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_TRUE(s.board.actions_set_off(other, 0.0, std::vector{0.0}, std::vector{0.0}).empty());
}

TEST(SwitchBoard, CircumstancesAreThoseOfTheLastLook) {
  FakeParts parts = board_parts();
  parts.discrete = {1.0};
  BoardScene s(parts);
  SwitchBoard::Circumstances seen;
  EXPECT_FALSE(s.board.are_unchanged(seen));
  EXPECT_TRUE(s.board.are_unchanged(seen));
  s.board.set_truth(board_exit, true);
  EXPECT_FALSE(s.board.are_unchanged(seen));
  s.fake.set_lock(board_a, true);  // behind its back
  EXPECT_FALSE(s.board.are_unchanged(seen));
  s.fake.parts.discrete[0] = 2.0;
  EXPECT_FALSE(s.board.are_unchanged(seen));
  EXPECT_TRUE(s.board.are_unchanged(seen));
}

TEST(SwitchBoard, AnExcuseAfterAPardonHolds) {
  BoardScene s;
  s.board.set_truth(board_a, true);
  s.board.pardon(board_a, 0.5);
  s.board.excuse(board_a, 0.25);
  EXPECT_EQ(s.board.search_slack(board_a), 0.75);
  s.board.forget_excursions();
  EXPECT_EQ(s.board.search_slack(board_a), 0.25);
}

TEST(SwitchBoard, AnExcuseThatEndedDoesNotComeBackAfterAPardon) {
  BoardScene s;
  s.board.set_truth(board_a, true);
  s.board.excuse(board_a, 0.25);
  s.board.pardon(board_a, 0.5);
  s.board.end_excuses(0.0, std::vector{1.0}, std::vector{0.0});
  EXPECT_EQ(s.board.search_slack(board_a), 0.5);
  s.board.forget_excursions();
  EXPECT_EQ(s.board.search_slack(board_a), 0.0);
}

TEST(SwitchBoard, PardonsAddUpUntilTheyAreForgotten) {
  BoardScene s;
  s.board.pardon(board_a, 0.5);
  s.board.pardon(board_a, 0.25);
  EXPECT_EQ(s.board.search_slack(board_a), 0.75);
  s.board.forget_excursions();
  EXPECT_EQ(s.board.search_slack(board_a), 0.0);
}

/// x' = 1, or 2 beyond x = 0; an action where that is passed. It knows its side from the point alone.
std::shared_ptr<const System> one_sided_with_action() {
  SystemFunctions f;
  f.unknowns = {{"x", -1.0}};
  f.derivative = [](double, auto x, auto xdot) { xdot[0] = x[0] > 0 ? 2.0 : 1.0; };
  f.switches = {{"beyond", true}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0]; };
  f.actions = {{.name = "reset", .trigger = "beyond"}};
  f.actions.back().set = [](double, auto, auto after) { after[0] = -1.0; };
  return make_system(f);
}

TEST(SwitchBoard, ASystemWithoutLocksKnowsWhichActionsAFlipSetsOff) {
  const auto workspace = one_sided_with_action()->workspace();
  const std::uint32_t beyond = 0;
  for (const bool forward : {true, false}) {
    SwitchBoard board(*workspace, {}, forward);
    ASSERT_TRUE(board.decide(0.0, std::vector{-1.0}, std::vector{1.0}));
    const auto sets_off = [&] {
      return board.sets_off_actions({&beyond, 1}, 0.0, std::vector{0.0}, std::vector{1.0});
    };
    EXPECT_TRUE(sets_off()) << forward;
    EXPECT_FALSE(board.truth(beyond));
    board.set_truth(beyond, true);
    EXPECT_EQ(sets_off(), !forward) << forward;
  }
}

TEST(SwitchBoard, ARangeSetsNothingOffWhateverWasAskedBefore) {
  FakeParts parts = board_parts();
  parts.actions = {{fake_info("act", {{true, 0}})}};
  parts.triggers = {while_true(0, board_a)};
  BoardScene s(parts);
  const auto sets_off = [&](std::uint32_t which) {
    return s.board.sets_off_actions({&which, 1}, 0.0, std::vector{0.0}, std::vector{1.0});
  };
  EXPECT_FALSE(sets_off(board_range));
  EXPECT_TRUE(sets_off(board_a));
  EXPECT_FALSE(sets_off(board_range));
}

}  // namespace
}  // namespace saltus::hybrid_test
