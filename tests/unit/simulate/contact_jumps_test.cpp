// Contacts whose gap, its rate or whose slip velocity jumps.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr double jump_tol = 1e-8;
// Between events all motions are polynomials, which Radau integrates exactly: what is left are times of events.
constexpr double jump_few = 10 * jump_tol;
constexpr double jump_g = 9.81;

RunOptions jump_run(double t_end, EngineKind engine = EngineKind::radau) {
  RunOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = jump_tol;
  options.engine = engine;
  return options;
}

/// A ball on a table that is somewhere.
struct BallOnTable {
  Model m{"ball"};
  Expr y, v;
  explicit BallOnTable(const std::function<Expr(Model&)>& height, double restitution = 0.5,
                       double begin = 0.0) {
    y = m.state("y", begin);
    v = m.state("v", 0.0);
    const Expr force = m.unilateral("table", y - height(m), {.restitution = restitution});
    m.equation(der(y) == v);
    m.equation(der(v) == -jump_g + force);
  }
};

Expr at_rest(Model&) { return {0.0}; }

/// From t = 1 on.
std::function<Expr(Model&)> from_one(const std::function<Expr(const Expr&)>& height) {
  return [height](Model& m) { return where(m.time() > 1.0, height(m.time() - 1.0), Expr(0.0)); };
}

double fallen(double t) { return -0.5 * jump_g * t * t; }

TEST(ContactJumps, ABallFallsWhenItsTableIsLoweredSuddenly) {
  const auto lowered = from_one([](const Expr&) { return Expr(-0.5); });
  const auto as_discrete = [](Model& m) {
    const Expr h = m.discrete("h", 0.0);
    m.when("lower", m.time() > 1.0, {{h, -0.5}});
    return h;
  };
  const auto as_state = [](Model& m) {
    const Expr h = m.state("h", 0.0), w = m.state("w", 0.0);
    m.equation(der(h) == w);
    m.equation(der(w) == 0.0);
    m.when("lower", m.time() > 1.0, {{h, -0.5}});
    return h;
  };
  for (const auto& height :
       {std::function<Expr(Model&)>(lowered), std::function<Expr(Model&)>(as_discrete),
        std::function<Expr(Model&)>(as_state)}) {
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
      BallOnTable ball(height, 0.0);
      const Solution s = simulate(ball.m, jump_run(1.5, engine));
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_NEAR(s.at("y", 1.2), fallen(0.2), 100 * jump_few);
      EXPECT_EQ(s.at("table.closed", 1.2), 0.0);
      ASSERT_EQ(s.event_times("table touches").size(), 1U);
      EXPECT_NEAR(s.event_times("table touches")[0], 1 + std::sqrt(1 / jump_g), 100 * jump_few);
      EXPECT_NEAR(s.final("y"), -0.5, 100 * jump_few);
      EXPECT_EQ(s.final("table.closed"), 1.0);
      EXPECT_FALSE(s.event_times("contacts").empty());
    }
  }
}

/// The same table, lowered without a jump: the ball stays on it as long as it is slower than a fall.
TEST(ContactJumps, ATableThatIsLoweredSmoothlyIsFollowed) {
  const auto height = [](double a) { return from_one([a](const Expr& t) { return -a * t * t; }); };
  BallOnTable slow(height(2.0));
  const Solution follows = simulate(slow.m, jump_run(1.5));
  ASSERT_TRUE(follows.ok()) << follows.report.message;
  EXPECT_NEAR(follows.final("y"), -2.0 * 0.25, jump_few);
  EXPECT_NEAR(follows.final("table.force"), jump_g - 4.0, jump_few);
  EXPECT_EQ(follows.final("table.closed"), 1.0);
  EXPECT_EQ(follows.event_times("contacts").size(), 1U);  // that of the start
  BallOnTable fast(height(20.0));
  const Solution falls = simulate(fast.m, jump_run(1.2));
  ASSERT_TRUE(falls.ok()) << falls.report.message;
  EXPECT_NEAR(falls.final("y"), fallen(0.2), jump_few);
  EXPECT_EQ(falls.event_times("contacts").size(), 2U);
}

/// It is left at rest, touches at t = 1 + 2 / g with a relative velocity of -1, and bounces off with 0.5.
TEST(ContactJumps, ATableThatSinksFromOneInstantOnIsLeft) {
  const auto written = from_one([](const Expr& t) { return -t; });
  const auto as_input = [](Model& m) {
    return m.input("h", table_from_csv("t,h\n0,0\n1,0\n11,-10\n", "t", "h", Interpolation::linear));
  };
  const auto as_state = [](Model& m) {
    const Expr h = m.state("h", 0.0), w = m.state("w", 0.0);
    m.equation(der(h) == w);
    m.equation(der(w) == 0.0);
    m.when("sink", m.time() > 1.0, {{w, -1.0}});
    return h;
  };
  const double meets = 2 / jump_g, since = 0.05;
  for (const auto& height :
       {std::function<Expr(Model&)>(written), std::function<Expr(Model&)>(as_input),
        std::function<Expr(Model&)>(as_state)}) {
    BallOnTable ball(height);
    const Solution s = simulate(ball.m, jump_run(1 + meets + since));
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.at("y", 1.1), fallen(0.1), jump_few);
    ASSERT_EQ(s.event_times("table touches").size(), 1U);
    EXPECT_NEAR(s.event_times("table touches")[0], 1 + meets, jump_few);
    EXPECT_NEAR(s.final("v"), -1 + 0.5 - jump_g * since, jump_few);
    EXPECT_NEAR(s.final("y"), -meets + (-1 + 0.5) * since + fallen(since), jump_few);
  }
}

