// One candidate of a transition: how its unknowns start, whether it is possible, and whether it lasts.
#include "ways.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::LeftState;
using detail::ModeRun;

constexpr std::uint32_t in_none = detail::UnknownPairing::none;
constexpr UnknownStart in_held = UnknownStart::held, in_mapped = UnknownStart::mapped,
                       in_free = UnknownStart::free, in_fresh = UnknownStart::fresh;

/// Two unknowns become those of two capacitors that are connected, the first mode's only candidate.
struct Connecting {
  explicit Connecting(WayIn way = {{in_held, in_held, in_fresh}, {0, 1, in_none}}) {
    w.way(0, "go", {shorted});
    w.source.maps[{0, shorted}] = std::move(way);
  }
  /// The only verdict, after what every such text begins with.
  std::string refusal(std::vector<double> x) {
    const auto found = w.leave(std::move(x));
    EXPECT_FALSE(found.has_value());
    const std::string text = found ? "" : found.failure().message;
    const std::string before = "leads nowhere: 'shorted': ";
    return text.substr(std::min(text.find(before) + before.size(), text.size()));
  }
  ModeWays w{2};
  std::uint32_t shorted = w.add_linear("shorted", two_capacitors(0.0, 0.0));
};

TEST(ModeCandidate, WhatTheSourceRefusesIsTheVerdict) {
  Connecting c;
  c.w.functions[c.shorted].unknowns.clear();
  EXPECT_EQ(c.refusal({1.0, 1.0}), "this mode has no equations");
  Connecting d;
  d.w.source.maps[{0, d.shorted}] = std::nullopt;
  EXPECT_EQ(d.refusal({1.0, 1.0}), "nobody knows the way");
  Connecting e({{in_held, in_mapped, in_fresh}, {0, 1, in_none}, {0.0, std::nan(""), 0.0}});
  EXPECT_EQ(e.refusal({1.0, 1.0}), "'w' would start from a value that is not a number");
}

TEST(ModeCandidate, WhatContinuesJumpsByAnImpulseIfItHasAHistory) {
  for (const bool has_history : {true, false}) {
    Connecting c;
    c.w.left.has_history.assign(2, has_history ? 1 : 0);
    const auto found = c.w.leave({3.0, 0.0});
    ASSERT_TRUE(found.has_value()) << found.failure().message;
    EXPECT_EQ(found->has_impulses(), has_history);
    EXPECT_NEAR(found->restart.x[0], 1.0, 1e-9);
    ASSERT_EQ(found->unknowns.size(), 3U);
    EXPECT_TRUE(found->unknowns[0].existed);
    EXPECT_EQ(found->unknowns[0].before, 3.0);
    EXPECT_EQ(found->unknowns[0].start, in_held);
    EXPECT_FALSE(found->unknowns[2].existed);
    EXPECT_FALSE(found->by_equations);
  }
}

TEST(ModeCandidate, WhatMovesByLessThanAJumpLeavesNoImpulse) {
  Connecting c;
  c.w.left.movement = {1e-2, 1e-2};
  const auto near = c.w.leave({1.01, 1.0}), far = c.w.leave({1.05, 1.0});
  ASSERT_TRUE(near.has_value() && far.has_value());
  EXPECT_FALSE(near->has_impulses());
  EXPECT_TRUE(far->has_impulses());
  EXPECT_EQ(near->restart.used, RestartPolicy::keep);
  // Where every movement counts, it is found in the same way however small it is.
  c.w.left.every_jump = true;
  const auto counts = c.w.leave({1.01, 1.0});
  ASSERT_TRUE(counts.has_value());
  EXPECT_EQ(counts->restart.used, RestartPolicy::impulse);
}

