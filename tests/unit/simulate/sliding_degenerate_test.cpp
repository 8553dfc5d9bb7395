// Surfaces that are hardly two, or hardly one; ends of sliding that nothing decides; and advice that has to work.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

constexpr double degenerate_tolerance = 1e-8;
constexpr EngineKind engines_at_surfaces[] = {EngineKind::dopri5, EngineKind::dop853,
                                              EngineKind::radau, EngineKind::ida};
/// Global errors of these short runs, as for other runs with events: 300 tolerances, 5000 on ida.
double degenerate_error(EngineKind engine) {
  return (engine == EngineKind::ida ? 5000 : 300) * degenerate_tolerance;
}

RunOptions degenerate_options(double t_end, EngineKind engine) {
  RunOptions o = {
      .t_end = t_end, .rtol = degenerate_tolerance, .atol = degenerate_tolerance, .engine = engine};
  o.limits.max_events = 500;
  return o;
}

bool says_all(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (text.find(word) == std::string::npos) return false;
  }
  return true;
}

// ---- two surfaces that nearly coincide --------------------------------------------------------------------

/// Three layers of x, the middle one `width` thick, in which y' is 0, 10 and 3. Sliding between the first two is
/// y' = 20/3, between the first and the last 1.
Solution run_layers(EngineKind engine, double width, bool is_nested) {
  Model m("layers");
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0);
  const auto layers = [&](double above, double between, double below) {
    if (is_nested)
      return where(x > 0.0, Expr(above), where(x > -width, Expr(between), Expr(below)));
    return where(x > 0.0, Expr(above), Expr(between)) +
           where(x > -width, Expr(0.0), Expr(below - between));
  };
  m.equation(der(x) == layers(-1.0, 0.5, 2.0));
  m.equation(der(y) == layers(0.0, 10.0, 3.0));
  return simulate(m, degenerate_options(3.0, engine));
}

TEST(SurfacesThatNearlyCoincide, AHiddenOneIsDecidedOnTheSurfaceThatHidesIt) {
  for (const EngineKind engine : engines_at_surfaces) {
    for (const double width : {1e-15, 1e-12, 1e-9, 1e-6}) {
      const Solution s = run_layers(engine, width, true);
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      EXPECT_NEAR(s.final("y"), 40.0 / 3.0, 10 * degenerate_error(engine))
          << name(engine) << " " << width;
    }
  }
}

TEST(SurfacesThatNearlyCoincide, ThoseThatAreTakenForOneAreNamed) {
  for (const EngineKind engine : engines_at_surfaces) {
    for (const double width : {1e-13, 1e-12, 1e-11, 1e-9, 1e-6}) {
      const Solution s = run_layers(engine, width, false);
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      bool is_said = false;
      for (const std::string& w : s.report.warnings)
        is_said = is_said || says_all(w, {"'x > 0'", "'x > -", "are treated as one", "apart"});
      const bool is_right = std::abs(s.final("y") - 40.0 / 3.0) < 10 * degenerate_error(engine);
      EXPECT_NE(is_right, is_said) << name(engine) << " " << width << ": " << s.final("y");
      if (width > 1e-8) {
        EXPECT_TRUE(is_right) << name(engine) << " " << width;
      }
    }
  }
}

