// Actions at an instant: which are due, what they set, and what is said of them.
#include "hybrid/switch/firing_actions.hpp"

#include "fake_switches.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::FiredAction;
using detail::InstantResult;
using ActionNumbers = std::vector<std::uint32_t>;
using TriggerTruths = std::vector<std::uint8_t>;

constexpr ActionTarget fire_x0{true, 0}, fire_x1{true, 1}, fire_n0{false, 0};

/// Sets all its targets to this.
FakeAction sets_to(double value, const std::string& name, std::vector<ActionTarget> targets,
                   int priority = 0) {
  return {fake_info(name, std::move(targets), priority),
          [value](double, FakeValues, FakeValues, std::span<double> out) {
            for (double& v : out) v = value;
            return Evaluation::ok();
          }};
}

/// Trigger k belongs to action k, unless others are given.
struct FiringScene {
  explicit FiringScene(std::vector<FakeAction> actions, bool forward = true,
                       std::vector<FakeTrigger> triggers = {})
      : fake(parts_of(std::move(actions), std::move(triggers))),
        board(fake, {}, forward),
        firing(board, forward) {}
  static FakeParts parts_of(std::vector<FakeAction> actions, std::vector<FakeTrigger> triggers) {
    FakeParts parts{.n_unknowns = 2, .functions = {{.info = {.name = "r"}}}, .discrete = {7.0}};
    if (triggers.empty())
      for (std::uint32_t a = 0; a < actions.size(); ++a) triggers.push_back(while_true(0, a));
    parts.actions = std::move(actions);
    parts.triggers = std::move(triggers);
    return parts;
  }
  static detail::InstantEntry at(double t) {
    detail::InstantEntry entry;
    entry.t = t;
    return entry;
  }
  ActionNumbers due(const TriggerTruths& before, const TriggerTruths& after) {
    return firing.due(before, after, result, 4);
  }
  Result<void> carry_out(const ActionNumbers& actions) {
    return firing.carry_out(entry, actions, 2, result, now);
  }
  std::string why_not(const ActionNumbers& actions) {
    const auto done = carry_out(actions);
    return done ? "done" : done.failure().message;
  }

  FakeSwitches fake;
  detail::SwitchBoard board;
  detail::FiringActions firing;
  detail::InstantEntry entry = at(0.5);
  InstantResult result;
  StartValues now{{1.0, 2.0}, {0.0, 0.0}, {0, 0}};
};

// ---- due -------------------------------------------------------------------------------------------------

TEST(FiringActions, OnlyWhatBecomesTrueIsDue) {
  FiringScene s({sets_to(0, "a", {fire_x0}), sets_to(0, "b", {fire_x0}), sets_to(0, "c", {fire_x0}),
                 sets_to(0, "d", {fire_x0})});
  EXPECT_EQ(s.due({0, 0, 1, 1}, {0, 1, 0, 1}), ActionNumbers{1});
  ASSERT_EQ(s.result.fired.size(), 1U);
  EXPECT_EQ(s.result.fired[0].trigger, 1U);
  EXPECT_EQ(s.result.fired[0].micro_step, 4U);
}

TEST(FiringActions, TheHighestPriorityComesFirstThenNames) {
  FiringScene s(
      {sets_to(0, "c", {fire_x0}), sets_to(0, "z", {fire_x0}, 1), sets_to(0, "b", {fire_x0})});
  s.result.fired = {{.action = 0}};  // of an earlier micro-step
  EXPECT_EQ(s.due({0, 0, 0}, {1, 1, 1}), (ActionNumbers{1, 2, 0}));
  ActionNumbers fired;
  for (const FiredAction& f : s.result.fired) fired.push_back(f.action);
  EXPECT_EQ(fired, (ActionNumbers{0, 1, 2, 0}));
}

