// From a mode that is left to the one that stays: which transition, which candidate, and what is said of the others.
#include "hybrid/mode/mode_search.hpp"

#include "ways.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::ModeChange;
using detail::ModeRun;

/// It requires that x > 1 does not hold.
Dress below_one() {
  Dress dress;
  dress.add_action(ActionKind::requirement, "x <= 1", ModeWays::above);
  return dress;
}

std::vector<std::string> modes_of(const std::vector<CandidateRecord>& records) {
  std::vector<std::string> modes;
  for (const CandidateRecord& record : records) modes.push_back(record.mode);
  return modes;
}
using ModeNames = std::vector<std::string>;

TEST(ModeSearch, ImpulsesAreShownWithTheUnitOfTheirUnknown) {
  const auto system = make_system({.unknowns = {{.name = "u", .unit = "V"}, {.name = "i"}},
                                   .derivative = [](double, auto, auto) {}});
  const std::vector<Impulse> impulses{{0, "u", 1, 2.5}, {1, "i", 0, -1.0}};
  const auto records = detail::impulse_records(*system, impulses);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].variable, "u");
  EXPECT_EQ(records[0].order, 1);
  EXPECT_EQ(records[0].strength, 2.5);
  EXPECT_EQ(records[0].unit, "V");
  EXPECT_EQ(records[1].unit, "");
}

TEST(ModeSet, EveryModeIsMadeOnce) {
  ModeWays w;
  w.add("second");
  ModeRun& second = w.modes.at(1);
  EXPECT_EQ(second.name, "second");
  EXPECT_EQ(second.configuration.mode, 1U);
  EXPECT_NE(&w.modes.at(0), &second);
  EXPECT_EQ(&w.modes.at(1), &second);
  EXPECT_EQ(w.modes.all().size(), 2U);
}

TEST(ModeSet, MotionOnSurfacesIsMadeOncePerSurfacesAndForm) {
  ModeWays w;
  w.way(0, "go", {});
  ASSERT_FALSE(w.leave({0.0}).has_value());
  ModeRun& base = w.modes.at(0);
  const std::vector<Surface> plus{{{0}, {1}}}, minus{{{0}, {-1}}};
  ModeRun& slider = w.modes.on_surfaces(base, plus, {});
  EXPECT_EQ(slider.configuration.sliding, std::vector<std::uint32_t>{0});
  EXPECT_EQ(slider.visit.sliding, ModeNames{"x > 1"});
  EXPECT_EQ(slider.visit.form, "eliminated");
  EXPECT_EQ(slider.on_surfaces->base, &base);
  EXPECT_EQ(&w.modes.on_surfaces(base, plus, {}), &slider);
  EXPECT_NE(&w.modes.on_surfaces(base, minus, {}), &slider);
  EXPECT_NE(&w.modes.on_surfaces(base, plus, {.form = SlidingForm::mixed}), &slider);
  EXPECT_EQ(&w.modes.at(0), &base);
}

TEST(ModeSearch, TheFirstThatStaysIsTakenAndTheOthersAreNamed) {
  ModeWays w;
  const std::uint32_t one = w.add("one"), two = w.add("two"), no = w.add("no", below_one());
  w.way(0, "go", {no, one, two});
  const auto found = w.leave({1.5});
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_EQ(found->to, &w.modes.at(one));
  EXPECT_EQ(found->start.x, std::vector<double>{1.5});
  EXPECT_EQ(found->truths, std::vector<std::uint8_t>{1});
  ASSERT_EQ(found->path.size(), 1U);
  EXPECT_EQ(found->path[0].transition, 0U);
  EXPECT_EQ(found->path[0].cause, "condition of go");
  EXPECT_EQ(modes_of(found->candidates), (ModeNames{"no", "one", "two"}));
  EXPECT_EQ(found->record, 1U);
  for (const std::size_t k : {0U, 1U, 2U}) EXPECT_EQ(found->candidates[k].taken, k == 1);
  EXPECT_EQ(found->candidates[1].verdict, "");
  EXPECT_EQ(found->candidates[2].verdict, "it is possible as well, but was written later");
  ASSERT_EQ(found->warnings.size(), 1U);
  EXPECT_EQ(found->warnings[0],
            "at t = 0.5 transition 'go' is not unique: modes 'one' and 'two' are both possible; "
            "'one', written first, was taken");
  EXPECT_GT(found->n_evaluations, 0U);
}

