// Derivatives where the solution is on a surface without having come through it, and through events while it moves on one:
// closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind engines_on_surfaces[] = {EngineKind::dopri5, EngineKind::dop853,
                                              EngineKind::radau, EngineKind::ida};
constexpr double tolerance_on_surfaces = 1e-8;

Solution run_on_surfaces(Model& m, EngineKind engine, std::vector<std::string> with_respect_to) {
  RunOptions o;
  o.t_end = 3.0;
  o.rtol = o.atol = tolerance_on_surfaces;
  o.engine = engine;
  o.sensitivities = std::move(with_respect_to);
  return simulate(m, o);
}

/// 100 tolerances: these are sums of a few terms of the size of one.
void expect_at_end(const Solution& s, const char* variable, const char* parameter, double exact,
                   EngineKind engine = EngineKind::automatic) {
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_FALSE(s.sensitivities.ends()) << name(engine) << " " << s.sensitivities.ends()->why;
  EXPECT_NEAR(s.sensitivity(variable, parameter, 3.0, Side::left), exact,
              100 * tolerance_on_surfaces)
      << variable << " " << parameter << " " << name(engine);
}

/// v' = -1 above b and 3 below, z' = 3 and 1: S+ = S - (f+ - f-) (g_x S + g_p) / (g_x (f+ - f-)).
void write_attractor(Model& m, double v_begin, double b_value) {
  const Expr v = m.state("v", v_begin), z = m.state("z", 0.0), b = m.parameter("b", b_value);
  m.equation(der(v) == 1.0 + where(v > b, -2.0, 2.0));
  m.equation(der(z) == where(v > b, 3.0, 1.0));
}

TEST(DerivativesOnSurfaces, BeginWhereTheRunBeginsOnOne) {
  for (const EngineKind engine : engines_on_surfaces) {
    Model m("begins on a surface");
    write_attractor(m, 0.5, 0.5);
    const Solution s = run_on_surfaces(m, engine, {"v", "b"});
    expect_at_end(s, "v", "v", 0.0, engine);
    expect_at_end(s, "z", "v", 0.5, engine);
    expect_at_end(s, "v", "b", 1.0, engine);
    expect_at_end(s, "z", "b", -0.5, engine);
    EXPECT_TRUE(s.sensitivities.event_times().empty());
  }
}

/// Beside the surface the entry is an event, and derivatives are the same.
TEST(DerivativesOnSurfaces, AreThoseOfRunsThatBeginBeside) {
  for (const double beside : {-1e-3, 1e-3}) {
    Model m("begins beside a surface");
    write_attractor(m, 0.5 + beside, 0.5);
    const Solution s = run_on_surfaces(m, EngineKind::radau, {"v", "b"});
    expect_at_end(s, "z", "v", 0.5);
    expect_at_end(s, "z", "b", -0.5);
    EXPECT_EQ(s.sensitivities.event_times().size(), 1U);
  }
}

TEST(DerivativesOnSurfaces, BeginWhereAnActionSetsAStateOntoOne) {
  for (const EngineKind engine : engines_on_surfaces) {
    Model m("set onto a surface");
    const Expr v = m.state("v", 1.0), z = m.state("z", 0.0), b = m.parameter("b", 0.2),
               c = m.parameter("c", 1.0);
    m.equation(der(v) == where(v > b, -1.0, 1.5));
    m.equation(der(z) == where(v > b, 3.0, 1.0));
    m.when("go", m.time() > 0.3 * c, {{v, 0.2}});
    const Solution s = run_on_surfaces(m, engine, {"b", "c"});
    expect_at_end(s, "v", "b", 1.0, engine);
    expect_at_end(s, "z", "b", -0.8, engine);
    expect_at_end(s, "z", "c", 0.3 * (3.0 - 2.2), engine);  // z' on the surface: 2.2
  }
}

TEST(DerivativesOnSurfaces, BeginWhereAModeIsEnteredOnOne) {
  for (const EngineKind engine : engines_on_surfaces) {
    Model m("entered on a surface");
    const Expr v = m.state("v", 0.2), x = m.state("x", 0.0), z = m.state("z", 0.0),
               b = m.parameter("b", 0.2);
    const ModeId a = m.mode("A"), other = m.mode("B");
    m.equation(der(x) == 1.0);
    m.equation(a, der(v) == 0.0);
    m.equation(a, der(z) == 0.0);
    m.equation(other, der(v) == where(v > b, -1.0, 1.5));
    m.equation(other, der(z) == where(v > b, 3.0, 1.0));
    m.transition("ab", a, other, x > 1.0);
    const Solution s = run_on_surfaces(m, engine, {"b", "v", "x"});
    expect_at_end(s, "v", "b", 1.0, engine);
    expect_at_end(s, "z", "b", -0.8, engine);
    expect_at_end(s, "z", "v", 0.8, engine);
    expect_at_end(s, "z", "x", 2.2, engine);  // z' on the surface
  }
}