/// Of the transition, or else of the run. Under policy impulse all of the left limit is a history.
TEST(ModeCandidate, ThePolicyIsThatOfTheTransition) {
  Connecting c;
  c.w.options.restart = RestartPolicy::impulse;
  c.w.left.has_history = {0, 0};
  EXPECT_TRUE(c.w.leave({3.0, 0.0})->has_impulses());
  c.w.source.all[0].restart = RestartPolicy::keep;
  EXPECT_FALSE(c.w.leave({3.0, 0.0})->has_impulses());
  c.w.source.all[0].restart = RestartPolicy::least_squares;
  EXPECT_NEAR(c.w.leave({3.0, 0.0})->restart.x[0], 1.5, 1e-9);
  c.w.source.all[0].restart = RestartPolicy::check;
  c.w.left.has_history = {1, 1};
  const std::string text = c.refusal({3.0, 0.0});
  EXPECT_NE(text.find("a value that continues from before would have to jump"), text.npos) << text;
}

TEST(ModeCandidate, AValueThatAMapStatesIsNotChanged) {
  const WayIn way{{in_mapped, in_held, in_fresh}, {0, 1, in_none}, {3.0, 0.0, 0.0}};
  Connecting c(way);
  EXPECT_EQ(c.refusal({-1.0, 0.0}),
            "its map gives 'u' the value 3, but the equations of the mode would make that 1: map "
            "or free the unknowns that prevent it");
  for (const RestartPolicy policy : {RestartPolicy::impulse, RestartPolicy::least_squares}) {
    Connecting other(way);
    other.w.options.restart = policy;
    EXPECT_TRUE(other.w.leave({-1.0, 0.0}).has_value());
  }
}

/// A hundred tolerances at u = 3 are 100 (1e-6 * 3 + 1e-6). Where w is off by d, u moves by 2 d / 3.
TEST(ModeCandidate, AValueThatAMapStatesMayMoveByAHundredTolerances) {
  for (const double d : {5e-4, 7e-4}) {
    Connecting c({{in_mapped, in_held, in_fresh}, {0, 1, in_none}, {3.0, 0.0, 0.0}});
    c.w.left.movement = {1.0, 1.0};
    EXPECT_EQ(c.w.leave({-1.0, 3.0 - d}).has_value(), 2.0 * d / 3.0 < 4e-4) << d;
  }
}

/// With u free, the constraint alone gives it the value of w: nothing jumps.
TEST(ModeCandidate, WhatIsFreeFollowsFromTheConstraints) {
  Connecting c({{in_free, in_held, in_fresh}, {0, 1, in_none}});
  const auto found = c.w.leave({3.0, 0.5});
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_NEAR(found->restart.x[0], 0.5, 1e-12);
  EXPECT_NEAR(found->restart.x[1], 0.5, 1e-12);
  EXPECT_FALSE(found->has_impulses());
  // Both free: nothing says where they start.
  Connecting all({{in_free, in_free, in_fresh}, {0, 1, in_none}});
  EXPECT_FALSE(all.w.leave({3.0, 0.5}).has_value());
}

TEST(ModeCandidate, EquationsBetweenBothLimitsDetermineTheStart) {
  Connecting c({{in_free, in_free, in_fresh}, {0, 1, in_none}, {}, 4.0});
  const auto found = c.w.leave({3.0, 0.5});
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_TRUE(found->by_equations);
  EXPECT_NEAR(found->restart.x[0], 4.0, 1e-12);
  EXPECT_NEAR(found->restart.x[1], 4.0, 1e-12);
  EXPECT_TRUE(found->dropped.empty());
}

/// The way into `between` is left at once, to a mode without constraints.
struct Through {
  explicit Through(LinearParts parts = two_capacitors(0.0, 0.0), bool returns = false)
      : between(w.add_linear("between", std::move(parts))), last(w.add("last")) {
    w.way(0, "go", {between});
    w.way(between, "on", {returns ? 0 : last});
  }
  ModeWays w{2};
  std::uint32_t between, last;
};

