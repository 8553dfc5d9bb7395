// Relations that matter on one side of a surface only, while the solution slides on it.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

constexpr double one_sided_tolerance = 1e-8;

struct OneSidedEngine {
  EngineKind kind;
  double error;  // multiples of the tolerance; multistep formulas start anew after each event
};

const std::vector<OneSidedEngine> one_sided_engines = {{EngineKind::dopri5, 300},
                                                       {EngineKind::dop853, 300},
                                                       {EngineKind::radau, 300},
                                                       {EngineKind::ida, 5000}};

Solution one_sided_run(const Model& m, EngineKind engine) {
  RunOptions o = {
      .t_end = 4.0, .rtol = one_sided_tolerance, .atol = one_sided_tolerance, .engine = engine};
  o.limits.max_events = 50;
  return simulate(m, o);
}

enum class InnerSide { positive, negative };

/// x' = f leads to x = 0 from both sides; y = t - 1/2; q' = f^2, which on the surface, where the mean of f
/// vanishes, is |f| of the side of `inner` times 1 of the other one.
void write_nested(Model& m, InnerSide side, double x0, double y0, bool has_kink) {
  Expr x = m.state("x", x0), y = m.state("y", y0), q = m.state("q", 0.0);
  Expr inner = has_kink ? max(Expr(1.0), 2.0 - 2.0 * y) : where(y > 0.0, Expr(1.0), Expr(2.0));
  Expr f = side == InnerSide::positive ? where(x > 0.0, -inner, Expr(1.0))
                                       : where(x < 0.0, inner, Expr(-1.0));
  m.output("square", f * f);
  m.equation(der(x) == f);
  m.equation(der(y) == Expr(1.0));
  m.equation(der(q) == f * f);
}

TEST(SlidingOneSided, ARelationOfOneSideSwitchesTheMotionOnTheSurface) {
  for (const OneSidedEngine& engine : one_sided_engines) {
    for (const InnerSide side : {InnerSide::positive, InnerSide::negative}) {
      const double towards = side == InnerSide::positive ? 1.0 : -1.0;
      const auto final_q = [&](double x0) {
        Model m("nested");
        write_nested(m, side, towards * x0, -0.5, false);
        const Solution s = one_sided_run(m, engine.kind);
        EXPECT_TRUE(s.ok()) << s.report.message;
        EXPECT_EQ(s.events().size(), 2U) << to_text(s.event_log);
        if (!s.ok()) return std::nan("");
        // What is shown on the surface is the same mixture.
        EXPECT_NEAR(s.at("square", 0.45), 2.0, engine.error * one_sided_tolerance);
        EXPECT_NEAR(s.at("square", 2.0), 1.0, engine.error * one_sided_tolerance);
        return s.final("q");
      };
      // From the side of the inner relation: 4 for 0.2, 2 until t = 0.5, 1 from then on.
      EXPECT_NEAR(final_q(0.4), 4.9, engine.error * one_sided_tolerance);
      // From the other side, where its truth was never asked: 1 for 0.4, 2 until t = 0.5, then 1.
      EXPECT_NEAR(final_q(-0.4), 4.1, engine.error * one_sided_tolerance);
    }
  }
}

TEST(SlidingOneSided, TruthsOfTheOtherSideAreTakenFromThePoint) {
  // y > 0 holds from the start, and is first asked on the surface.
  for (const OneSidedEngine& engine : one_sided_engines) {
    Model m("late");
    write_nested(m, InnerSide::positive, -0.4, 0.5, false);
    const Solution s = one_sided_run(m, engine.kind);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("q"), 4.0, engine.error * one_sided_tolerance);
  }
}

TEST(SlidingOneSided, AKinkOfOneSideIsMet) {
  // a = 3 - 2 t until t = 1, then 1: q' = a^2 until x = 0.4 - 3 t + t^2 vanishes, then a.
  const double a = std::sqrt(7.4);
  const double from_inner = (27.0 - a * a * a) / 6.0 + 1.6 + 3.0;
  // q' = 1 until t = 0.4, then a.
  const double from_other = 0.4 + (2.0 - 1.04) + 3.0;
  for (const OneSidedEngine& engine : one_sided_engines) {
    for (const InnerSide side : {InnerSide::positive, InnerSide::negative}) {
      const double towards = side == InnerSide::positive ? 1.0 : -1.0;
      for (const bool begins_inside : {true, false}) {
        Model m("kink");
        write_nested(m, side, (begins_inside ? 0.4 : -0.4) * towards, -0.5, true);
        const Solution s = one_sided_run(m, engine.kind);
        ASSERT_TRUE(s.ok()) << s.report.message;
        EXPECT_NEAR(s.final("q"), begins_inside ? from_inner : from_other,
                    engine.error * one_sided_tolerance);
      }
    }
  }
}

