// At an instant: from crossed relations to a configuration that stays.
#include "iteration_scene.hpp"

namespace saltus::hybrid_test {
namespace {

using Fired = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // action and micro-step

Fired fired_in(const detail::InstantResult& result) {
  Fired all;
  for (const detail::FiredAction& f : result.fired) all.emplace_back(f.action, f.micro_step);
  return all;
}

/// An action that sets its first target to what `value` says.
FakeAction sets_by(const std::string& name, ActionTarget target,
                   std::function<double(double x, double n)> value) {
  return {fake_info(name, {target}),
          [value](double, FakeValues x, FakeValues discrete, std::span<double> out) {
            out[0] = value(x[0], discrete[0]);
            return Evaluation::ok();
          }};
}
FakeTrigger where_n(std::uint32_t action, std::function<bool(double n)> holds, std::string text) {
  return {action, [holds](const FakeTruths& now) { return holds(now.discrete[0]); },
          std::move(text)};
}
constexpr ActionTarget the_x{true, 0}, the_n{false, 0};

// ---- equations -------------------------------------------------------------------------------------------

TEST(EventIteration, ACrossingThatChoosesEquationsLeadsToAnotherState) {
  IterationScene s(one_relation());
  s.find = [&](const StartValues&) { return IterationScene::state(1.0, s.board.truth(0) ? 3 : 2); };
  const auto done = s.run();
  ASSERT_TRUE(done.has_value()) << said_by(done);
  EXPECT_TRUE(s.board.truth(0));
  EXPECT_EQ(done->start.xdot[0], 3.0);
  EXPECT_TRUE(done->restart);
  EXPECT_EQ(done->n_micro_steps, 1U);
  EXPECT_EQ(done->n_searches, 1U);
  EXPECT_EQ(done->n_evaluations, 1U) << "one, and one for each iteration";
  ASSERT_EQ(done->flips.size(), 1U);
  EXPECT_EQ(done->flips[0].which, 0U);
}

TEST(EventIteration, ACrossingThatChoosesNothingLeavesTheStateAlone) {
  FakeParts parts = one_relation();
  parts.of_equations = {};
  IterationScene s(parts);
  s.x = {1e-4};
  const auto done = s.run();
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(s.board.truth(0));
  EXPECT_FALSE(done->restart);
  EXPECT_EQ(s.n_searches, 0);
}

TEST(EventIteration, AnInputThatJumpsLeadsToOneSearchUnlessSidesAreBlended) {
  for (const bool is_blended : {false, true}) {
    FakeParts parts = one_relation();
    parts.of_equations = {};
    IterationScene s(parts);
    s.x = {-1.0};
    s.find = [](const StartValues&) { return IterationScene::state(1.0); };
    auto entry = s.entry({});
    entry.inputs_change = true;
    entry.is_blended = is_blended;
    const auto done = s.iteration.run(entry);
    ASSERT_TRUE(done.has_value());
    EXPECT_TRUE(done->restart);
    EXPECT_EQ(s.n_searches, is_blended ? 0 : 1);
    EXPECT_EQ(done->n_micro_steps, is_blended ? 1U : 2U) << "'a' turns where the search leads";
  }
}

TEST(EventIteration, WhatTheNewStatePassesTurnsInTheNextMicroStep) {
  FakeParts parts = one_relation();
  parts.functions.push_back({.info = {.name = "b"}, .constant = -5.0, .by_x = {1.0}});
  IterationScene s(parts);
  s.find = [](const StartValues&) { return IterationScene::state(6.0); };
  const auto done = s.run();
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(s.board.truth(1));
  EXPECT_EQ(done->n_micro_steps, 2U);
  EXPECT_EQ(done->n_searches, 1U) << "'b' chooses nothing";
  ASSERT_EQ(done->flips.size(), 2U);
  EXPECT_EQ(done->flips[1].micro_step, 1U);
}

// ---- actions ---------------------------------------------------------------------------------------------

/// 'a' sets x by `value`; nothing else depends on 'a'.
FakeParts one_action(std::function<double(double x, double n)> value) {
  FakeParts parts = one_relation();
  parts.of_equations = {};
  parts.actions = {sets_by("set", the_x, std::move(value))};
  parts.triggers = {while_true(0, 0)};
  return parts;
}

TEST(EventIteration, WhatAnActionSetsIsGivenToTheSearch) {
  IterationScene s(one_action([](double, double) { return 7.0; }));
  const auto done = s.run();
  ASSERT_TRUE(done.has_value()) << said_by(done);
  EXPECT_EQ(s.last.x[0], 7.0);
  EXPECT_EQ(s.last.x_given[0], 1);
  EXPECT_EQ(done->start.x[0], 7.0);
  EXPECT_TRUE(done->restart);
  EXPECT_EQ(done->n_micro_steps, 2U) << "one more finds nothing left";
  EXPECT_EQ(fired_in(*done), (Fired{{0, 0}}));
}

TEST(EventIteration, ValuesThatStayAreNoChange) {
  IterationScene s(one_action([](double x, double) { return x; }));
  const auto done = s.run();
  ASSERT_TRUE(done.has_value());
  EXPECT_FALSE(done->restart);
  EXPECT_EQ(s.n_searches, 0);
  EXPECT_EQ(done->set.size(), 1U);
}

TEST(EventIteration, AnActionMaySetOffAnother) {
  FakeParts parts = one_action([](double, double) { return 7.0; });
  parts.functions.push_back({.info = {.name = "b"}, .constant = -5.0, .by_x = {1.0}});
  parts.actions.push_back(sets_by("count", the_n, [](double, double n) { return n + 1; }));
  parts.triggers.push_back(while_true(1, 1));
  IterationScene s(parts);
  const auto done = s.run();
  ASSERT_TRUE(done.has_value()) << said_by(done);
  EXPECT_EQ(fired_in(*done), (Fired{{0, 0}, {1, 1}}));
  EXPECT_EQ(s.fake.parts.discrete[0], 1.0);
}

TEST(EventIteration, AnActionThatWasAskedForIsCarriedOutBesides) {
  IterationScene s(one_action([](double, double) { return -7.0; }));
  const auto done = s.run_action(0);
  ASSERT_TRUE(done.has_value());
  ASSERT_EQ(done->fired.size(), 1U);
  EXPECT_EQ(done->fired[0].trigger, detail::FiredAction::no_trigger);
  EXPECT_EQ(done->start.x[0], -7.0);
}

TEST(EventIteration, WhatWasTrueInTheModeBeforeDoesNotFireAgain) {
  for (const bool before : {true, false}) {
    IterationScene s(one_action([](double, double) { return 7.0; }));
    s.board.set_truth(0, true);
    auto entry = s.entry({});
    const std::vector<std::uint8_t> triggers{before};
    entry.triggers_before = triggers;
    EXPECT_EQ(s.iteration.run(entry)->fired.size(), before ? 0U : 1U);
  }
}

TEST(EventIteration, ATerminalActionEndsItWithConsistentValues) {
  FakeParts parts = one_action([](double, double) { return 7.0; });
  parts.actions[0].info.terminal = true;
  parts.actions.push_back({fake_info("leave", ActionKind::transition)});
  parts.triggers.push_back(while_true(0, 1));
  IterationScene s(parts);
  const auto done = s.run();
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->terminal, 0U);
  EXPECT_EQ(done->n_micro_steps, 1U);
  EXPECT_EQ(s.n_searches, 1);
}

TEST(EventIteration, WhatComesLastFollowsAJumpOnceEverythingHasSettled) {
  FakeParts parts = one_action([](double, double) { return 7.0; });
  parts.actions.push_back(sets_by("impact", the_n, [](double x, double) { return x; }));
  parts.actions[1].info.comes_last = true;
  parts.actions[1].jump = "x jumped";
  IterationScene s(parts);
  auto entry = s.entry({});
  const std::vector<double> watched{4.0};
  const std::vector<std::uint32_t> crossed{0};
  entry.crossed = crossed;
  entry.watched = watched;
  const auto done = s.iteration.run(entry);
  ASSERT_TRUE(done.has_value()) << said_by(done);
  EXPECT_EQ(fired_in(*done), (Fired{{0, 0}, {1, 2}}));
  EXPECT_EQ(s.fake.parts.discrete[0], 7.0) << "the value that was set before";
  EXPECT_EQ(s.fake.n_compared, 2);
  EXPECT_EQ(s.fake.compared_with, std::vector<double>{7.0}) << "what it did is no jump to it";
}

TEST(EventIteration, EachJumpLeadsToOneDecision) {
  FakeParts parts = one_action([](double, double) { return 7.0; });
  parts.actions.push_back(sets_by("impact", the_n, [](double x, double) { return x; }));
  parts.actions[1].info.comes_last = true;
  parts.actions[1].jump = "x jumped";
  parts.actions[1].n_jumps = 3;
  IterationScene s(parts);
  const auto done = s.run();
  ASSERT_TRUE(done.has_value()) << said_by(done) << "; what stays as it is is no cycle";
  EXPECT_EQ(fired_in(*done), (Fired{{0, 0}, {1, 2}, {1, 4}, {1, 6}}));
}

// ---- leaving ---------------------------------------------------------------------------------------------

TEST(EventIteration, ATransitionKeepsTheLeftLimitAndWhatWasSet) {
  FakeParts parts = one_action([](double, double) { return 7.0; });
  parts.actions.push_back({fake_info("leave", ActionKind::transition)});
  parts.triggers.push_back(while_true(0, 1));
  IterationScene s(parts);
  s.x = {0.25};
  s.xdot = {5.0};
  const auto done = s.run();
  ASSERT_TRUE(done.has_value()) << said_by(done);
  ASSERT_EQ(done->leaving.size(), 1U);
  EXPECT_EQ(done->leaving[0].action, 1U);
  EXPECT_EQ(done->start.x[0], 7.0);
  EXPECT_EQ(done->start.xdot[0], 5.0);
  EXPECT_EQ(s.n_searches, 0) << "this mode makes nothing of it";
  EXPECT_TRUE(done->restart);
  EXPECT_EQ(done->followed, (std::vector<std::uint8_t>{1, 1}));
}

TEST(EventIteration, WhatAnActionHasJustSetMayLeadOutOfTheMode) {
  FakeParts parts = one_action([](double, double) { return 7.0; });
  parts.actions = {sets_by("count", the_n, [](double, double n) { return n + 1; }),
                   {fake_info("leave", ActionKind::transition)}};
  parts.triggers.push_back(where_n(
      1, [](double n) { return n == 1; }, "n is 1"));
  IterationScene s(parts);
  const auto done = s.run();
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->leaving.size(), 1U);
  EXPECT_EQ(done->n_micro_steps, 1U);
  EXPECT_EQ(done->followed, (std::vector<std::uint8_t>{1, 0})) << "before it was set";
}