/// Consistent values of `between` would be (1, 1).
TEST(ModeCandidate, AModeOnTheWayMakesNothingConsistent) {
  Through c;
  const auto found = c.w.leave({3.0, 0.0});
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_EQ(found->to->name, "last");
  EXPECT_EQ(found->start.x, (std::vector<double>{3.0, 0.0}));
  EXPECT_FALSE(found->has_impulses());
  ASSERT_EQ(found->path.size(), 2U);
  EXPECT_EQ(found->path[0].transition, 0U);
  EXPECT_EQ(found->path[1].transition, 1U);
  EXPECT_EQ(found->path[1].cause, "condition of on");
  ASSERT_EQ(found->candidates.size(), 2U);
  const CandidateRecord &way = found->candidates[0], &end = found->candidates[1];
  EXPECT_EQ(way.verdict,
            "'on' led on at once, because 'condition of on' held, while i gets an impulse of -2 A "
            "s");
  EXPECT_TRUE(way.passed && !way.taken && !way.rejected() && way.verdict_tells_impulses);
  EXPECT_EQ(way.micro_step, 1U);
  EXPECT_TRUE(end.taken && !end.passed);
  EXPECT_EQ(end.micro_step, 2U);
  EXPECT_EQ(c.w.modes.at(c.between).visit.n_tentative, 1U);
}

TEST(ModeCandidate, ValuesThatWereMappedOnTheWayArriveAndEquationsDoNot) {
  Through c;
  c.w.source.maps[{0, c.between}] =
      WayIn{{in_mapped, in_free, in_fresh}, {0, 1, in_none}, {7.0, 0.0, 0.0}};
  const auto mapped = c.w.leave({3.0, 0.0});
  ASSERT_TRUE(mapped.has_value()) << mapped.failure().message;
  EXPECT_EQ(mapped->start.x[0], 7.0);
  EXPECT_TRUE(mapped->dropped.empty());
  Through d;
  d.w.source.maps[{0, d.between}] = WayIn{{in_free, in_free, in_fresh}, {0, 1, in_none}, {}, 4.0};
  const auto dropped = d.w.leave({3.0, 0.0});
  ASSERT_TRUE(dropped.has_value()) << dropped.failure().message;
  EXPECT_EQ(dropped->start.x[0], 3.0);
  EXPECT_FALSE(dropped->by_equations);
  ASSERT_EQ(dropped->dropped.size(), 1U);
  EXPECT_EQ(dropped->dropped[0].transition, "go");
  EXPECT_EQ(dropped->dropped[0].mode, "between");
  EXPECT_EQ(dropped->dropped[0].equations, std::vector<std::string>{"'limit'"});
}

/// x and y are left, `narrow` has x only, and y is there again in the mode behind it.
TEST(ModeCandidate, WhatAModeOnTheWayDoesNotHaveIsNotLost) {
  for (const bool through : {true, false}) {
    ModeWays w(2);
    const std::uint32_t narrow = w.add("narrow", {}, 1.0, 1), last = w.add("last");
    w.way(0, "go", {through ? narrow : last});
    w.way(narrow, "on", {last});
    w.source.maps[{0, last}] = w.source.maps[{1, last}] = WayIn{{in_held, in_fresh}, {0, in_none}};
    const auto found = w.leave({0.25, 6.0});
    ASSERT_TRUE(found.has_value()) << found.failure().message;
    // Its start value is -9.
    EXPECT_EQ(found->start.x, (std::vector<double>{0.25, through ? 6.0 : -9.0}));
    EXPECT_EQ(found->unknowns[1].existed, through);
    EXPECT_EQ(found->unknowns[1].start, through ? in_held : in_fresh);
  }
}

TEST(ModeCandidate, ASearchThatComesBackOrGoesOnForLongIsRefused) {
  Through back(two_capacitors(0.0, 0.0), true);
  const std::string text = back.w.leave({1.0, 1.0}).failure().message;
  EXPECT_NE(text.find("'first': 'go' led on at once, because 'condition of go' held, back to a "
                      "mode that the search had visited"),
            text.npos)
      << text;
  for (const int most : {1, 2}) {
    Through c;
    c.w.options.events.max_micro_steps = most;
    const auto found = c.w.leave({1.0, 1.0});
    EXPECT_EQ(found.has_value(), most == 2);
    if (found) continue;
    const std::string end = "held, after as many modes as events.max_micro_steps allows";
    EXPECT_TRUE(found.failure().message.ends_with(end)) << found.failure().message;
  }
}