TEST(SlidingOneSided, ASurfaceOfOneSideIsKeptAsWell) {
  // On x = 0, y' is the mean of 0.2 and -1 above y = 0, of 0.2 and 1 below: both lead to y = 0.
  for (const OneSidedEngine& engine : one_sided_engines) {
    for (const double x0 : {0.1, -0.1}) {
      Model m("corner of one side");
      Expr x = m.state("x", x0), y = m.state("y", 0.5);
      m.equation(der(x) == -sign(x));
      m.equation(der(y) == where(x > 0.0, -sign(y), Expr(0.2)));
      const Solution s = one_sided_run(m, engine.kind);
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_NEAR(s.final("x"), 0.0, engine.error * one_sided_tolerance);
      EXPECT_NEAR(s.final("y"), 0.0, engine.error * one_sided_tolerance);
      ASSERT_EQ(s.events().size(), 2U) << to_text(s.event_log);
      // y = 0.4 or 0.52 where x = 0 is reached at t = 0.1, and then falls by 0.4.
      EXPECT_NEAR(s.events()[1].t, x0 > 0 ? 1.1 : 1.4, engine.error * one_sided_tolerance);
    }
  }
}

TEST(SlidingOneSided, ARelationOfOneOfFourSidesSwitchesTheMotionOnBothSurfaces) {
  for (const OneSidedEngine& engine : one_sided_engines) {
    Model m("one of four");
    Expr x = m.state("x", -0.2), y = m.state("y", -0.3), z = m.state("z", -1.5);
    Expr q = m.state("q", 0.0);
    m.equation(der(x) == where(x > 0.0, Expr(-1.0), Expr(1.0)));
    m.equation(der(y) == where(y > 0.0, Expr(-1.0), Expr(1.0)));
    m.equation(der(z) == Expr(1.0));
    Expr inner = where(z > 0.0, Expr(8.0), Expr(4.0));
    m.equation(der(q) == where(x > 0.0, where(y > 0.0, inner, Expr(0.0)), Expr(0.0)));
    const Solution s = one_sided_run(m, engine.kind);
    ASSERT_TRUE(s.ok()) << s.report.message;
    // A quarter of it, from t = 0.3 where both surfaces are reached.
    EXPECT_NEAR(s.final("q"), 1.2 + 2 * 2.5, engine.error * one_sided_tolerance);
  }
}

TEST(SlidingOneSided, ARelationOfOneSideEndsTheMotionOnTheSurface) {
  for (const OneSidedEngine& engine : one_sided_engines) {
    Model m("let go");
    Expr x = m.state("x", -0.2), z = m.state("z", -1.5);
    m.equation(der(x) == where(x > 0.0, where(z > 0.0, Expr(2.0), Expr(-1.0)), Expr(1.0)));
    m.equation(der(z) == Expr(1.0));
    const Solution s = one_sided_run(m, engine.kind);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("x"), 5.0, engine.error * one_sided_tolerance);
  }
}

TEST(SlidingOneSided, AResetOnTheSurfaceDecidesTheRelationAnew) {
  // At t = 1 y is set below zero again: 2 until it is back there, at t = 1.25.
  for (const OneSidedEngine& engine : one_sided_engines) {
    Model m("reset");
    Expr x = m.state("x", 0.4), y = m.state("y", -0.5), q = m.state("q", 0.0);
    Expr f = where(x > 0.0, where(y > 0.0, Expr(-1.0), Expr(-2.0)), Expr(1.0));
    m.equation(der(x) == f);
    m.equation(der(y) == Expr(1.0));
    m.equation(der(q) == f * f);
    m.when("reset", m.time() >= 1.0, {{y, Expr(-0.25)}});
    const Solution s = one_sided_run(m, engine.kind);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("q"), 4.9 + 0.25, engine.error * one_sided_tolerance);
  }
}

}  // namespace
}  // namespace saltus