TEST(ContactJumps, ATableThatRisesFromOneInstantOnStrikes) {
  BallOnTable ball(from_one([](const Expr& t) { return t; }));
  const Solution s = simulate(ball.m, jump_run(1.05));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("v"), 1.5 - jump_g * 0.05, jump_few);
}

TEST(ContactJumps, AKickLiftsABallOrMakesItBounce) {
  for (const double kick : {3.0, -3.0}) {
    BallOnTable ball(at_rest);
    ball.m.when("kick", ball.m.time() > 1.0, {{ball.v, kick}});
    const Solution s = simulate(ball.m, jump_run(1.2));
    ASSERT_TRUE(s.ok()) << s.report.message;
    const double from = kick > 0 ? kick : -0.5 * kick;
    EXPECT_NEAR(s.final("v"), from - jump_g * 0.2, jump_few);
    EXPECT_NEAR(s.final("y"), from * 0.2 + fallen(0.2), jump_few);
    EXPECT_EQ(s.final("table.closed"), 0.0);
  }
}

/// The kick comes at the instant of an impact with 1 m/s, which it replaces.
TEST(ContactJumps, AKickAtTheInstantOfAnImpact) {
  BallOnTable ball(at_rest, 0.5, 0.5 / jump_g);
  ball.m.when("kick", ball.y < 0.0, {{ball.v, 2.0}});
  const Solution s = simulate(ball.m, jump_run(1 / jump_g + 0.1));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("v"), 2 - jump_g * 0.1, jump_few);
}

/// The lower ball is kicked up; the upper one, of the same mass, takes all of it.
TEST(ContactJumps, AKickGoesThroughWhatTouches) {
  Model m("two");
  const Expr y = m.state("y", 0.0), v = m.state("v", 0.0), z = m.state("z", 1.0),
             w = m.state("w", 0.0);
  const Expr below = m.unilateral("floor", y),
             between = m.unilateral("between", z - y - 1.0, {.restitution = 1.0});
  m.equation(der(y) == v);
  m.equation(der(z) == w);
  m.equation(der(v) == -jump_g + below - between);
  m.equation(der(w) == -jump_g + between);
  m.when("kick", m.time() > 1.0, {{v, 3.0}});
  const Solution s = simulate(m, jump_run(1.1));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("w"), 3 - jump_g * 0.1, jump_few);
  EXPECT_NEAR(s.final("y"), 0.0, jump_few);
}

TEST(ContactJumps, BodiesThatWouldOverlapAreRefused) {
  BallOnTable lifted(from_one([](const Expr&) { return Expr(0.1); }));
  const Solution rests = simulate(lifted.m, jump_run(2.0));
  EXPECT_FALSE(rests.ok());
  EXPECT_NE(
      rests.report.message.find(
          "at t = 1 'contacts': the gap of 'table' jumps from 0 to -0.1: bodies would overlap"),
      std::string::npos)
      << rests.report.message;
  BallOnTable flies([](Model& m) { return where(m.time() > 0.2, Expr(3.0), Expr(0.0)); }, 0.5, 1.0);
  const Solution in_flight = simulate(flies.m, jump_run(2.0));
  EXPECT_FALSE(in_flight.ok());
  EXPECT_NE(in_flight.report.message.find("bodies would overlap"), std::string::npos)
      << in_flight.report.message;
  // A table that stays below it does nothing.
  BallOnTable above([](Model& m) { return where(m.time() > 0.2, Expr(0.5), Expr(0.0)); }, 0.5, 1.0);
  const Solution bounces = simulate(above.m, jump_run(0.35));
  ASSERT_TRUE(bounces.ok()) << bounces.report.message;
  EXPECT_NEAR(bounces.event_times("table touches").at(0), std::sqrt(1 / jump_g), jump_few);
}

/// A gap that is made of branches which meet where a state passes 1: located by the tolerance, it does not jump.
TEST(ContactJumps, AKinkAtAnEventOfTheStateIsNoJump) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      Model m("kink");
      const Expr x = m.state("x", 0.0), y = m.state("y", 0.0), v = m.state("v", 0.0);
      m.equation(der(x) == 1.0 + 0.1 * x);
      const Expr beyond = max(x - 1.0, 0.0);
      const Expr force = m.unilateral("ramp", y - 0.1 * beyond * beyond, {.restitution = 0.5});
      m.equation(der(y) == v);
      m.equation(der(v) == -jump_g + force);
      RunOptions options = jump_run(2.0, engine);
      options.rtol = options.atol = tolerance;
      const Solution s = simulate(m, options);
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_EQ(s.final("ramp.closed"), 1.0);
      EXPECT_EQ(s.event_times("contacts").size(), 1U);
      const double x_end = 10 * (std::exp(0.2) - 1);
      EXPECT_NEAR(s.final("y"), 0.1 * (x_end - 1) * (x_end - 1), 1e3 * tolerance);
    }
  }
}

