// What is written down of an instant on surfaces.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::SurfaceInstant;

/// x and y go to zero, each with speed 1.
SystemFunctions two_logged_relays() {
  SystemFunctions f;
  f.unknowns = {{"x", 0.5}, {"y", 0.5}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) {
    for (std::size_t i : {0U, 1U}) xdot[i] = locks[i] ? -1.0 : 1.0;
  };
  f.switches = {{"x > 0"}, {"y > 0"}};
  f.switching = [](double, auto x, auto g) { std::ranges::copy(x, g.begin()); };
  return f;
}

const Surface of_x{{0}, {1}}, of_y{{1}, {1}};

/// An instant at t = 0 that goes on as it is told.
struct LoggedInstant : Scene {
  LoggedInstant() : Scene(two_logged_relays()) {}
  /// The solution is on these surfaces before.
  void begin_on(std::vector<Surface> surfaces, double x, double y) {
    (void)pass(std::move(surfaces), {}, x, y);
    (void)ground.ledger.take_log();
    n_logged = ground.ledger.counts().n_instants;
  }
  /// The log of the instant.
  EventLog pass(std::vector<Surface> kept, std::vector<detail::Crossing> crossings, double x,
                double y) {
    detail::ModeRun& mode = here()->on_surfaces ? *here()->on_surfaces->base : *here();
    instant.mode = &mode;
    instant.point = here().point();
    instant.point.x[0] = x;
    instant.point.x[1] = y;
    instant.settled = instant.point;
    instant.settled.x.resize(2);
    instant.settled.xdot.resize(2);
    instant.crossings = std::move(crossings);
    instant.way = detail::SurfaceWay{};
    instant.way->kept = std::move(kept);
    instant.way->records.emplace_back().text = "a way";
    EXPECT_TRUE(at.left.note(instant.point).has_value());
    const detail::Verdict verdict = at.on_surfaces.decide(instant);
    EXPECT_NE(std::get_if<detail::GoOn>(&verdict), nullptr);
    return ground.ledger.take_log();
  }
  SurfaceInstant instant;
  std::uint64_t n_logged = 0;
};

using LoggedNames = std::vector<std::string>;

TEST(SurfaceLog, ARelationThatCrossedOntoItsSurfaceEntersIt) {
  LoggedInstant s;
  s.instant.result.flips = {{0}, {1}};
  const EventLog log = s.pass({of_x}, {{0, -1, Guarantee::heuristic, 0.125}}, 5e-7, 0.5);
  ASSERT_EQ(log.events().size(), 1U);
  const Event& event = log.events()[0];
  EXPECT_EQ(event.kind, EventKind::enter_sliding);
  EXPECT_EQ(event.name, "x > 0");
  EXPECT_EQ(event.direction, -1);
  EXPECT_EQ(event.guarantee, Guarantee::heuristic);
  EXPECT_EQ(event.micro_step, 0U);
  const EventInstant& instant = log.instants()[0];
  EXPECT_TRUE(instant.restarted);
  EXPECT_EQ(instant.sliding_before, LoggedNames{});
  EXPECT_EQ(instant.sliding_after, LoggedNames{"x > 0"});
  ASSERT_EQ(instant.surface_candidates.size(), 1U);
  EXPECT_EQ(instant.surface_candidates[0].text, "a way");
  // What the surface holds has no truth of its own.
  ASSERT_EQ(instant.locks.size(), 1U);
  EXPECT_EQ(instant.locks[0].relation, "y > 0");
}

TEST(SurfaceLog, LessThanATolerancesOntoTheSurfaceIsNoJump) {
  // The tolerance of x is 1e-6 there.
  LoggedInstant near, far;
  EXPECT_TRUE(near.pass({of_x}, {{0, -1}}, 9e-7, 0.5).instants()[0].jumps.empty());
  const EventLog log = far.pass({of_x}, {{0, -1}}, 2e-6, 0.5);
  ASSERT_EQ(log.instants()[0].jumps.size(), 1U);
  EXPECT_EQ(log.instants()[0].jumps[0].variable, "x");
  EXPECT_EQ(log.instants()[0].jumps[0].after, 0.0);
  EXPECT_NEAR(log.instants()[0].jumps[0].in_tolerances, 2.0, 1e-4);
}