TEST(EventIteration, ATransitionNeedsNoAction) {
  FakeParts parts = one_relation();
  parts.actions = {{fake_info("leave", ActionKind::transition)}};
  parts.triggers = {while_true(0, 0)};
  IterationScene s(parts);
  EXPECT_EQ(s.run()->leaving.size(), 1U);
  EXPECT_EQ(s.n_searches, 0);
}

TEST(EventIteration, ATransitionMayBeAskedForAndARequirementMustHold) {
  FakeParts parts = one_relation();
  parts.actions = {{fake_info("leave", ActionKind::transition)},
                   {fake_info("x <= 0", ActionKind::requirement)}};
  parts.triggers = {where_n(
                        0, [](double) { return false; }, "never"),
                    while_true(0, 1)};
  IterationScene asked(parts), fails(parts);
  fails.x = {1e-4};
  EXPECT_EQ(asked.run_action(0)->leaving.size(), 1U);
  fails.iteration.actions().set_mode("low");
  EXPECT_NE(said_by(fails.run()).find("mode 'low' requires x <= 0"), std::string::npos);
}

// ---- which side ------------------------------------------------------------------------------------------

/// The truth of 'a' after it has come to hold at a value and a speed; the margin is 1e-3.
struct TruthAfter {
  EventOptions options = {};
  double at_once = 0.0;
  bool chooses_equations = false, forward = true;
  bool operator()(double x, double speed) const {
    FakeParts parts = one_relation();
    if (!chooses_equations) parts.of_equations = {};
    IterationScene s(parts, options, forward);
    s.iteration.set_at_once(at_once);
    s.x = {x};
    s.xdot = {speed};
    EXPECT_TRUE(s.run().has_value());
    return s.board.truth(0);
  }
};