TEST(ModeSearch, NothingIsLeftOverFromTheSearchBefore) {
  ModeWays w;
  w.way(0, "go", {w.add("one"), w.add("two")});
  ASSERT_TRUE(w.leave({0.0}).has_value());
  const auto again = w.leave({0.25});
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->candidates.size(), 2U);
  EXPECT_EQ(again->warnings.size(), 1U);
  EXPECT_EQ(again->start.x, std::vector<double>{0.25});
  EXPECT_EQ(w.source.n_maps, 2);  // maps are kept
}

TEST(ModeSearch, TheHighestPriorityWins) {
  for (const bool second_is_higher : {true, false}) {
    ModeWays w;
    const std::uint32_t one = w.add("one"), two = w.add("two");
    w.way(0, "to one", {one}).priority = second_is_higher ? 1 : 3;
    w.way(0, "to two", {two}).priority = 2;
    const auto found = w.leave({0.0});
    ASSERT_TRUE(found.has_value()) << found.failure().message;
    EXPECT_EQ(found->to->name, second_is_higher ? "two" : "one");
  }
}

TEST(ModeSearch, WithTheSamePriorityTheyMustLeadToTheSameModes) {
  for (const bool same : {true, false}) {
    ModeWays w;
    const std::uint32_t one = w.add("one"), two = w.add("two");
    w.way(0, "left", {one});
    w.way(0, "right", {same ? one : two});
    const auto found = w.leave({0.0});
    EXPECT_EQ(found.has_value(), same);
    if (same) continue;
    EXPECT_EQ(found.failure().code, FailureCode::not_certified);
    EXPECT_EQ(found.failure().message,
              "at t = 0.5 transitions 'left' and 'right' both lead out of mode 'first' at the same "
              "instant, to different modes: give one of them the higher priority");
  }
}

TEST(ModeSearch, WhereNothingIsPossibleEveryReasonIsGiven) {
  ModeWays w;
  w.way(0, "go", {w.add("one", below_one()), w.add("two", below_one())});
  const auto found = w.leave({1.5});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.failure().message,
            "at t = 0.5 transition 'go' out of mode 'first' leads nowhere: 'one': it requires x <= "
            "1, which does not hold; 'two': it requires x <= 1, which does not hold");
  ModeWays none;
  none.way(0, "go", {});
  EXPECT_EQ(none.leave({1.5}).failure().message,
            "at t = 0.5 transition 'go' out of mode 'first' leads nowhere: no other mode is left "
            "(combinations of states that contradict the equations do not count)");
}

TEST(ModeSearch, ModesThatLeadBackToEachOtherAreToBeSeparated) {
  ModeWays w;
  const std::uint32_t there = w.add("there");
  w.way(0, "go", {there});
  w.way(there, "back", {0});
  const auto found = w.leave({0.0});
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.failure().message.find(". These modes lead back to each other: separate"),
            std::string::npos)
      << found.failure().message;
}

/// The capacitors need an impulse to become equal; two unknowns that are free do not.
TEST(ModeSearch, AModeWithoutImpulsesComesBeforeOneWithThem) {
  for (const bool has_other : {true, false}) {
    ModeWays w(2);
    std::vector<std::uint32_t> to{w.add_linear("shorted", two_capacitors(0.0, 0.0))};
    if (has_other) to.push_back(w.add("open"));
    w.way(0, "close", to);
    const auto found = w.leave({3.0, 0.0});
    ASSERT_TRUE(found.has_value()) << found.failure().message;
    EXPECT_EQ(found->to->name, has_other ? "open" : "shorted");
    EXPECT_EQ(found->has_impulses(), !has_other);
    EXPECT_EQ(found->candidates[0].verdict,
              has_other ? "it would need impulses, and another mode needs none" : "");
    EXPECT_EQ(found->candidates[0].verdict_tells_impulses, has_other);
    EXPECT_TRUE(found->warnings.empty());
    ASSERT_EQ(found->candidates[0].impulses.size(), 1U);
    EXPECT_NEAR(found->candidates[0].impulses[0].strength, -2.0, 1e-9);
  }
}