/// A block on a floor that is a belt.
struct BlockOnBelt {
  Model m{"belt"};
  Expr v = m.state("v", 0.0), y = m.state("y", 0.0);
  explicit BlockOnBelt(const std::function<Expr(Model&)>& belt) {
    const Expr u = m.state("u", 0.0);
    const Expr normal = m.unilateral("floor", y);
    const Expr force =
        m.friction("pad", v - belt(m), normal, {.mu_kinetic = 0.2, .mu_static = 0.3});
    m.equation(der(y) == u);
    m.equation(der(u) == -jump_g + normal);
    m.equation(der(v) == force);
  }
};

TEST(ContactJumps, ABeltThatStartsSuddenlyTakesABlockAlong) {
  const auto discrete_belt = [](Model& m) {
    const Expr b = m.discrete("b", 0.0);
    m.when("start", m.time() > 1.0, {{b, 1.0}});
    return b;
  };
  for (const auto& belt : {from_one([](const Expr&) { return Expr(1.0); }),
                           std::function<Expr(Model&)>(discrete_belt)}) {
    BlockOnBelt block(belt);
    const Solution s = simulate(block.m, jump_run(2.0));
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.at("v", 1.3), 0.2 * jump_g * 0.3, jump_few);
    EXPECT_EQ(s.at("pad.sticks", 1.3), 0.0);
    ASSERT_EQ(s.event_times("pad stops slipping").size(), 1U);
    EXPECT_NEAR(s.event_times("pad stops slipping")[0], 1 + 1 / (0.2 * jump_g), jump_few);
    EXPECT_NEAR(s.final("v"), 1.0, jump_few);
    EXPECT_EQ(s.final("pad.sticks"), 1.0);
  }
}

TEST(ContactJumps, AKickMakesABlockSlip) {
  for (const double kick : {1.0, -1.0}) {
    BlockOnBelt block(at_rest);
    block.m.when("kick", block.m.time() > 1.0, {{block.v, kick}});
    const Solution s = simulate(block.m, jump_run(1.3));
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("v"), kick * (1 - 0.2 * jump_g * 0.3), jump_few);
  }
}

/// Slips backward on a belt of 1 m/s until the belt turns at t = 0.2, and slips forward from there on.
TEST(ContactJumps, ABeltThatTurnsTurnsTheSlip) {
  BlockOnBelt block([](Model& m) { return where(m.time() > 0.2, Expr(-1.0), Expr(1.0)); });
  const Solution s = simulate(block.m, jump_run(0.5));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.at("v", 0.2), 0.2 * jump_g * 0.2, jump_few);
  EXPECT_NEAR(s.final("v"), 0.2 * jump_g * (0.2 - 0.3), jump_few);
}

/// The floor sinks away and the belt starts at the same instant: in flight nothing rubs.
TEST(ContactJumps, AGapAndASlipThatJumpTogether) {
  BlockOnBelt block(from_one([](const Expr&) { return Expr(1.0); }));
  block.m.when("lift", block.m.time() > 1.0, {{block.y, 0.1}});
  const Solution s = simulate(block.m, jump_run(1.1));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("v"), 0.0, jump_few);
  EXPECT_NEAR(s.final("y"), 0.1 + fallen(0.1), jump_few);
}

TEST(ContactJumps, ALogTellsWhatJumped) {
  BallOnTable ball(from_one([](const Expr&) { return Expr(-0.5); }));
  const Solution s = simulate(ball.m, jump_run(1.1));
  ASSERT_TRUE(s.ok()) << s.report.message;
  bool told = false;
  for (const Event& e : s.events()) {
    if (e.name != "contacts" || e.t != 1.0) continue;
    told = s.explain(e).find("Note: the gap of 'table' jumps from 0 to 0.5") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

TEST(ContactJumps, ANegativeGapAtTheStartIsRefused) {
  for (const double velocity : {0.0, -1.0, 1.0}) {
    Model m("ball");
    const Expr y = m.state("y", -0.5), v = m.state("v", velocity);
    const Expr force = m.unilateral("floor", y, {.restitution = 0.5});
    m.equation(der(y) == v);
    m.equation(der(v) == -jump_g + force);
    const Solution s = simulate(m, jump_run(1.0));
    EXPECT_FALSE(s.ok());
    EXPECT_NE(s.report.message.find("contact 'floor' begins with a gap of -0.5"), std::string::npos)
        << s.report.message;
  }
}

}  // namespace
}  // namespace saltus