TEST(ModeCandidate, ARequirementThatFailsTellsTheImpulsesAsWell) {
  ModeWays w(2);
  Dress dress;
  dress.add_action(ActionKind::requirement, "rest", ModeWays::always);
  const std::uint32_t shorted = w.add_linear("shorted", two_capacitors(0.0, 0.0), dress);
  w.way(0, "go", {shorted, w.add("last")});
  const auto found = w.leave({3.0, 0.0});
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_EQ(found->to->name, "last");
  EXPECT_EQ(found->candidates[0].verdict,
            "it requires rest, which does not hold, while i gets an impulse of -2 A s");
  EXPECT_TRUE(found->candidates[0].rejected());
  EXPECT_TRUE(found->candidates[0].verdict_tells_impulses);
  EXPECT_EQ(w.modes.at(shorted).visit.n_tentative, 1U);
}

/// u' - i = p + 10 from t = 1/2 on, and u + i = 1: u' is 13 at u = 1 with p = 3.
TEST(ModeCandidate, ItIsEnteredWithHeldValuesInThePieceThatBegins) {
  ModeWays w(1);
  const std::uint32_t mode = w.add_linear("held", {.unknowns = {{"u"}, {"i", 0.0, false, false}},
                                                   .e = {{1, 0}, {0, 0}},
                                                   .a = {{0, -1}, {1, 1}},
                                                   .b = {0, 1},
                                                   .breakpoint = 0.5,
                                                   .discrete = 0.0});
  w.way(0, "go", {mode});
  for (const double p : {3.0, 4.0}) {  // the second time it has begun before
    w.left.held.discrete = {p};
    const auto found = w.leave({1.0});
    ASSERT_TRUE(found.has_value()) << found.failure().message;
    EXPECT_NEAR(found->start.xdot[0], 10.0 + p, 1e-9);
    EXPECT_NEAR(found->restart.xdot[0], 10.0 + p, 1e-9);
  }
}

/// u' = i and u + p i = 1: without p it has index 2, and u = 1.
TEST(ModeCandidate, AModeThatHasGotAnotherIndexIsReducedAnew) {
  ModeWays w(1);
  const std::uint32_t number =
      w.add_linear("resistance", {.unknowns = {{"u"}, {"i", 0.0, false, false}},
                                  .e = {{1, 0}, {0, 0}},
                                  .a = {{0, -1}, {1, 1}},
                                  .b = {0, 1},
                                  .discrete = 1.0,
                                  .discrete_is_factor = true});
  w.way(0, "go", {number});
  w.left.held.discrete = {1.0};
  ASSERT_TRUE(w.leave({1.0}).has_value());
  ModeRun& mode = w.modes.at(number);
  EXPECT_EQ(mode.visit.n_reductions, 0U);
  w.left.held.discrete = {0.0};
  const auto found = w.leave({1.0});
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_EQ(mode.visit.n_reductions, 1U);
  EXPECT_EQ(mode.visit.values, "(1, 0, 2, 0, 0)");
  EXPECT_GT(found->n_evaluations_analyse, 0U);
}

/// y = 2 x, and x' = 1 where y > 0, else -1. Before y is known, it is taken for negative.
TEST(ModeCandidate, TheStartHasTheBranchesThatHoldThere) {
  ModeWays w(1);
  const std::uint32_t mode = w.add("branching", {}, 1.0, 2);
  SystemFunctions& f = w.functions[mode];
  f.unknowns[1].differential = false;
  f.locked_derivative = {};
  f.locked_residual = [](double, auto x, auto xdot, auto side, auto r) {
    r[0] = xdot[0] - (side[0] != 0 ? 1.0 : -1.0);
    r[1] = x[1] - 2.0 * x[0];
  };
  f.switching = [](double, auto x, auto g) { g[0] = x[1]; };
  w.way(0, "go", {mode});
  const auto found = w.leave({1.5});
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_NEAR(found->start.xdot[0], 1.0, 1e-9);
  EXPECT_NEAR(found->restart.xdot[0], 1.0, 1e-9);
  EXPECT_EQ(found->truths, std::vector<std::uint8_t>{1});
}

}  // namespace
}  // namespace saltus::hybrid_test