TEST(SurfaceLog, AnotherCrossingIsTheCauseOfWhatFollows) {
  LoggedInstant s;
  s.begin_on({of_x}, 0.0, 0.5);
  s.instant.result.n_micro_steps = 3;
  const EventLog log = s.pass({}, {{1, -1}}, 0.0, 0.0);
  ASSERT_EQ(log.events().size(), 2U);
  EXPECT_EQ(log.events()[0].kind, EventKind::state);
  EXPECT_EQ(log.events()[0].name, "y > 0");
  const Event& exit = log.events()[1];
  EXPECT_EQ(exit.kind, EventKind::exit_sliding);
  EXPECT_EQ(exit.name, "x > 0");
  EXPECT_EQ(exit.cause, "y > 0");
  EXPECT_EQ(exit.micro_step, 3U);
  EXPECT_EQ(exit.direction, 0);
  EXPECT_EQ(log.instants()[0].sliding_before, LoggedNames{"x > 0"});
  EXPECT_EQ(log.instants()[0].sliding_after, LoggedNames{});
}

TEST(SurfaceLog, WhatNothingLedToIsTheFirstEvent) {
  LoggedInstant s;
  const EventLog log = s.pass({of_x}, {}, 0.0, 0.5);
  ASSERT_EQ(log.events().size(), 1U);
  EXPECT_EQ(log.events()[0].kind, EventKind::enter_sliding);
  EXPECT_EQ(log.events()[0].micro_step, 0U);
  EXPECT_EQ(log.events()[0].cause, "");
}

TEST(SurfaceLog, AnExitThatCrossedComesFirstAndOnce) {
  LoggedInstant s;
  s.begin_on({of_x}, 0.0, 0.5);
  // Exits follow the two relations: to the + side of x, to its - side.
  const EventLog log = s.pass({of_y}, {{1, -1}, {3, -1, Guarantee::marginal, 0.25}}, 0.0, 0.0);
  ASSERT_EQ(log.events().size(), 2U);
  const Event& exit = log.events()[0];
  EXPECT_EQ(exit.kind, EventKind::exit_sliding);
  EXPECT_EQ(exit.name, "x > 0");
  EXPECT_EQ(exit.direction, -1);
  EXPECT_EQ(exit.guarantee, Guarantee::marginal);
  EXPECT_EQ(exit.time_width, 0.25);
  EXPECT_EQ(log.events()[1].kind, EventKind::enter_sliding);
  EXPECT_EQ(log.events()[1].name, "y > 0");
}

TEST(SurfaceLog, AFurtherSurfaceIsEnteredOnlyItself) {
  LoggedInstant s;
  s.begin_on({of_x}, 0.0, 0.5);
  const EventLog log = s.pass({of_x, of_y}, {{1, -1}}, 0.0, 0.0);
  ASSERT_EQ(log.events().size(), 1U);
  EXPECT_EQ(log.events()[0].kind, EventKind::enter_sliding);
  EXPECT_EQ(log.events()[0].name, "y > 0");
  EXPECT_EQ(log.instants()[0].sliding_before, LoggedNames{"x > 0"});
  EXPECT_EQ(log.instants()[0].sliding_after, (LoggedNames{"x > 0", "y > 0"}));
}

TEST(SurfaceLog, ARelationOfASurfaceThatWasKeptBeforeOnlyCrosses) {
  LoggedInstant s;
  s.begin_on({of_x}, 0.0, 0.5);
  s.here()->on_surfaces->base->kit->board.set_truth(0, false);
  const EventLog log = s.pass({of_x, of_y}, {{0, -1}}, 0.0, 0.0);
  ASSERT_EQ(log.events().size(), 2U);
  EXPECT_EQ(log.events()[0].kind, EventKind::state);
  EXPECT_EQ(log.events()[1].kind, EventKind::enter_sliding);
  EXPECT_EQ(log.events()[1].micro_step, 1U);  // at least
}

TEST(SurfaceLog, WhereNothingHappensNothingIsWritten) {
  LoggedInstant s;
  s.begin_on({of_x}, 0.0, 0.5);
  EXPECT_TRUE(s.pass({of_x}, {}, 0.0, 0.5).instants().empty());
  EXPECT_EQ(s.ground.ledger.counts().n_instants, s.n_logged);
}

}  // namespace
}  // namespace saltus::hybrid_test