TEST(SurfacesThatNearlyCoincide, TheSameOneWrittenTwiceIsNoNews) {
  for (const EngineKind engine : engines_at_surfaces) {
    Model m("twice");
    Expr x = m.state("x", 6.0), y = m.state("y", 0.0), at = m.parameter("at", 5.0);
    m.equation(der(x) == where(x - at > 0.0, Expr(-1.0), Expr(1.0)));
    m.equation(der(y) == where(3.0 * x - 3.0 * at > 0.0, Expr(1.0), Expr(-2.0)));
    const Solution s = simulate(m, degenerate_options(3.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_NEAR(s.final("y"), 0.0, degenerate_error(engine)) << name(engine);
    for (const std::string& w : s.report.warnings)
      EXPECT_EQ(w.find("treated as one"), std::string::npos) << w;
  }
}

// ---- functions whose gradient vanishes --------------------------------------------------------------------

TEST(FunctionsWithoutSlope, FollowARelationWithTheSameSurface) {
  for (const EngineKind engine : engines_at_surfaces) {
    for (const bool is_cube_first : {false, true}) {
      for (const double sign : {1.0, -1.0}) {
        Model m("twice");
        Expr v = m.state("v", 1.0), y = m.state("y", 0.0);
        const Expr cube = sign * v * v * v;
        const auto of_v = [&](double plus, double minus) {
          return where(v > 0.0, Expr(plus), Expr(minus));
        };
        const auto of_cube = [&](double plus, double minus) {
          return where(cube > 0.0, Expr(sign > 0 ? plus : minus), Expr(sign > 0 ? minus : plus));
        };
        m.equation(der(v) == (is_cube_first ? of_cube(-1.0, 1.0) : of_v(-1.0, 1.0)));
        m.equation(der(y) == (is_cube_first ? of_v(1.0, -2.0) : of_cube(1.0, -2.0)));
        const Solution s = simulate(m, degenerate_options(3.0, engine));
        ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
        // 1 s at 1, then half of 1 - 2 for 2 s.
        EXPECT_NEAR(s.final("y"), 0.0, degenerate_error(engine)) << name(engine);
        ASSERT_FALSE(s.trajectory.segments().empty());
        EXPECT_EQ(s.trajectory.segments().back().sliding, std::vector<std::string>{"v > 0"});
      }
    }
  }
}

TEST(FunctionsWithoutSlope, AreRefusedByNameWhereOnlyTheyWouldHold) {
  for (const EngineKind engine : engines_at_surfaces) {
    const auto run = [&](bool is_cube) {
      Model m("cube");
      Expr v = m.state("v", 1.0);
      m.equation(der(v) == where((is_cube ? v * v * v : v) > 0.0, Expr(-1.0), Expr(1.0)));
      return simulate(m, degenerate_options(3.0, engine));
    };
    const Solution s = run(true);
    ASSERT_FALSE(s.ok()) << name(engine);
    EXPECT_TRUE(says_all(s.report.message, {"on the surface of 'v*v^2 > 0'", "gradient", "vanishes",
                                            "events.hysteresis", "t = 1"}))
        << s.report.message;
    EXPECT_TRUE(run(false).ok()) << name(engine);
  }
}

TEST(FunctionsWithoutSlope, AreCrossed) {
  for (const EngineKind engine : engines_at_surfaces) {
    Model m("cube");
    Expr v = m.state("v", 1.0);
    m.equation(der(v) == where(v * v * v > 0.0, Expr(-1.0), Expr(-2.0)));
    const Solution s = simulate(m, degenerate_options(3.0, engine));
    ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
    EXPECT_NEAR(s.final("v"), -4.0, degenerate_error(engine)) << name(engine);
  }
}

// ---- ends of sliding --------------------------------------------------------------------------------------

/// Slides on z = 0 until both sides move along it, at t = 1.
void write_two_fold(Model& m) {
  Expr x = m.state("x", 1.0), y = m.state("y", 1.0), z = m.state("z", 0.2);
  m.equation(der(x) == -1.0);
  m.equation(der(y) == -1.0);
  m.equation("normal", der(z) == where(z > 0.0, -x, y));
}

TEST(TwoFolds, AreNamedByTheirSurface) {
  for (const EngineKind engine : engines_at_surfaces) {
    Model m("two-fold");
    write_two_fold(m);
    const Solution s = simulate(m, degenerate_options(3.0, engine));
    ASSERT_FALSE(s.ok()) << name(engine);
    const std::string& text = s.report.message;
    EXPECT_TRUE(says_all(text, {"t = ", "the surface of 'z > 0' ceases to attract", "two-fold",
                                "not unique", "events.hysteresis", ".at_sliding"}))
        << text;
    for (const char* word : {"could not be evaluated", "'normal'", "no step is short enough"})
      EXPECT_EQ(text.find(word), std::string::npos) << text;
    EXPECT_NEAR(s.t_end(), 1.0, degenerate_error(engine)) << name(engine);
  }
}

TEST(TwoFolds, WhatIsAdvisedWorks) {
  for (const EngineKind engine : engines_at_surfaces) {
    Model m("two-fold");
    write_two_fold(m);
    RunOptions o = degenerate_options(1.5, engine);
    o.events.hysteresis = {{"z > 0", 0.01}};
    const Solution s = simulate(m, o);
    EXPECT_TRUE(s.ok()) << name(engine) << s.report.message;
  }
}

// ---- starts that lead away --------------------------------------------------------------------------------

TEST(RepulsiveStarts, AdviseWhatDecides) {
  for (const EngineKind engine : engines_at_surfaces) {
    const auto run = [&](double start, bool is_set) {
      Model m("ridge");
      Expr x = m.state("x", is_set ? 1.0 : start);
      m.equation(der(x) == sign(x));
      if (is_set) m.when("put", m.time() > 0.5, {{x, start}});
      return simulate(m, degenerate_options(1.0, engine));
    };
    const Solution on = run(0.0, false), set = run(0.0, true);
    ASSERT_FALSE(on.ok()) << name(engine);
    EXPECT_TRUE(says_all(on.report.message, {"'x > 0'", "start beside the surface"}))
        << on.report.message;
    ASSERT_FALSE(set.ok()) << name(engine);
    EXPECT_TRUE(says_all(set.report.message, {"'x > 0'", "set a value beside the surface"}))
        << set.report.message;
    for (const Solution* s : {&on, &set})
      EXPECT_EQ(s->report.message.find("hysteresis"), std::string::npos) << s->report.message;
    for (const double side : {-1e-6, 1e-6}) {
      const Solution beside = run(side, false), put = run(side, true);
      ASSERT_TRUE(beside.ok()) << name(engine) << beside.report.message;
      EXPECT_NEAR(beside.final("x"), side + (side > 0 ? 1.0 : -1.0), degenerate_error(engine));
      ASSERT_TRUE(put.ok()) << name(engine) << put.report.message;
      EXPECT_NEAR(put.final("x"), side + (side > 0 ? 0.5 : -0.5), degenerate_error(engine));
    }
  }
}

// ---- relations that matter behind a surface only --------------------------------------------------------------

// z + s == x has no solution beyond x = 1 on either side of z = 0; there constraints are blended, z = 0, until the
// mixture is all -1. What holds where z < 0 changes at the very instant, in a relation that does not matter before.
TEST(SidesThatDiffer, ARelationBehindTheSurfaceMayChangeAtTheSameInstant) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    for (const bool is_changed : {true, false}) {
      Model m("threshold");
      Expr x = m.state("x", 2.0), z = m.algebraic("z", {.guess = 1.0});
      m.equation(der(x) == -1.0);
      const Expr behind =
          where(x < 1.0, Expr(is_changed ? -1.0 : -3.0), Expr(is_changed ? -3.0 : -1.0));
      m.equation(z + where(z > 0.0, Expr(1.0), behind) == x);
      RunOptions o = degenerate_options(4.0, engine);
      o.events.sliding_field = SlidingField::blended;
      const Solution s = simulate(m, o);
      ASSERT_TRUE(s.ok()) << name(engine) << s.report.message;
      // All of it at x = -1, or not before x = -3.
      const std::vector<double> exits = s.event_times("z > 0", EventKind::exit_sliding);
      ASSERT_EQ(exits.size(), is_changed ? 1U : 0U) << name(engine) << to_text(s.event_log);
      if (is_changed) {
        EXPECT_NEAR(exits[0], 3.0, degenerate_error(engine)) << name(engine);
      }
      EXPECT_NEAR(s.final("z"), is_changed ? -1.0 : 0.0, degenerate_error(engine)) << name(engine);
    }
  }
}

}  // namespace
}  // namespace saltus
