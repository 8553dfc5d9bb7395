// Surfaces that no step may pass: they are approached, and the last bit is bridged.
#include "hybrid/search/surface_approach.hpp"

#include <cmath>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::SurfaceApproach;

/// x' = 1 + curved x, and its sign has to be right: no point beyond x = `surface` may be used.
SystemFunctions one_sided(double start, double surface, double curved) {
  SystemFunctions f;
  f.unknowns = {{"x", start}};
  f.derivative = [curved](double, auto x, auto xdot) { xdot[0] = 1.0 + curved * x[0]; };
  f.switches = {{"beyond"}};
  f.switching = [surface](double, auto x, auto g) { g[0] = x[0] - surface; };
  return f;
}

struct ApproachScene : Scene {
  ApproachScene(double start, double surface, double curved = 0.0, double t_end = 1.0)
      : Scene(one_sided(start, surface, curved), refused_beyond(t_end)) {}
  static RunOptions refused_beyond(double t_end) {
    RunOptions options = Scene::in_one_second();
    options.events.beyond = BeyondPolicy::refused;
    options.t_end = t_end;
    return options;
  }
  std::optional<SurfaceApproach::Bridge> look(bool step_failed) {
    return step.approach.look(step_failed);
  }
  std::uint64_t n_located() { return ground.ledger.event_work().n_located; }
};

TEST(SurfaceApproach, WhatIsNotWatchedIsNotApproached) {
  Scene s(rising());
  EXPECT_FALSE(s.step.approach.look(true).has_value());
}

TEST(SurfaceApproach, WithoutARefusalNobodyLooks) {
  ApproachScene s(-5e-10, 0.0);
  EXPECT_FALSE(s.look(false).has_value());
  EXPECT_EQ(s.n_located(), 0U);
}

TEST(SurfaceApproach, ABillionthOfTheTimeIsBridgedWhereNoStepTellsMore) {
  ApproachScene s(-9e-10, 0.0);
  const auto bridge = s.look(true);
  ASSERT_TRUE(bridge.has_value());
  EXPECT_TRUE(bridge->recorded.has_value());
  const detail::InstantRequest& event = bridge->event;
  EXPECT_NEAR(event.point.t, 9e-10, 1e-10);
  EXPECT_GT(event.point.x[0], 0.0);  // a little beyond
  EXPECT_NEAR(event.point.x[0], 0.0, 1e-10);
  ASSERT_EQ(event.crossings.size(), 1U);
  EXPECT_EQ(event.crossings[0].which, 0U);
  EXPECT_EQ(event.crossings[0].direction, 1);
  EXPECT_EQ(event.crossings[0].guarantee, Guarantee::heuristic);
  EXPECT_EQ(s.n_located(), 1U);
  EXPECT_EQ(s.ground.recording.recorded_to(), event.point.t);
  // A straight line leads there.
  const StepPolynomial* piece = s.ground.recording.piece_that_leads_to(event.point.t);
  ASSERT_NE(piece, nullptr);
  std::vector<double> x(1);
  piece->state_at(0.5 * event.point.t, x);
  EXPECT_NEAR(x[0], 0.5 * (event.point.x[0] - 9e-10), 1e-20);
  // The twin.
  ApproachScene further(-1.1e-9, 0.0);
  EXPECT_FALSE(further.look(true).has_value());
  EXPECT_EQ(further.n_located(), 0U);
}

TEST(SurfaceApproach, BackwardInTimeAsWell) {
  ApproachScene s(9e-10, 0.0, 0.0, -1.0);
  const auto bridge = s.look(true);
  ASSERT_TRUE(bridge.has_value());
  EXPECT_NEAR(bridge->event.point.t, -9e-10, 1e-10);
  EXPECT_LT(bridge->event.point.x[0], 0.0);
  EXPECT_EQ(bridge->event.crossings[0].direction, 1);  // as time increases
}

TEST(SurfaceApproach, ASurfaceBeyondTheEndOfTheStretchIsNotMet) {
  ApproachScene ends(-9e-10, 0.0, 0.0, 5e-10);
  EXPECT_FALSE(ends.look(true).has_value());
  EXPECT_EQ(ends.n_located(), 0U);
}

TEST(SurfaceApproach, AStepTellsForTenOfItsLengths) {
  for (const double distance : {9.9, 10.1}) {
    RunOptions options = ApproachScene::refused_beyond(1.0);
    options.fixed_step = 1e-3;
    Scene s(one_sided(0.0, 1e-3 + distance * 1e-3, 0.0), options);
    s.step_only();
    ASSERT_NEAR(s.here().t(), 1e-3, 1e-15);
    const auto bridge = s.step.approach.look(true);
    ASSERT_EQ(bridge.has_value(), distance < 10);
    if (!bridge) continue;
    // The engine is to begin anew.
    s.board().set_truth(0, true);
    const std::uint64_t n_starts = s.here()->engine->work().n_starts;
    detail::InstantResult nothing;
    nothing.start.x = bridge->event.point.x;
    nothing.start.xdot = bridge->event.point.xdot;
    ASSERT_TRUE(s.step.motion.go_on_after(bridge->event.point, std::move(nothing)).has_value());
    EXPECT_EQ(s.here()->engine->work().n_starts, n_starts + 1);
  }
}

// x = e^t - 1 passes 1/2 at log(3/2).
TEST(SurfaceApproach, AfterARefusalTheNextStepsOnlyComeClose) {
  ApproachScene s(0.0, 0.5, 1.0);
  const double t_surface = std::log(1.5);
  std::optional<SurfaceApproach::Bridge> bridge;
  int n_cut = 0;
  bool was_refused = false;
  std::uint64_t n_refused = 0;
  for (int n = 0; n < 100 && !bridge; ++n) {
    const double t_before = s.here().t();
    s.step_only();
    ASSERT_LE(s.here().x()[0], 0.5);
    // 0.95 of the way that was left, which the polynomial of the step before has predicted.
    const double part = (s.here().t() - t_before) / (t_surface - t_before);
    EXPECT_TRUE(!was_refused || part < 0.95 + 1e-3) << part;
    n_cut += was_refused && std::abs(part - 0.95) < 1e-3 ? 1 : 0;
    ASSERT_TRUE(s.ground.recording.add_step().has_value());
    bridge = s.look(false);
    was_refused = s.ground.ledger.event_work().n_one_sided_steps > 0;
    if (n_cut == 0) n_refused = s.ground.ledger.event_work().n_one_sided_steps;
  }
  // Once it has come close, no step is refused any more.
  EXPECT_EQ(s.ground.ledger.event_work().n_one_sided_steps, n_refused);
  EXPECT_TRUE(was_refused);
  EXPECT_GT(n_cut, 0);
  ASSERT_TRUE(bridge.has_value());
  // The error of some steps with tolerance 1e-6.
  EXPECT_NEAR(bridge->event.point.t, t_surface, 1e-5);
  EXPECT_NEAR(bridge->event.point.x[0], 0.5, 1e-8);
  EXPECT_EQ(s.n_located(), 1U);
  EXPECT_GT(s.here()->natural_step, 0.0);
}

}  // namespace
}  // namespace saltus::hybrid_test