TEST(FiringActions, AnActionIsDueOnceAndOthersThanAssignmentsAreNot) {
  FiringScene s({sets_to(0, "a", {fire_x0}),
                 {fake_info("leave", ActionKind::transition)},
                 {fake_info("x > 0", ActionKind::requirement)}},
                true, {while_true(0, 0), while_true(0, 0), while_true(0, 1), while_true(0, 2)});
  EXPECT_EQ(s.due({0, 0, 0, 0}, {1, 1, 1, 1}), ActionNumbers{0});
  EXPECT_EQ(s.result.fired.size(), 1U);
  EXPECT_EQ(s.result.fired[0].trigger, 0U);
}

TEST(FiringActions, BackwardInTimeNothingIsSet) {
  FiringScene s({sets_to(0, "a", {fire_x0}), sets_to(0, "stop", {})}, false);
  EXPECT_EQ(s.due({0, 0}, {1, 1}), ActionNumbers{1});
}

TEST(FiringActions, WhatComesLastWaitsUntilNothingElseIsDue) {
  FiringScene s(
      {sets_to(0, "a", {fire_x0}), sets_to(0, "late", {fire_x0}), sets_to(0, "later", {fire_x0})});
  s.fake.parts.actions[1].info.comes_last = s.fake.parts.actions[2].info.comes_last = true;
  ActionNumbers waiting;
  EXPECT_EQ(s.firing.last_in_turn(ActionNumbers{2, 0}, waiting), ActionNumbers{0});
  EXPECT_EQ(waiting, ActionNumbers{2});
  EXPECT_EQ(s.firing.last_in_turn(ActionNumbers{2, 0, 1}, waiting), ActionNumbers{0});
  EXPECT_EQ(waiting, (ActionNumbers{2, 1})) << "it waits already";
  EXPECT_EQ(s.firing.last_in_turn({}, waiting), (ActionNumbers{2, 1}));
  EXPECT_TRUE(waiting.empty());
}

TEST(FiringActions, AJumpIsFollowedInTheNextMicroStep) {
  for (const bool forward : {true, false}) {
    FiringScene s({sets_to(0, "a", {fire_x0}), sets_to(0, "impact", {fire_x0}),
                   sets_to(0, "rest", {fire_x0})},
                  forward);
    auto& actions = s.fake.parts.actions;
    actions[1].info.comes_last = actions[2].info.comes_last = true;
    actions[0].jump = "it is not asked";
    actions[1].jump = "v jumped";
    const auto follow = s.firing.follow_jumps(s.entry, s.now, 3, s.result);
    ASSERT_EQ(follow.has_value(), forward);
    if (!forward) {
      EXPECT_EQ(follow.failure().message,
                "a run backward in time cannot pass 'impact' at t = 0.5: v jumped");
      continue;
    }
    EXPECT_EQ(*follow, ActionNumbers{1});
    ASSERT_EQ(s.result.fired.size(), 1U);
    EXPECT_EQ(s.result.fired[0].trigger, FiredAction::no_trigger);
    EXPECT_EQ(s.result.fired[0].micro_step, 4U);
    EXPECT_EQ(s.result.fired[0].why, "v jumped");
  }
}

TEST(FiringActions, BackwardInTimeWhatWasOverwrittenIsNotKnown) {
  const std::string begin = "a run backward in time cannot pass 'a' (yes) at t = 0.5: ",
                    end = "; end the run after it, or run forward";
  const auto said = [](std::vector<ActionTarget> targets, bool before, bool after,
                       bool forward = false) {
    const FiringScene s({sets_to(0, "a", std::move(targets))}, forward);
    const auto why = s.firing.cannot_be_undone(0.5, TriggerTruths{before}, TriggerTruths{after});
    return why ? why->message : "";
  };
  EXPECT_EQ(said({fire_n0, fire_x0}, false, true),
            begin + "it is not known whether it was carried out there" + end);
  EXPECT_EQ(said({fire_n0}, true, false), begin + "the value it overwrote is not known" + end);
  EXPECT_EQ(said({fire_x0}, true, false), begin + "the value it overwrote is not known" + end);
  EXPECT_EQ(said({fire_n0}, false, true), "") << "it may have kept its value";
  EXPECT_EQ(said({}, true, false), "");
  EXPECT_EQ(said({fire_x0}, true, true), "");
  EXPECT_EQ(said({fire_x0}, true, false, true), "") << "forward";
}

