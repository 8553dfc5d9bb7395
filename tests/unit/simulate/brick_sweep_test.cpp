// Bricks dropped in many ways come to rest.
#include "problems/brick_sweep.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace saltus::problems {
namespace {

constexpr double bricks_tol = 1e-6;

struct BricksCount {
  int n = 0, n_at_rest = 0;
  std::string refusals;
};

/// What is at rest has not gone through anything, and nothing has gained energy; also where a run has ended.
BricksCount drop_all(std::uint32_t from, std::uint32_t to, EngineKind engine) {
  BricksCount count;
  for (std::uint32_t number = from; number < to; ++number) {
    const BricksEnd end = drop_bricks(swept_bricks(number), bricks_tol, engine);
    ++count.n;
    count.n_at_rest += end.at_rest ? 1 : 0;
    if (!end.at_rest) count.refusals += std::to_string(number) + ": " + end.message + "\n";
    EXPECT_LE(end.depth, 300 * bricks_tol) << number;
    EXPECT_LE(end.gain, 300 * bricks_tol) << number;
    EXPECT_TRUE(end.at_rest || !end.ok) << number << " moves on";
  }
  return count;
}

TEST(BrickSweep, BricksStacksAndPyramidsComeToRest) {
  const BricksCount count = drop_all(0, 20, EngineKind::radau);
  EXPECT_GE(count.n_at_rest, 18) << count.refusals;  // nine in ten
}
TEST(BrickSweep, OnIdaTheyDoAsWell) {
  const BricksCount count = drop_all(0, 10, EngineKind::ida);
  EXPECT_GE(count.n_at_rest, 9) << count.refusals;
}

/// SALTUS_SWEPT_BRICKS: how many.
TEST(SlowBrickSweep, NineInTenComeToRest) {
  const char* text = std::getenv("SALTUS_SWEPT_BRICKS");
  const auto n = static_cast<std::uint32_t>(text != nullptr ? std::atoi(text) : 160);
  const BricksCount count = drop_all(0, n, EngineKind::radau);
  EXPECT_GE(count.n_at_rest, 0.9 * count.n) << count.refusals;
}

/// The pile of ten with other tilts and pushes than those of its own test.
TEST(SlowBrickSweep, ThePileComesToRestHoweverItIsPushed) {
  for (const double tilt : {0.0, 0.01, 0.02, 0.03, 0.05}) {
    for (const double push : {0.0, 0.1, 0.2}) {
      SweptBricks c;
      c.pile.tilt = tilt;
      c.pile.push = push;
      c.t_end = 3.0;
      const BricksEnd end = drop_bricks(c, bricks_tol);
      EXPECT_TRUE(end.at_rest) << tilt << ", " << push << ": " << end.message;
      EXPECT_LE(end.depth, 300 * bricks_tol);
      EXPECT_LE(end.gain, 300 * bricks_tol);
    }
  }
}

// Twins: what moves is seen to move.
TEST(BrickSweepTwin, WithoutFrictionABrickMovesOn) {
  SweptBricks c = swept_bricks(0);
  c.pile.mu = 0.0;
  c.pile.mu_static = std::nullopt;
  c.pile.push = 0.5;
  const BricksEnd end = drop_bricks(c, bricks_tol);
  EXPECT_TRUE(end.ok) << end.message;
  EXPECT_FALSE(end.at_rest);
}
TEST(BrickSweepTwin, ABrickThatTopplesDoesNotRest) {
  SweptBricks c = swept_bricks(0);  // only its lower corners are feet
  c.pile.height = 1.2;
  c.pile.spin = 12.0;
  c.t_end = 1.0;
  const BricksEnd end = drop_bricks(c, bricks_tol);
  EXPECT_FALSE(end.at_rest);
}

/// A brick that is higher than wide rocks from foot to foot, ever faster, without any restitution.
TEST(BrickSweep, ABrickThatRocksComesToRestAtALimit) {
  SweptBricks c;
  c.pile.is_stack = true;
  c.pile.n_rows = 1;
  c.pile.height = 1.1;
  c.pile.tilt = 0.2;
  c.pile.push = 0.0;
  c.pile.mu = 0.8;
  c.pile.drop = 0.45 * 0.2 + 0.02;
  const BricksEnd end = drop_bricks(c, 1e-8);
  EXPECT_TRUE(end.at_rest) << end.message;
  EXPECT_GE(end.n_events, 6U);
}

}  // namespace
}  // namespace saltus::problems
