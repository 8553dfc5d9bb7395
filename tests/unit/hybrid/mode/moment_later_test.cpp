// Which of several modes that are possible at an instant are possible a moment later.
#include "hybrid/mode/moment_later.hpp"

#include <cmath>
#include <stdexcept>

#include "begun.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::ModeRun;
using detail::PossibleMode;

double way_up(double) { return 1.0; }
double way_down(double) { return -1.0; }

/// Whether that way is possible within 1e-3 beside one that goes up, as both are locked on x >= 0.
struct Moment {
  explicit Moment(const GuardedWay& way) : one(guarded(way)), above(guarded({way_up})) {}
  bool is_possible() {
    const std::vector<std::uint8_t> inside{0};
    const PossibleMode both[] = {{&one.mode, &one.mode.start, inside},
                                 {&above.mode, &above.mode.start, inside}};
    const auto found = detail::possible_a_moment_later(both, 0.0, 1e-3);
    EXPECT_EQ(found.size(), 2U);
    EXPECT_EQ(found[1], 1);
    return found[0] != 0;
  }
  Begun one, above;
};
bool is_possible(const GuardedWay& way) { return Moment(way).is_possible(); }

TEST(MomentLater, AMomentIsShortBesideAStepOrElseBesideTheRun) {
  RunOptions options;
  options.t_end = 5.0;
  EXPECT_DOUBLE_EQ(detail::moment_after(1.0, 0.25, options), 2.5e-4);
  EXPECT_DOUBLE_EQ(detail::moment_after(1.0, 0.0, options), 4e-5);
}

TEST(MomentLater, AModeThatLeavesWhatItRequiresIsNotPossible) {
  EXPECT_TRUE(is_possible({way_up}));
  EXPECT_FALSE(is_possible({way_down}));
  EXPECT_FALSE(is_possible({[](double t) { return -2.0 * t; }}));
  EXPECT_TRUE(is_possible({.rate = way_down, .is_required = false}));
}

/// That is a short stay.
TEST(MomentLater, WhatBeginsOnItsRightSideMayLeaveIt) {
  EXPECT_TRUE(is_possible({way_down, 1e-4}));
  EXPECT_FALSE(is_possible({way_down, 1e-13}));
}

/// x = 3e-4 t - t^2 is above zero in the first quarter only, x = -1e-6 t everywhere below 1e-9.
TEST(MomentLater, ItMustBeClearlyWrongAllTheTime) {
  EXPECT_TRUE(is_possible({[](double t) { return 3e-4 - 2.0 * t; }}));
  EXPECT_FALSE(is_possible({[](double) { return -1e-6; }}));
  EXPECT_TRUE(is_possible({[](double) { return -1e-9; }}));
}

/// 1e-11 of the largest unknown is not told from zero.
TEST(MomentLater, NoiseGrowsWithTheUnknowns) {
  EXPECT_FALSE(is_possible({.rate = way_down, .other = 1e6}));
  EXPECT_TRUE(is_possible({.rate = way_down, .other = -1e9}));
}

TEST(MomentLater, AStepThatCannotBeMadeTellsNothing) {
  EXPECT_TRUE(is_possible({[](double t) {
    if (t > 5e-4) throw std::domain_error("later");
    return -1.0;
  }}));
}

/// A moment ends where something is not smooth: within 1e-12 x moves by less than can be told from zero.
TEST(MomentLater, NothingIsLookedAtBeyondAKnownTime) {
  Moment s({way_down});
  OneBreak scheduled(1e-12);
  s.one.mode.scheduled = &scheduled;
  EXPECT_TRUE(s.is_possible());
  scheduled.at = 1e-9;
  EXPECT_FALSE(s.is_possible());
}

TEST(MomentLater, WhereNoneStaysAllAreLeft) {
  Begun one(guarded({way_down})), other(guarded({way_down}));
  const std::vector<std::uint8_t> inside{0};
  const PossibleMode both[] = {{&one.mode, &one.mode.start, inside},
                               {&other.mode, &other.mode.start, inside}};
  EXPECT_EQ(detail::possible_a_moment_later(both, 0.0, 1e-3), (std::vector<std::uint8_t>{1, 1}));
}

TEST(MomentLater, WithoutRelationsNothingCanGoWrong) {
  SystemFunctions f;
  f.unknowns = {{"x"}};
  f.derivative = [](double, auto, auto xdot) { xdot[0] = -1.0; };
  Begun plain(std::move(f)), falls(guarded({way_down}));
  const std::vector<std::uint8_t> inside{0};
  const PossibleMode both[] = {{&falls.mode, &falls.mode.start, inside},
                               {&plain.mode, &plain.mode.start, {}}};
  EXPECT_EQ(detail::possible_a_moment_later(both, 0.0, 1e-3), (std::vector<std::uint8_t>{0, 1}));
}

TEST(MomentLater, ModesAreLeftWithTheRelationsThatWereGiven) {
  Moment s({way_down});
  s.one.mode.kit->board.set_truth(0, true);
  const std::vector<double> x = s.one.mode.start.x;
  EXPECT_FALSE(s.is_possible());
  EXPECT_FALSE(s.one.mode.kit->board.truth(0));
  EXPECT_EQ(s.one.mode.start.x, x);
}

}  // namespace
}  // namespace saltus::hybrid_test
