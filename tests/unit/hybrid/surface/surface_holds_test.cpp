// Surfaces that hold a solution with more than acts beside them: static friction.
#include <cmath>

#include <gtest/gtest.h>

#include "hybrid/surface/surface_study.hpp"

#include "sided_system.hpp"

namespace saltus::hybrid_test {
namespace {

/// v' = load - strength s, with s = 1 where v > 0 and -1 elsewhere. v = 0 holds until the multiplier is 1 / h.
struct HeldPad {
  double load = 1.5, strength = 1.0;
  std::function<double(bool above, double v)> h = [](bool, double) { return 0.5; };
  std::function<double(bool above)> normal = [](bool) { return 3.0; };
  /// "v < 0" is a second relation, with a hold of its own.
  bool twice = false;
  std::vector<std::uint32_t> released = {};

  SidedFunctions sided() const {
    SidedFunctions sided;
    sided.functions.unknowns = {{"v", 0.0}};
    sided.functions.locked_derivative = [pad = *this](double, auto, auto locks, auto vdot) {
      vdot[0] = pad.load - pad.strength * (locks[0] ? 1 : -1);
    };
    sided.functions.switches = {{"v > 0"}, {"v < 0"}, {"h", false}, {"h2", false}, {"N", false}};
    sided.functions.switching = [](double, auto v, auto g) {
      g[0] = v[0];
      g[1] = -v[0];
      g[2] = g[3] = g[4] = 1.0;
    };
    sided.info = [two = twice](std::uint32_t which, SwitchInfo& info) {
      if (which >= 2) info.kind = SwitchKind::hold;
      if (which > (two ? 1U : 0U)) return;
      info.hold = 2 + which;
      info.hold_normal = 4;
      info.held_by = "pad";
    };
    sided.value = [pad = *this](std::uint32_t which, auto locks, auto v,
                                auto) -> std::optional<double> {
      if (which == 2 || which == 3) return pad.h(locks[0] != 0, v[0]);
      if (which == 4) return pad.normal(locks[0] != 0);
      return std::nullopt;
    };
    return sided;
  }
  /// From v = `v`, which is taken to be on the surface.
  Result<SurfaceDecision> decide(double v = 0.0) const {
    RunOptions options;
    options.engine = EngineKind::dopri5;
    SidedMode s(sided(), options);
    const std::vector<double> x{v}, xdot{0.0};
    detail::SurfaceStudy study(s.mode, {0.0, x, xdot, 1e-4});
    study.set_released(released, 0.0);
    const std::vector<std::uint32_t> met =
        twice ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{0};
    s.mode.kit->board.set_truth(0, true);
    auto decided = study.decide(study.surfaces_of(met), SlidingRule::bilinear);
    EXPECT_TRUE(s.mode.kit->board.truth(0));
    return decided;
  }
  /// 0: it sticks.
  int state(double v = 0.0) const {
    const auto decided = decide(v);
    EXPECT_TRUE(decided.has_value()) << decided.failure().message;
    if (!decided) return 99;
    EXPECT_EQ(decided->kind, DecisionKind::unique);
    return decided->taken().state[0];
  }
  std::string refusal() const {
    const auto decided = decide();
    if (decided) return "";
    EXPECT_EQ(decided.failure().code, FailureCode::not_certified);
    return decided.failure().message;
  }
};

HeldPad pad_with_h(double h, double load = 1.5) {
  HeldPad pad;
  pad.load = load;
  pad.h = [h](bool, double) { return h; };
  return pad;
}

TEST(SurfaceHolds, ASurfaceHoldsUntilTheMultiplierIsOneOverH) {
  EXPECT_EQ(pad_with_h(1 / 1.6).state(), 0);
  EXPECT_EQ(pad_with_h(1 / 1.4).state(), 1);
  EXPECT_EQ(pad_with_h(1 / 1.6, -1.5).state(), 0);
  EXPECT_EQ(pad_with_h(1 / 1.4, -1.5).state(), -1);
  EXPECT_NEAR(pad_with_h(1 / 1.6).decide()->taken().multiplier[0], 1.5, 1e-14);
}

TEST(SurfaceHolds, WhatWasReleasedIsNotHeldAgain) {
  HeldPad pad;
  EXPECT_EQ(pad.state(), 0);
  pad.released = {0};
  EXPECT_EQ(pad.state(), 1);
}

TEST(SurfaceHolds, AHoldThatIsNotPositiveIsRefused) {
  EXPECT_EQ(pad_with_h(0.0).refusal(), "h is 0: it must be positive");
  EXPECT_EQ(pad_with_h(-0.5).refusal(), "h is -0.5: it must be positive");
  EXPECT_NE(pad_with_h(std::nan("")).refusal().find(": it must be positive"), std::string::npos);
}

TEST(SurfaceHolds, StaticFrictionIsNotLessThanKinetic) {
  EXPECT_EQ(pad_with_h(1.5).refusal(),
            "h is 1.5: static friction must not be less than kinetic friction");
  EXPECT_EQ(pad_with_h(1 + 1e-8).refusal().substr(0, 5), "h is ");
  EXPECT_EQ(pad_with_h(1 + 1e-10, 0.5).state(), 0);  // rounding
  EXPECT_EQ(pad_with_h(1 + 1e-10, 1.5).state(), 1);
}

TEST(SurfaceHolds, BothDirectionsHaveTheSameHold) {
  HeldPad pad;
  pad.h = [](bool above, double) { return above ? 0.5 : 0.625; };
  EXPECT_EQ(pad.refusal(),
            "h is 0.5 on one side of rest and 0.625 on the other: it has to be the same for both "
            "directions");
  pad.h = [](bool above, double) { return above ? 0.5 : 0.5 + 1e-10; };
  EXPECT_EQ(pad.state(), 0);
}

// The point may lie a little beside it, where a law of velocities has gone on.
TEST(SurfaceHolds, TheHoldIsThatOfRest) {
  HeldPad pad;
  pad.load = 1.9;
  pad.h = [](bool, double v) { return 0.5 + 100 * std::abs(v); };
  EXPECT_EQ(pad.state(0.001), 0);  // 1 / 0.6 would be too little
}

TEST(SurfaceHolds, ANormalForcePressesBodiesTogether) {
  HeldPad pad;
  pad.normal = [](bool) { return -2.0; };
  EXPECT_EQ(pad.refusal(),
            "N is -2: bodies are pressed together by a positive one only; write abs() of it if "
            "they are held from both sides, max(…, 0) if contact is lost");
  pad.normal = [](bool above) { return above ? 0.0 : 3.0; };
  EXPECT_TRUE(pad.refusal().starts_with("N is 0: "));
}

TEST(SurfaceHolds, ANormalForceDoesNotDependOnFriction) {
  HeldPad pad;
  pad.normal = [](bool above) { return above ? 3.0 : 2.0; };
  EXPECT_EQ(pad.refusal(),
            "N depends on friction itself: it is 2 for one direction and 3 for the other; write it "
            "as a contact (Model::unilateral)");
  pad.normal = [](bool above) { return above ? 3.0 : 3.0 + 1e-7; };  // what searches leave
  EXPECT_EQ(pad.state(), 0);
  pad.normal = [](bool above) { return above ? 3.0 : 3.0 + 1e-5; };
  EXPECT_TRUE(pad.refusal().starts_with("N depends on friction itself"));
}

TEST(SurfaceHolds, FrictionThatSpeedsItsSlipUpHasTheWrongSign) {
  HeldPad pad;
  pad.strength = -1.0;
  EXPECT_EQ(pad.refusal(),
            "the force of friction 'pad' speeds its slip up: change its sign in the equations, or "
            "that of the slip velocity");
}

TEST(SurfaceHolds, WhatHoldsNoMoreThanItsSidesIsNotLookedAt) {
  HeldPad pad = pad_with_h(1.0, 0.5);
  pad.normal = [](bool) { return -2.0; };
  EXPECT_EQ(pad.state(), 0);
}

TEST(SurfaceHolds, OneSurfaceHasOneFriction) {
  HeldPad pad;
  pad.twice = true;
  EXPECT_EQ(pad.refusal(), "h and h2 belong to one surface: write one friction for both");
  pad.released = {1};  // then there is only one
  EXPECT_EQ(pad.state(), 0);
}

}  // namespace
}  // namespace saltus::hybrid_test