// ---- carried out -----------------------------------------------------------------------------------------

TEST(FiringActions, AllRightHandSidesAreReadBeforeTheFirstIsWritten) {
  const auto swaps = [](std::size_t from) {
    return [from](double, FakeValues x, FakeValues, std::span<double> out) {
      out[0] = x[from];
      return Evaluation::ok();
    };
  };
  FiringScene s({{fake_info("a", {fire_x0}), swaps(1)}, {fake_info("b", {fire_x1}), swaps(0)}});
  ASSERT_TRUE(s.carry_out({0, 1}));
  EXPECT_EQ(s.now.x, (std::vector<double>{2.0, 1.0}));
  EXPECT_EQ(s.now.x_given, (TriggerTruths{1, 1}));
  ASSERT_EQ(s.result.set.size(), 2U);
  EXPECT_EQ(s.result.set[1].before, 2.0);
  EXPECT_EQ(s.result.set[1].after, 1.0);
  EXPECT_EQ(s.result.set[1].action, 1U);
  EXPECT_EQ(s.result.set[1].micro_step, 2U);
}

TEST(FiringActions, DiscreteVariablesAreSetWhereTheyAreHeld) {
  FiringScene s({sets_to(9, "a", {fire_n0})});
  s.fake.parts.actions[0].remark = "hm";
  ASSERT_TRUE(s.carry_out({0}));
  EXPECT_EQ(s.fake.parts.discrete[0], 9.0);
  EXPECT_EQ(s.result.set.at(0).before, 7.0);
  EXPECT_EQ(s.now.x_given, (TriggerTruths{0, 0}));
  EXPECT_EQ(s.result.remarks, std::vector<std::string>{"at t = 0.5 'a': hm"});
}

TEST(FiringActions, OfTwoThatSetTheSameTheHigherPriorityWins) {
  FiringScene s({sets_to(5, "high", {fire_x0}, 1), sets_to(6, "low", {fire_x0, fire_x1})});
  ASSERT_TRUE(s.carry_out({0, 1}));
  EXPECT_EQ(s.now.x, (std::vector<double>{5.0, 6.0}));
  EXPECT_EQ(s.result.set.size(), 2U);
}

TEST(FiringActions, EqualPrioritiesMustAgree) {
  FiringScene s(
      {sets_to(5, "a", {fire_x0}), sets_to(6, "b", {fire_x0}), sets_to(5, "c", {fire_x0})});
  EXPECT_EQ(s.why_not({0, 1}),
            "at t = 0.5 'a' and 'b' both set 'x0', to 5 and 6: give one of them the higher "
            "priority");
  EXPECT_EQ(s.now.x[0], 1.0) << "nothing is written then";
  EXPECT_EQ(s.why_not({0, 2}), "done");
}

TEST(FiringActions, AValueThatIsNoneIsRefusedByName) {
  FiringScene s(
      {{fake_info("a", {fire_x0, fire_x1}), [](double, FakeValues, FakeValues, std::span<double>) {
          return Evaluation::out_of_domain(1);
        }}});
  EXPECT_EQ(s.why_not({0}), "at t = 0.5 'a' gives x1 a value that is not a number");
  s.fake.parts.actions[0].refusal = "no law fits";
  EXPECT_EQ(s.why_not({0}), "at t = 0.5 'a': no law fits");
}

TEST(FiringActions, TheFirstTerminalActionEndsTheRun) {
  FiringScene s({sets_to(0, "a", {}), sets_to(0, "b", {}), sets_to(0, "c", {})});
  s.fake.parts.actions[1].info.terminal = s.fake.parts.actions[2].info.terminal = true;
  ASSERT_TRUE(s.carry_out({0}));
  EXPECT_FALSE(s.result.terminal.has_value());
  ASSERT_TRUE(s.carry_out({1, 2}));
  EXPECT_EQ(s.result.terminal, 1U);
}

