// Surfaces that a solution only touches: it goes on where it was, and nothing is logged.
#include <cmath>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::GoOn;
using detail::SurfaceInstant;

/// x' = sign (1/4 + t + slope y) - 1 where x > 0, the same + 1 elsewhere; y rests at 0. An action that changes nothing
/// belongs to it.
SystemFunctions touched_relay(double start, double sign, double slope) {
  SystemFunctions f;
  f.unknowns = {{"x", start}, {"y", 0.0}};
  f.locked_derivative = [sign, slope](double t, auto x, auto locks, auto xdot) {
    xdot[0] = sign * (0.25 + t + slope * x[1]) + (locks[0] ? -1.0 : 1.0);
    xdot[1] = 0.0;
  };
  add_relation(
      f, "x > 0", [](double, double x) { return x; }, true);
  f.actions.push_back(
      {.name = "look", .trigger = "x > 0", .set = [](double, auto, auto) {}, .targets = {"x"}});
  return f;
}

/// Comes from x < 0 to the surface at the point it starts from.
struct TouchedFromBelow : Scene {
  TouchedFromBelow() : Scene(touched_relay(-0.5, 1.0, 0.0)) {
    instant.mode = &*here();
    instant.point = here().point();
    instant.point.x = {0.0, 0.0};
    instant.settled = instant.point;
    instant.crossings.push_back({0, 1});
    instant.way = detail::SurfaceWay{};
    (void)here()->kit->locator.margins(instant.point, std::vector<std::uint32_t>{0});
  }
  SurfaceInstant instant;
};

TEST(SurfaceTouches, ARelationThatIsWhatItWasBeganNothing) {
  TouchedFromBelow s;
  const detail::Verdict verdict = s.at.on_surfaces.decide(s.instant);
  ASSERT_NE(std::get_if<GoOn>(&verdict), nullptr);
  EXPECT_EQ(s.ground.ledger.counts().n_instants, 0U);
  EXPECT_EQ(s.here()->n_pardoned[0], 1U);
  ASSERT_EQ(s.report().marginal.size(), 1U);
  EXPECT_EQ(s.report().marginal[0].relation, "x > 0");
  // The tolerance of x at x = 0: 1e-6. It goes on a hundredth of that beside, and may be a tenth beyond.
  EXPECT_NEAR(s.report().marginal[0].error, 1e-6, 1e-12);
  EXPECT_NEAR(s.here().x()[0], -1e-8, 1e-14);
  EXPECT_NEAR(s.board().search_slack(0), 1e-7, 1e-12);
}

TEST(SurfaceTouches, ARelationThatChangedIsAnEvent) {
  TouchedFromBelow s;
  s.board().set_truth(0, true);
  const detail::Verdict verdict = s.at.on_surfaces.decide(s.instant);
  ASSERT_NE(std::get_if<GoOn>(&verdict), nullptr);
  EXPECT_EQ(s.ground.ledger.counts().of(EventKind::state), 1U);
  EXPECT_EQ(s.here()->n_pardoned[0], 0U);
  EXPECT_TRUE(s.report().marginal.empty());
  EXPECT_EQ(s.here().x()[0], 0.0);
}

TEST(SurfaceTouches, WhatAnActionOrARangeDidIsAnEventAsWell) {
  for (const char* reason : {"fired", "terminal", "range"}) {
    TouchedFromBelow s;
    if (reason == std::string("fired")) s.instant.result.fired.push_back({});
    if (reason == std::string("terminal")) s.instant.result.terminal = 0;
    if (reason == std::string("range")) s.instant.left_range = 0;
    (void)s.at.on_surfaces.decide(s.instant);
    EXPECT_EQ(s.ground.ledger.counts().n_instants, 1U) << reason;
    EXPECT_EQ(s.here()->n_pardoned[0], 0U) << reason;
    EXPECT_TRUE(s.report().marginal.empty()) << reason;
  }
}

