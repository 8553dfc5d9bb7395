// Motion on surfaces that is simple must be cheap, and surfaces may be taken elsewhere under it.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

constexpr double motion_tolerance = 1e-8;
constexpr EngineKind motion_engines[] = {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                         EngineKind::ida};

RunOptions motion_options(double t_end, EngineKind engine) {
  return {.t_end = t_end, .rtol = motion_tolerance, .atol = motion_tolerance, .engine = engine};
}
double motion_error(EngineKind engine) {
  return (engine == EngineKind::ida ? 5000 : 300) * motion_tolerance;
}

/// At rest until the pull exceeds 1, at t = 2.5: x = 0.2 (t - 2.5)^2 from there on. The error of a step at rest is
/// nothing at all, and no reason to make it shorter.
TEST(SlidingMotion, ABlockAtRestTakesFewSteps) {
  for (const EngineKind engine : motion_engines) {
    Model m("block");
    Expr x = m.state("x", 0.0);
    m.equation(der(x) == -sign(x) + 0.4 * m.time());
    const Solution s = simulate(m, motion_options(5.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_NEAR(s.final("x"), 1.25, motion_error(engine)) << name(engine);
    EXPECT_LE(s.trajectory.n_steps(), engine == EngineKind::ida ? 100u : 20u) << name(engine);
  }
}

TEST(SlidingMotion, TwoRelaysAtRestBeginAtTheOrigin) {
  for (const EngineKind engine : motion_engines) {
    Model m("two relays");
    Expr x = m.state("x", 0.0), y = m.state("y", 0.0), a = sign(x), b = sign(y);
    m.equation(der(x) == -a + 0.5 * b + 0.4 * m.time());
    m.equation(der(y) == -b + 0.3 * a);
    const Solution s = simulate(m, motion_options(2.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_EQ(s.final("x"), 0.0) << name(engine);
    EXPECT_EQ(s.final("y"), 0.0) << name(engine);
    EXPECT_LE(s.trajectory.n_steps(), 50u) << name(engine);
  }
}

/// However fast the sides are, what is left of them on the surface is slow.
TEST(SlidingMotion, FastSidesMakeNoShortSteps) {
  for (const EngineKind engine : motion_engines) {
    for (const double speed : {1e2, 1e4}) {
      Model m("fast relay");
      Expr x = m.state("x", 0.0);
      m.equation(der(x) == speed * (-2.0 * sign(x) + cos(m.time())));
      const Solution s = simulate(m, motion_options(1.0, engine));
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      EXPECT_LE(s.trajectory.n_steps(), 100u) << name(engine) << " " << speed;
    }
  }
}

/// The surface x = w jumps away at t = 1: x stays where it was, and goes after it.
TEST(SlidingMotion, AnInputThatMovesTheSurfaceDoesNotMoveTheState) {
  for (const EngineKind engine : motion_engines) {
    Model m("follower");
    Expr x = m.state("x", 0.5);
    const std::array<double, 2> times{0.0, 1.0}, values{0.0, 0.5};
    Expr w = m.input("w", table(times, values, Interpolation::step));
    m.equation(der(x) == -sign(x - w));
    const Solution s = simulate(m, motion_options(2.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_NEAR(s.at("x", 0.75), 0.0, 1e-14) << name(engine);
    EXPECT_NEAR(s.at("x", 1.0, Side::right), 0.0, 1e-14) << name(engine);
    EXPECT_NEAR(s.at("x", 1.25), 0.25, motion_error(engine)) << name(engine);
    EXPECT_NEAR(s.final("x"), 0.5, motion_error(engine)) << name(engine);
  }
}

}  // namespace
}  // namespace saltus