/// Notes what actions are told to set.
struct ActionsFollower final : RunFollower {
  std::vector<FollowedAction> acted;
  double x0_then = 0.0;
  void acts(EventActions&, std::span<const FollowedAction> together, double,
            std::span<const double> x, std::span<const double>) override {
    acted.assign(together.begin(), together.end());
    x0_then = x[0];
  }
  void begins(const FollowedPoint&, const FoundStart&) override {}
  void goes_on(const FollowedPoint&, const std::string&) override {}
  void piece(const System&, Workspace&, const StepPolynomial&) override {}
  void catch_up() override {}
  void hardly_misses(std::uint32_t, double) override {}
  void meets(const FollowedPoint&, std::span<const FollowedCrossing>,
             const std::function<bool(std::uint32_t)>&) override {}
  void settles(const FollowedPoint&) override {}
  void changes_mode(const FollowedPoint&, const MovedStart&) override {}
  void keeps_to(const FollowedPoint&, std::span<const KeptSurface>, bool) override {}
  void stands_on(const FollowedPoint&, std::uint32_t, const std::function<bool()>&) override {}
  void breaks(double, const std::string&) override {}
};

TEST(FiringActions, AFollowerIsToldBeforeWhoSetsWhat) {
  FiringScene s({sets_to(5, "high", {fire_x0}, 1), sets_to(5, "low", {fire_x0, fire_x1}),
                 sets_to(5, "same", {fire_x1})});
  ActionsFollower follower;
  s.firing.set_follower(&follower, s.fake);
  ASSERT_TRUE(s.carry_out({0, 1, 2}));
  ASSERT_EQ(follower.acted.size(), 3U);
  EXPECT_EQ(follower.acted[0].sets, TriggerTruths{1});
  EXPECT_EQ(follower.acted[1].sets, (TriggerTruths{0, 1}))
      << "it loses x0, though to the same value";
  EXPECT_EQ(follower.acted[2].sets, TriggerTruths{1});
  EXPECT_EQ(follower.x0_then, 1.0);
}

// ---- conditions ------------------------------------------------------------------------------------------

TEST(FiringActions, WhatHoldsIsListedOncePerAction) {
  FiringScene s({sets_to(0, "a", {fire_x0}), {fake_info("leave", ActionKind::transition)}}, true,
                {while_true(0, 0), while_true(0, 1), while_true(0, 1)});
  EXPECT_EQ(s.firing.holding(ActionKind::transition, TriggerTruths{1, 0, 0}, 3).size(), 0U);
  const auto found = s.firing.holding(ActionKind::transition, TriggerTruths{1, 1, 1}, 3);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].action, 1U);
  EXPECT_EQ(found[0].trigger, 1U);
  EXPECT_EQ(found[0].micro_step, 3U);
}

TEST(FiringActions, AFailedRequirementIsReportedWithItsMessageOrItsMode) {
  FiringScene s({{fake_info("x > 0", ActionKind::requirement)}});
  s.firing.set_mode("open");
  EXPECT_FALSE(s.firing.failed_requirement(0.5, s.now.x).has_value());
  s.board.set_truth(0, true);
  const auto failure = s.firing.failed_requirement(0.5, s.now.x);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->message,
            "at t = 0.5 mode 'open' requires x > 0, which does not hold, and no transition leads "
            "out of it: write one, correct the guard of the one that should have been taken, or "
            "begin in another mode");
  s.fake.parts.actions[0].info.message = "too low";
  EXPECT_EQ(s.firing.failed_requirement(0.5, s.now.x)->message,
            "at t = 0.5 'x > 0' fails: too low");
}

TEST(FiringActions, WithoutActionsNothingHoldsAndNothingFollows) {
  FiringScene s({});
  EXPECT_TRUE(s.firing.holding(ActionKind::transition, s.now.x).empty());
  EXPECT_FALSE(s.firing.failed_requirement(0.5, s.now.x).has_value());
  EXPECT_TRUE(s.firing.follow_jumps(s.entry, s.now, 0, s.result)->empty());
}

}  // namespace
}  // namespace saltus::hybrid_test