TEST(ModeSearch, LaterGroupsAreTriedOnlyIfNothingIsPossibleWithoutImpulses) {
  for (const bool first_is_possible : {true, false}) {
    ModeWays w;
    const std::uint32_t one = w.add("one", first_is_possible ? Dress{} : below_one());
    const std::uint32_t two = w.add("two");
    w.way(0, "go", {one, two}).group_ends = {1, 2};
    const auto found = w.leave({1.5});
    ASSERT_TRUE(found.has_value()) << found.failure().message;
    EXPECT_EQ(modes_of(found->candidates),
              first_is_possible ? ModeNames{"one"} : (ModeNames{"one", "two"}));
  }
}

/// Both are possible at x = 1; the first one rises.
TEST(ModeSearch, OfAGroupOnlyThoseCountThatArePossibleAMomentLater) {
  for (const bool has_groups : {true, false}) {
    ModeWays w;
    const std::uint32_t rises = w.add("rises", below_one(), 0.0);
    // x = 1 + (t - 1/2)^2: neither its value nor its rate says where it goes.
    w.functions[rises].locked_derivative = [](double t, auto, auto, auto xdot) {
      xdot[0] = 2.0 * (t - 0.5);
    };
    const std::uint32_t falls = w.add("falls", below_one(), -1.0);
    auto& go = w.way(0, "go", {rises, falls});
    if (has_groups) go.group_ends = {2};
    const auto found = w.leave({1.0});
    ASSERT_TRUE(found.has_value()) << found.failure().message;
    EXPECT_EQ(found->to->name, has_groups ? "falls" : "rises");
    EXPECT_EQ(found->candidates[0].verdict == "it is possible here, but not a moment later",
              has_groups);
    EXPECT_EQ(found->warnings.size(), has_groups ? 0U : 1U);
  }
}

/// Its own constraint has moved away from the state. What has no history moves without an impulse, unless the policy says
/// that everything has one.
TEST(ModeSearch, TheSameModeAgainJumpsWithWhatHasAHistory) {
  struct Case {
    std::uint8_t history;
    RestartPolicy policy;
    bool jumps;
  };
  for (const Case& c : {Case{1, RestartPolicy::keep, true}, Case{0, RestartPolicy::keep, false},
                        Case{0, RestartPolicy::impulse, true}}) {
    ModeWays w;
    w.options.restart = c.policy;
    ModeRun& mode = w.modes.at(w.add_linear("shorted", two_capacitors(1.0, 1.0)));
    w.supply();
    ASSERT_TRUE(mode.load().has_value());
    w.left.t = 0.5;
    w.left.x = {3.0, 0.0, 0.0};
    w.left.xdot = {0.0, 0.0, 0.0};
    w.left.movement = {1e-5, 1e-5, 1e-5};
    w.left.has_history = {c.history, c.history, 0};
    const auto found = w.search.again(mode, w.left);
    ASSERT_TRUE(found.has_value()) << found.failure().message;
    EXPECT_EQ(found->to, &mode);
    EXPECT_NEAR(found->restart.x[0], 1.0, 1e-9);
    EXPECT_EQ(found->has_impulses(), c.jumps);
    EXPECT_NEAR(found->start.x[mode.pairing->integrated_as(1)], 1.0, 1e-9);
    EXPECT_GT(found->n_evaluations, 0U);
  }
}

}  // namespace
}  // namespace saltus::hybrid_test
