// Impulses within a mode: when the same mode is entered once more.
#include "../mode/linear_system.hpp"
#include "source_scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::EventPoint;
using detail::InstantResult;

/// x' = 1, y = 2 x, both from 0; that y was moved means nothing.
std::shared_ptr<ConfigurationSource> with_an_algebraic_unknown() {
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}, {.name = "y", .differential = false}};
  f.residual = [](double, auto x, auto xdot, auto r) {
    r[0] = xdot[0] - 1.0;
    r[1] = x[1] - 2.0 * x[0];
  };
  f.pattern = CscPattern{2, 2, {0, 2, 3}, {0, 1, 1}};
  return std::make_shared<SingleConfiguration>(make_system(std::move(f)));
}

/// The start that follows an instant at t = 0, where x and y were 0: moved by so much.
struct ImpulseScene : SourceScene {
  explicit ImpulseScene(double dx, double dy, RunFollower* follower = nullptr)
      : SourceScene(with_an_algebraic_unknown(), with_radau(), follower), point(here().point()) {
    EXPECT_TRUE(at.left.note(point).has_value());
    result.start.x = {point.x[0] + dx, point.x[1] + dy};
    result.start.xdot = {1.0, 2.0};
    result.restart = true;
  }
  static RunOptions with_radau() {
    RunOptions options = Scene::in_one_second();
    options.engine = EngineKind::radau;
    return options;
  }
  double x_after() {
    EXPECT_TRUE(at.impulses.jump(point, result).has_value());
    return result.start.x[0];
  }
  EventPoint point;
  InstantResult result;
};

// At x = 0 a hundred tolerances are 1e-4.
TEST(Impulses, WhatMovesByMoreThanAHundredTolerancesIsStartedOnceMore) {
  EXPECT_EQ(ImpulseScene(1.01e-4, 0.0).x_after(), 0.0);
  EXPECT_EQ(ImpulseScene(-1.01e-4, 0.0).x_after(), 0.0);
  EXPECT_EQ(ImpulseScene(0.99e-4, 0.0).x_after(), 0.99e-4);
}

TEST(Impulses, WhatHasNoDerivativeMayJump) {
  ImpulseScene s(0.0, 5.0);
  EXPECT_EQ(s.x_after(), 0.0);
  EXPECT_EQ(s.result.start.x[1], 5.0);
}

TEST(Impulses, NothingIsStartedWithoutARestartOrAfterTheEnd) {
  ImpulseScene goes_on(1.0, 0.0), ends(1.0, 0.0);
  goes_on.result.restart = false;
  ends.result.terminal = 0;
  EXPECT_EQ(goes_on.x_after(), 1.0);
  EXPECT_EQ(ends.x_after(), 1.0);
}

TEST(Impulses, AnActionThatSetsUnknownsIsAReason) {
  for (const bool is_unknown : {true, false}) {
    ImpulseScene s(1.0, 0.0);
    s.result.set.emplace_back();
    s.result.set.back().target = {is_unknown, 1};
    EXPECT_EQ(s.x_after(), is_unknown ? 1.0 : 0.0);
  }
}

TEST(Impulses, AFollowerMayAskWhereItLedFromElsewhere) {
  QuietFollower follower;
  int n_told = 0;
  follower.on_change = [&](const FollowedPoint& to, const MovedStart& moved) {
    ++n_told;
    EXPECT_EQ(to.t, 0.0);
    EXPECT_EQ(to.x[0], 0.0);
    const auto there = moved(0.0, std::vector{0.25, 0.0});
    ASSERT_TRUE(there.has_value());
    EXPECT_DOUBLE_EQ((*there)[0], 0.25);
    EXPECT_DOUBLE_EQ((*there)[1], 0.5);
  };
  ImpulseScene s(1.0, 0.0, &follower);
  // Its questions leave no trace.
  EXPECT_EQ(s.x_after(), 0.0);
  EXPECT_EQ(s.result.start.x[1], 0.0);
  EXPECT_EQ(s.here()->start.x, (std::vector{0.0, 0.0}));
  EXPECT_EQ(n_told, 1);
}

/// v = 0, from t = 1/2 on 10; i = v'.
std::shared_ptr<ConfigurationSource> voltage_source() {
  LinearParts p{.unknowns = {{"v", 0.0}, {"i", 0.0, false, false}},
                .e = {{0, 0}, {1, 0}},
                .a = {{1, 0}, {0, -1}},
                .b = {0, 0},
                .breakpoint = 0.5};
  return std::make_shared<SingleConfiguration>(linear_system(std::move(p)));
}

TEST(Impulses, AConstraintOnAnInputThatJumpsTakesAnImpulse) {
  SourceScene s(voltage_source(), ImpulseScene::with_radau());
  EventPoint point = s.here().point();
  point.t = 0.5;
  ASSERT_TRUE(s.at.left.note(point).has_value());
  s.step.motion.enter_stretch(0.5);
  InstantResult result;
  auto found = s.here()->find_start_on_side(
      0.5, {point.x, point.xdot, std::vector<std::uint8_t>(point.x.size(), 0)});
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  result.start = std::move(*found);
  result.restart = true;
  const auto n_before = s.ground.ledger.event_work().n_evaluations_iterate;
  const auto jumped = s.at.impulses.jump(point, result);
  ASSERT_TRUE(jumped.has_value()) << jumped.failure().message;
  EXPECT_TRUE(result.by_impulse);
  ASSERT_EQ(result.impulses.size(), 1U);
  EXPECT_EQ(result.impulses[0].variable, "i");
  EXPECT_EQ(result.impulses[0].order, 0);
  EXPECT_NEAR(result.impulses[0].strength, 10.0, 1e-9);  // v' = 10 delta
  const auto after = s.here()->pairing->original(*s.here()->system, *s.here()->workspace, 0.5,
                                                 result.start.x, result.start.xdot);
  EXPECT_NEAR(after.x[0], 10.0, 1e-9);
  EXPECT_NEAR(after.x[1], 0.0, 1e-9);
  EXPECT_GT(s.ground.ledger.event_work().n_evaluations_iterate, n_before);
}

}  // namespace
}  // namespace saltus::hybrid_test
