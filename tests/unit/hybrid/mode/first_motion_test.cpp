// Which way relations go that begin a run on their surface and at rest.
#include "hybrid/mode/first_motion.hpp"

#include <cmath>
#include <stdexcept>

#include "begun.hpp"

namespace saltus::hybrid_test {
namespace {

/// x from 0, and the relation x > 0, which may choose the rates of x and of y.
struct FirstMotion : Begun {
  using Rate = std::function<double(double t, bool above)>;
  static SystemFunctions of(Rate x, Rate y) {
    SystemFunctions f;
    f.unknowns = {{"x"}, {"y"}};
    f.locked_derivative = [x, y](double t, auto, auto locks, auto xdot) {
      xdot[0] = x(t, locks[0] != 0), xdot[1] = y(t, locks[0] != 0);
    };
    f.switches = {{"x > 0"}};
    f.switching = [](double, auto now, auto g) { g[0] = now[0]; };
    return f;
  }
  static double at_rest(double, bool) { return 0.0; }

  explicit FirstMotion(Rate x, Rate y = at_rest, RunOptions options = {})
      : Begun(of(std::move(x), std::move(y)), std::move(options)) {}
  void settle() {
    const double t = options.t_begin;
    ASSERT_FALSE(board().truth(0));
    detail::settle_first_motion(mode, t);
  }
  detail::SwitchBoard& board() { return mode.kit->board; }
  bool truth() { return board().truth(0); }
  bool is_settled() { return board().is_settled_by_motion(0); }
};

/// x = c t^n
FirstMotion::Rate rises_like(double c, int n) {
  return [c, n](double t, bool) { return c * n * std::pow(t, n - 1); };
}

TEST(FirstMotion, AConditionHoldsIfItDoesJustAfter) {
  for (const double sign : {1.0, -1.0}) {
    FirstMotion s(rises_like(sign, 2));
    s.settle();
    EXPECT_EQ(s.truth(), sign > 0);
    EXPECT_TRUE(s.is_settled());
  }
}

/// x = t^2 - 500 t^3 / 3 falls below zero at t = 0.006; y = t^5 is told from zero at t = 0.01 only, where all ends.
TEST(FirstMotion, WhatComesFirstCounts) {
  SystemFunctions f;
  f.unknowns = {{"x"}, {"y"}};
  f.derivative = [](double t, auto, auto xdot) {
    xdot[0] = 2.0 * t - 500.0 * t * t, xdot[1] = 5.0 * std::pow(t, 4);
  };
  f.switches = {{"x > 0", false}, {"y > 0", false}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0], g[1] = x[1]; };
  Begun s(std::move(f));
  detail::settle_first_motion(s.mode, 0.0);
  EXPECT_TRUE(s.mode.kit->board.truth(0));
  EXPECT_TRUE(s.mode.kit->board.truth(1));
}

/// In a run of one second t^5 comes to 1e-10, and t^6 to no more than 1e-12, which is not told from zero.
TEST(FirstMotion, WhatDoesNotLeaveWithinAHundredthOfTheRunIsLeft) {
  FirstMotion fifth(rises_like(1.0, 5)), sixth(rises_like(1.0, 6));
  fifth.settle();
  EXPECT_TRUE(fifth.truth());
  sixth.settle();
  EXPECT_FALSE(sixth.truth());
  EXPECT_FALSE(sixth.is_settled());
  RunOptions longer;
  longer.t_end = 10.0;
  FirstMotion again(rises_like(1.0, 6), FirstMotion::at_rest, longer);
  again.settle();
  EXPECT_TRUE(again.truth());
}

TEST(FirstMotion, NothingIsFollowedBeyondAKnownTime) {
  FirstMotion s(
      rises_like(1.0, 4));  // 1e-8 within a hundredth of the run, 1e-12 until the known time
  OneBreak scheduled(1e-3);
  s.mode.scheduled = &scheduled;
  s.settle();
  EXPECT_FALSE(s.is_settled());
  scheduled.at = 9e-3;
  s.settle();
  EXPECT_TRUE(s.is_settled());
}

TEST(FirstMotion, RunsThatWatchNothingOrGoBackwardAreLeft) {
  RunOptions off, backward, nothing, hysteresis;
  off.events.handling = EventHandling::off;
  backward.t_end = -1.0;
  nothing.t_end = 0.0;
  hysteresis.events.hysteresis = {{"x > 0", 1e-9}};
  for (const RunOptions& options : {off, backward, nothing, hysteresis}) {
    FirstMotion s(rises_like(1.0, 2), FirstMotion::at_rest, options);
    s.settle();
    EXPECT_FALSE(s.truth());
    EXPECT_FALSE(s.is_settled());
  }
  FirstMotion between(rises_like(1.0, 2));
  between.mode.starts_between_sides = true;
  between.settle();
  EXPECT_FALSE(between.is_settled());
}

/// A rate or a value says enough: such relations are settled at the start itself.
TEST(FirstMotion, OnlyWhatRestsOnItsSurfaceIsFollowed) {
  SystemFunctions f;
  f.unknowns = {{"x"}};
  f.derivative = [](double t, auto, auto xdot) { xdot[0] = 2.0 * t; };
  f.switches = {{"rests", false}, {"rises", false}, {"is away", false}};
  f.switching = [](double t, auto x, auto g) { g[0] = x[0], g[1] = x[0] + t, g[2] = x[0] - 1e-5; };
  Begun s(std::move(f));
  s.mode.kit->board.set_truth(1, false);
  detail::settle_first_motion(s.mode, 0.0);
  const detail::SwitchBoard& board = s.mode.kit->board;
  EXPECT_EQ(std::vector(board.settled_by_motion().begin(), board.settled_by_motion().end()),
            std::vector<std::uint32_t>{0});
  EXPECT_TRUE(board.truth(0));
  EXPECT_FALSE(board.truth(1));
  EXPECT_FALSE(board.truth(2));
}

/// Above, y has another rate: the start is that of these equations.
TEST(FirstMotion, OtherEquationsGetAStartOfTheirOwn) {
  FirstMotion s(rises_like(1.0, 2), [](double, bool above) { return above ? 5.0 : -3.0; });
  EXPECT_NEAR(s.mode.start.xdot[1], -3.0, 1e-12);
  s.settle();
  EXPECT_TRUE(s.is_settled());
  EXPECT_NEAR(s.mode.start.xdot[1], 5.0, 1e-12);
}

/// Below the solution rises, and above it falls: each choice contradicts itself.
TEST(FirstMotion, WhereBothSidesLeadBackNothingIsChanged) {
  FirstMotion s([](double t, bool above) { return above ? -2.0 * t : 2.0 * t; },
                [](double, bool above) { return above ? 5.0 : -3.0; });
  const std::vector<double> xdot = s.mode.start.xdot;
  s.settle();
  EXPECT_FALSE(s.truth());
  EXPECT_FALSE(s.is_settled());
  EXPECT_EQ(s.mode.start.xdot, xdot);
}

TEST(FirstMotion, WhereTheOtherEquationsHaveNoStartNothingIsChanged) {
  FirstMotion s(rises_like(1.0, 2), [](double, bool above) {
    if (above) throw std::domain_error("above");
    return -3.0;
  });
  s.settle();
  EXPECT_FALSE(s.truth());
  EXPECT_FALSE(s.is_settled());
  EXPECT_NEAR(s.mode.start.xdot[1], -3.0, 1e-12);
}

TEST(FirstMotion, AMotionThatCannotBeMadeTellsNothing) {
  FirstMotion s([](double t, bool) {
    if (t > 0.0) throw std::domain_error("later");
    return 0.0;
  });
  s.settle();
  EXPECT_FALSE(s.truth());
  EXPECT_FALSE(s.is_settled());
}

}  // namespace
}  // namespace saltus::hybrid_test