/// On the surface from t = 0 on, with the multiplier sign (1/4 + t + slope x). Its exit is met at t = 0.751.
struct TouchedExits : Scene {
  TouchedExits(double sign, double slope = 0.0) : Scene(touched_relay(0.0, sign, slope)) {
    EXPECT_TRUE(step.sliders.slide_from_start(0.0).has_value());
    EXPECT_TRUE(step.motion.start_stay(0.0, {}).has_value());
    exit = base().kit->board.count() + (sign > 0 ? 0 : 1);
    instant.mode = &base();
    instant.point = here().point();
    instant.point.t = 0.751;
    instant.settled = instant.point;
    instant.settled.x.resize(2);
    instant.settled.xdot.resize(2);
    instant.crossings.push_back({exit, -1});
    instant.left = {0};
    instant.beside = {1e-8};
    (void)base().kit->locator.margins(instant.settled, {});
    EXPECT_TRUE(at.left.note(instant.point).has_value());
  }
  detail::ModeRun& base() { return here()->on_surfaces ? *here()->on_surfaces->base : *here(); }
  void keep() {
    instant.way = detail::SurfaceWay{};
    instant.way->kept = here()->on_surfaces->surfaces;
    instant.way->options = here()->on_surfaces->options;
    instant.way->who = "'x > 0'";
  }
  std::uint32_t exit = 0;
  SurfaceInstant instant;
};

TEST(SurfaceTouches, AnExitOfASurfaceThatIsKeptIsNoExit) {
  for (const double sign : {1.0, -1.0}) {
    TouchedExits s(sign);
    s.keep();
    const detail::Verdict verdict = s.at.on_surfaces.decide(s.instant);
    ASSERT_NE(std::get_if<GoOn>(&verdict), nullptr);
    EXPECT_TRUE(s.here()->on_surfaces.has_value());
    EXPECT_TRUE(s.instant.left.empty());
    EXPECT_TRUE(s.instant.beside.empty());
    EXPECT_EQ(s.ground.ledger.counts().n_instants, 0U);
    EXPECT_EQ(s.report().marginal.size(), 1U);
    // 1 - 1.001, twice: the multiplier may begin as far beyond its range.
    EXPECT_NEAR(s.board().search_slack(s.exit), 2e-3, 1e-6);
    const std::uint32_t other = s.exit == 1 ? 2 : 1;
    EXPECT_EQ(s.board().search_slack(other), 0.0);
  }
}

TEST(SurfaceTouches, AnExitIsExcusedByItsErrorAtLeast) {
  TouchedExits s(1.0, 3000.0);
  s.keep();
  const detail::Verdict verdict = s.at.on_surfaces.decide(s.instant);
  ASSERT_NE(std::get_if<GoOn>(&verdict), nullptr);
  // Its slope along y times the tolerance of y.
  EXPECT_NEAR(s.board().search_slack(s.exit), 3e-3, 1e-5);
}

TEST(SurfaceTouches, ASurfaceThatIsNotKeptIsLeft) {
  TouchedExits s(1.0);
  s.instant.way = detail::SurfaceWay{};
  s.base().kit->board.set_truth(0, true);
  const detail::Verdict verdict = s.at.on_surfaces.decide(s.instant);
  ASSERT_NE(std::get_if<GoOn>(&verdict), nullptr);
  EXPECT_FALSE(s.here()->on_surfaces.has_value());
  EXPECT_EQ(s.ground.ledger.counts().of(EventKind::exit_sliding), 1U);
  EXPECT_EQ(s.instant.left, std::vector<std::uint32_t>{0});
  EXPECT_NEAR(s.here().x()[0], 1e-8, 1e-14);
  EXPECT_NEAR(s.here().xdot()[0], 1e-3, 1e-9);  // 1.001 - 1
  EXPECT_TRUE(s.report().marginal.empty());
  EXPECT_NEAR(s.board().search_slack(0), 1e-6, 1e-12);
}

}  // namespace
}  // namespace saltus::hybrid_test
