// Balls that bounce against drag and friction: relations of the velocity switch at the top of each hop, and end with the
// bounces.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

struct DraggedBall {
  double restitution, drag, friction, height, frequency;
};

DraggedBall random_ball(std::mt19937& random) {
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  DraggedBall ball{};
  ball.restitution = uniform(0.2, 0.8);
  ball.drag = random() % 2 == 0 ? 0.0 : uniform(0.0, 0.5);
  ball.friction = random() % 2 == 0 ? 0.0 : uniform(0.0, 3.0);
  ball.height = uniform(0.2, 2.0);
  ball.frequency = uniform(1.0, 30.0);
  return ball;
}

class Drag : public testing::TestWithParam<EngineKind> {};

TEST_P(Drag, BallsComeToRest) {
  std::mt19937 random(8);
  for (int i = 0; i < 60; ++i) {
    const DraggedBall with = random_ball(random);
    RunOptions options;
    options.engine = GetParam();
    options.rtol = options.atol = i % 3 == 0 ? 1e-6 : i % 3 == 1 ? 1e-8 : 1e-10;
    options.t_end = 8.0;
    options.limits.max_events = 20000;
    Model m("ball");
    const Expr y = m.state("y", with.height), v = m.state("v", 0.0);
    const Expr floor = m.unilateral("floor", y, {.restitution = with.restitution});
    m.equation(der(y) == v);
    m.equation(der(v) == floor - 9.81 - with.drag * v * abs(v) -
                             where(v > 0.0, Expr(with.friction), Expr(-with.friction)));
    if (i % 4 == 0) {
      // Something else goes on beside it, with events of its own.
      const Expr q = m.state("q", 1.0), p = m.state("p", 0.0);
      m.equation(der(q) == p);
      m.equation(der(p) == -with.frequency * with.frequency * q - where(q > 0.2, 1.0, 0.0));
    }
    const Solution s = simulate(m, options);
    const std::string which = "ball " + std::to_string(i) + ": " + s.report.message;
    ASSERT_TRUE(s.ok()) << which;
    EXPECT_EQ(s.final("floor.closed"), 1.0) << which;
    EXPECT_NEAR(s.final("v"), 0.0, options.atol) << which;
    double lowest = 0.0;
    for (const EventInstant& instant : s.instants())
      lowest = std::min(lowest, s.at("y", instant.t));
    // A hop that cannot be told from none may end twice as far below as it began, and a series ends after four of them.
    EXPECT_GT(lowest, -20 * options.atol) << which;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Drag, testing::Values(EngineKind::radau, EngineKind::ida),
                         [](const auto& each) {
                           return each.param == EngineKind::radau ? "radau" : "ida";
                         });

}  // namespace
}  // namespace saltus