TEST(EventIteration, BeyondItsMarginTheValueDecides) {
  const TruthAfter is_true;
  EXPECT_TRUE(is_true(2e-3, -1e9));
  EXPECT_FALSE(is_true(-2e-3, 1e9));
}

TEST(EventIteration, WithinItsMarginARelationIsBackOnceItGoesBackAtOnce) {
  const TruthAfter is_true{.at_once = 1e-2}, backward{.at_once = 1e-2, .forward = false};
  EXPECT_TRUE(is_true(-1e-4, 0.0));
  EXPECT_TRUE(is_true(-1e-4, -0.09)) << "it needs longer for the margin of 1e-3";
  EXPECT_FALSE(is_true(-1e-4, -0.11));
  EXPECT_TRUE(is_true(-1e-4, 0.11));
  EXPECT_FALSE(backward(-1e-4, 0.11));
}

TEST(EventIteration, WithoutOffsetsTheSignDecides) {
  const TruthAfter is_true{.options = {.offset = false}, .at_once = 1.0};
  EXPECT_TRUE(is_true(0.0, -1e9));
  EXPECT_FALSE(is_true(-1e-9, 1.0));
}

TEST(EventIteration, AHysteresisKeepsItBeyondItsZeroAndADwellKeepsItAnywhere) {
  const TruthAfter wide{.options = {.hysteresis = {{"a", 0.5}}}};
  EXPECT_TRUE(wide(-0.4, 0.0));
  EXPECT_FALSE(wide(-0.6, 0.0));
  IterationScene waits(one_relation(), {.dwell = {{"a", 1.0}}});
  waits.x = {-5.0};
  waits.board.note_switched(0, 0.25);
  ASSERT_TRUE(waits.run());
  EXPECT_TRUE(waits.board.truth(0));
}