/// Each surface adds its own part: (-2, 0.6, 0.4) and (0, -3, 1) in x, y, z.
TEST(DerivativesOnSurfaces, BeginWhereTheRunBeginsOnTwo) {
  for (const EngineKind engine : engines_on_surfaces) {
    Model m("begins on two surfaces");
    const Expr x = m.state("x", 0.1), y = m.state("y", 0.3), z = m.state("z", 0.0),
               p = m.parameter("p", 0.1), q = m.parameter("q", 0.3);
    m.equation(der(x) == -where(x > p, 1.0, -1.0));
    m.equation(der(y) == -1.5 * where(y > q, 1.0, -1.0) + 0.3 * where(x > p, 1.0, -1.0));
    m.equation(der(z) == 0.2 * where(x > p, 1.0, -1.0) + where(y > q, 0.4, -0.6));
    const Solution s = run_on_surfaces(m, engine, {"p", "q"});
    expect_at_end(s, "x", "p", 1.0, engine);
    expect_at_end(s, "y", "p", 0.0, engine);
    expect_at_end(s, "z", "p", -(0.4 * 0.5 + 1.0 * 0.1), engine);
    expect_at_end(s, "z", "q", -1.0 / 3, engine);
  }
}

/// On v = b from t = 0.8 on, x = c t before and after.
TEST(DerivativesOnSurfaces, GoThroughEventsWhileTheyAreKept) {
  for (const EngineKind engine : engines_on_surfaces) {
    Model m("events on a surface");
    const Expr v = m.state("v", 1.0), x = m.state("x", 0.0), z = m.state("z", 0.0),
               w = m.state("w", 0.0), u = m.state("u", 0.0), b = m.parameter("b", 0.2),
               c = m.parameter("c", 0.5);
    m.equation(der(v) == where(v > b, -1.0, 1.0));
    m.equation(der(x) == c);
    m.equation(der(z) == 0.0);
    m.equation(der(w) == 0.0);
    m.equation(der(u) == where(x > 0.8, 2.0, v));
    m.when("of a state", x > 0.6, {{z, x * v}});
    m.when("of time", m.time() > 2.0, {{w, x + v}});
    const Solution s = run_on_surfaces(m, engine, {"b", "c"});
    expect_at_end(s, "v", "b", 1.0, engine);
    expect_at_end(s, "z", "b", 0.6, engine);
    expect_at_end(s, "z", "c", 0.0, engine);
    expect_at_end(s, "w", "b", 1.0, engine);
    expect_at_end(s, "w", "c", 2.0, engine);
    // u = 0.48 + 0.2 (t2 - 0.8) + 2 (3 - t2) with t2 = 0.8 / c; the entry at 1 - b moves as well
    expect_at_end(s, "u", "c", (0.2 - 2.0) * -0.8 / 0.25, engine);
    expect_at_end(s, "u", "b", 0.8, engine);
  }
}

// ---- to one side -----------------------------------------------------------------------------------------

TEST(DerivativesOnSurfaces, EndWhereTheSideDependsOnTheParameter) {
  Model m("begins on a surface and leaves it");
  const Expr x = m.state("x", 0.0), p = m.parameter("p", 1.0);
  m.equation(der(x) == p * where(x > 0.0, 1.0, 2.0));
  const Solution s = run_on_surfaces(m, EngineKind::automatic, {"x"});
  ASSERT_TRUE(s.sensitivities.ends());
  EXPECT_NE(s.sensitivities.ends()->why.find("'x > 0'"), std::string::npos)
      << s.sensitivities.ends()->why;
  // What does not move the start off the surface has its derivative.
  expect_at_end(run_on_surfaces(m, EngineKind::automatic, {"p"}), "x", "p", 3.0);
}

TEST(DerivativesOnSurfaces, EndWhereAnActionSetsAStateToEitherSide) {
  Model m("set onto a surface and leaves it");
  const Expr x = m.state("x", -1.0), c = m.state("c", 0.0), p = m.parameter("p", 0.0);
  m.equation(der(c) == 1.0);
  m.equation(der(x) == where(x > 0.0, 1.0, 2.0));
  m.when("go", c > 0.2, {{x, 1.0 * p}});
  const Solution s = run_on_surfaces(m, EngineKind::automatic, {"p"});
  ASSERT_TRUE(s.sensitivities.ends());
  EXPECT_NEAR(s.sensitivities.ends()->t, 0.2, 1e-6);
}

TEST(DerivativesOnSurfaces, EndWhereAnEventOfTheStartDependsOnTheParameter) {
  Model m("event at the start");
  const Expr x = m.state("x", 0.0), v = m.state("v", 1.0), p = m.parameter("p", 1.0);
  m.equation(der(x) == p);
  m.equation(der(v) == 1.0);
  m.when("go", x > 0.0, {{v, 2.0 * v}});
  EXPECT_TRUE(run_on_surfaces(m, EngineKind::automatic, {"x"}).sensitivities.ends());
  expect_at_end(run_on_surfaces(m, EngineKind::automatic, {"p"}), "v", "p", 0.0);
}

/// Where both sides move alike on the surface the side does not matter: x' = 1 + |x|.
TEST(DerivativesOnSurfaces, GoOnWhereTheSideDoesNotMatter) {
  Model m("kink");
  const Expr x = m.state("x", 0.0);
  m.equation(der(x) == 1.0 + 0.1 * where(x > 0.0, x, -x));
  expect_at_end(run_on_surfaces(m, EngineKind::automatic, {"x"}), "x", "x", std::exp(0.3));
}

}  // namespace
}  // namespace saltus