TEST(EventIteration, AnExcuseCountsForWhatHasNotCrossed) {
  for (const bool crosses : {false, true}) {
    IterationScene s(one_relation());
    s.x = {-0.1};
    s.board.set_truth(0, !crosses);
    s.board.excuse(0, 0.25);
    ASSERT_TRUE(s.run(crosses ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{}));
    EXPECT_EQ(s.board.truth(0), !crosses);
  }
}

TEST(EventIteration, WhereSurfacesAreKeptNothingOnThemIsJudgedByItsRate) {
  const auto truth = [](std::vector<std::uint8_t> kept, double x) {
    IterationScene s(one_relation());
    s.x = {x};
    s.xdot = {-1.0};
    s.board.set_truth(0, true);
    auto entry = s.entry({});
    entry.kept = kept;
    EXPECT_TRUE(s.iteration.run(entry));
    return s.board.truth(0);
  };
  EXPECT_FALSE(truth({}, 0.0));
  EXPECT_TRUE(truth({1}, 0.0));
  EXPECT_TRUE(truth({0}, 0.0)) << "nor is another one";
  EXPECT_FALSE(truth({1}, -2e-3)) << "it is not on it";
}

TEST(EventIteration, WhatMotionSettledStaysOnItsSurface) {
  for (const bool is_settled : {false, true}) {
    IterationScene s(one_relation());
    s.board.set_truth(0, true);  // it is not true at zero
    if (is_settled) s.board.settle_by_motion(0, true);
    ASSERT_TRUE(s.run({}));
    EXPECT_EQ(s.board.truth(0), is_settled);
  }
}

TEST(EventIteration, AFunctionOfTimeIsWhatItIsJustAfter) {
  for (const bool forward : {true, false}) {
    FakeParts parts = one_relation();
    parts.functions.push_back(
        {.info = {.name = "time > 0.5"}, .constant = -0.5, .by_t = 1.0, .is_timed = true});
    IterationScene s(parts, {}, forward);
    s.board.set_truth(1, !forward);
    ASSERT_TRUE(s.run({}));
    EXPECT_EQ(s.board.truth(1), forward);
  }
}

// ---- both sides ------------------------------------------------------------------------------------------

TEST(EventIteration, WhatBothSidesLeadToIsNotDecidedHere) {
  for (const bool has_locks : {true, false}) {
    FakeParts parts = one_relation();
    parts.has_locks = has_locks;
    IterationScene s(parts);
    s.find = [&](const StartValues&) {
      return IterationScene::state(0.0, s.board.truth(0) ? -1 : 1);
    };
    const auto done = s.run();
    ASSERT_TRUE(done.has_value()) << said_by(done);
    EXPECT_EQ(done->undecided, std::vector<std::uint32_t>{0});
    EXPECT_EQ(done->n_searches, has_locks ? 3U : 1U) << "one-sided, the first answer shows it";
  }
}

TEST(EventIteration, SidesThatSendItFarAwayExcludeEachOther) {
  IterationScene s(one_relation());
  s.find = [&](const StartValues&) { return IterationScene::state(s.board.truth(0) ? -1 : 1); };
  const auto done = s.run();
  ASSERT_TRUE(done.has_value()) << "both stand apart: how it goes on is not asked here";
  ASSERT_TRUE(done->apart.has_value());
  EXPECT_NE(done->apart->message.find("without end while no time passes"), std::string::npos);
  EXPECT_EQ(done->undecided, std::vector<std::uint32_t>{0});
  EXPECT_FALSE(s.board.truth(0)) << "as before the instant";
  EXPECT_EQ(done->start.x, s.x);
}

TEST(EventIteration, SingularEquationsBeyondStandApartUnlessAnActionLedThere) {
  for (const bool acts : {false, true}) {
    FakeParts parts = one_action([](double, double) { return 7.0; });
    parts.of_equations = {0};
    if (!acts)
      parts.triggers[0] = where_n(
          0, [](double) { return false; }, "never");
    IterationScene s(parts);
    s.find = [](const StartValues&) { return Failure{FailureCode::singular, "no unique x"}; };
    const auto done = s.run();
    ASSERT_EQ(done.has_value(), !acts);
    if (acts) {
      EXPECT_EQ(said_by(done), "no unique x");
    } else {
      EXPECT_EQ(done->apart->message, "no unique x");
      EXPECT_FALSE(s.board.truth(0));
    }
  }
}

// ---- sides without a value -------------------------------------------------------------------------------

TEST(EventIteration, ASideIsEnteredBeyondItsSurface) {
  IterationScene s(one_relation());
  s.x = {-1e-4};
  s.find = [](const StartValues& v) -> Result<ConsistentStart> {
    if (v.x[0] <= 0) return IterationScene::no_value();
    return IterationScene::state(v.x[0]);
  };
  const auto done = s.run();
  ASSERT_TRUE(done.has_value()) << said_by(done);
  EXPECT_NEAR(done->start.x[0], 5e-4, 1e-18) << "half the margin";
  s.find = [](const StartValues&) { return IterationScene::no_value(); };
  s.board.set_truth(0, false);
  EXPECT_EQ(said_by(s.run()),
            "at t = 0.5 'a' changes, and the equations that hold from there on have no value where "
            "the change was located: log(x) of 0");
}

TEST(EventIteration, WhatAnActionLeavesBehindTurnsIfItsEquationsHaveNoValue) {
  FakeParts parts = one_relation();
  parts.actions = {sets_by("set", the_x, [](double, double) { return -3.0; })};
  parts.triggers = {where_n(
      0, [](double) { return false; }, "never")};
  IterationScene s(parts);
  s.board.set_truth(0, true);
  s.x = {1.0};
  s.find = [&](const StartValues& v) -> Result<ConsistentStart> {
    if (s.board.truth(0) && v.x[0] < 0) return IterationScene::no_value();
    return IterationScene::state(v.x[0], 4.0);
  };
  const auto done = s.run_action(0);
  ASSERT_TRUE(done.has_value()) << said_by(done);
  EXPECT_FALSE(s.board.truth(0));
  EXPECT_EQ(done->start.x[0], -3.0);
  EXPECT_EQ(done->start.xdot[0], 4.0);
  ASSERT_EQ(done->flips.size(), 1U);
  EXPECT_EQ(done->flips[0].which, 0U);
}

// ---- without end -----------------------------------------------------------------------------------------

TEST(EventIteration, ActionsThatUndoEachOtherAreRefusedByNameAndReason) {
  FakeParts parts = one_relation();
  parts.actions = {sets_by("A", the_n, [](double, double) { return 1.0; }),
                   sets_by("B", the_n, [](double, double) { return 0.0; })};
  parts.triggers = {where_n(
                        0, [](double n) { return n == 0; }, "n is 0"),
                    where_n(
                        1, [](double n) { return n == 1; }, "n is 1")};
  IterationScene s(parts);
  EXPECT_EQ(said_by(s.run_action(0)),
            "at t = 0.5 'A', 'B' (by 'n is 1'), 'A' (by 'n is 0') switch without end while no time "
            "passes: each of the values leads to the other; separate their conditions (a "
            "hysteresis), or read the value before by pre()");
}

TEST(EventIteration, OfManyActionsTenAreNamed) {
  FakeParts parts = one_relation();
  for (std::uint32_t k = 0; k < 12; ++k) {
    parts.actions.push_back(sets_by("A" + std::to_string(k), the_n, [k](double, double) {
      return static_cast<double>((k + 1) % 12);
    }));
    parts.triggers.push_back(where_n(
        k, [k](double n) { return n == k; }, "it is its turn"));
  }
  IterationScene s(parts);
  // 'A0', as it was asked for, and all twelve by their triggers.
  EXPECT_NE(said_by(s.run_action(0)).find("'A9' (by 'it is its turn'), and 3 more switch"),
            std::string::npos);
}

TEST(EventIteration, RoundsAreLimitedByTheOptionOrTwiceTheActions) {
  for (const int most : {1, 5}) {
    const auto counts = [](double, double n) { return n + 1; };
    FakeParts parts = one_relation();
    parts.actions = {sets_by("odd", the_n, counts), sets_by("even", the_n, counts)};
    parts.triggers = {where_n(
                          0, [](double n) { return std::fmod(n, 2) == 1; }, "odd"),
                      where_n(
                          1, [](double n) { return std::fmod(n, 2) == 0; }, "even")};
    IterationScene s(parts, {.max_micro_steps = most});
    const auto done = s.run_action(0);
    EXPECT_EQ(said_by(done), "at t = 0.5 events followed each other through " +
                                 std::string(most == 5 ? "5" : "4") +
                                 " micro-steps without time passing (events.max_micro_steps), at "
                                 "last 'even', 'odd'; do they set each other off?");
    EXPECT_EQ(done.failure().code, FailureCode::limit_reached);
  }
}

TEST(EventIteration, BackwardInTimeAnActionIsNotPassed) {
  IterationScene s(one_action([](double, double) { return 7.0; }), {}, false);
  EXPECT_NE(said_by(s.run()).find("a run backward in time cannot pass 'set'"), std::string::npos);
}

}  // namespace
}  // namespace saltus::hybrid_test
