// The mixed form: motion on surfaces as a DAE, for engines that solve implicit equations.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/initialize.hpp>
#include <saltus/system/contract.hpp>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

constexpr SlidingOptions mixed{.form = SlidingForm::mixed};

TEST(SlidingDae, StartValuesAreConsistent) {
  Slider s(relay(), {0, 0.2, 0.06}, mixed);
  const StartValues start = s.sliding->start_values();
  std::vector<double> f(s.sliding->size(), 1.0);
  ASSERT_EQ(f.size(), 5u);
  ASSERT_TRUE(static_cast<bool>(s.workspace->residual(0.0, start.x, start.xdot, f)));
  for (const double r : f) EXPECT_NEAR(r, 0.0, 4 * eps);
  EXPECT_EQ(start.x[3], 0.0);
  EXPECT_NEAR(start.xdot[3], 0.2, 4 * eps);
  EXPECT_NEAR(start.xdot[4], 0.0, 4 * eps);
  EXPECT_EQ(s.sliding->unknown_name(3), "integral of the multiplier of 'y1 > 0'");
  EXPECT_EQ(s.as_sliding->multipliers(start.x, start.xdot)[0], start.xdot[3]);
}

/// From the guess that u = 0, as a restart would find it.
TEST(SlidingDae, AConsistentStartIsFoundFromTheSide) {
  Slider s(two_bodies(), {1, 1, 0.1, 0.1}, mixed, {{{0}, {1}}}, 0.5);
  StartValues guess = s.sliding->start_values();
  std::fill(guess.xdot.begin(), guess.xdot.end(), 0.0);
  const auto found = find_consistent_start(*s.sliding, *s.workspace, 0.5, guess,
                                           std::vector<double>(guess.x.size(), 1e6));
  ASSERT_TRUE(found) << found.failure().message;
  EXPECT_NEAR(found->xdot[4], std::sin(0.5) / 0.8, 8 * eps);
}

class SlidingDaeEngines : public testing::TestWithParam<EngineKind> {
 protected:
  /// Of what is asked for, over a few dozen steps.
  double allowed(double tolerance) const {
    return (GetParam() == EngineKind::ida ? 500 : 20) * tolerance;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, SlidingDaeEngines,
                         testing::Values(EngineKind::radau, EngineKind::ida),
                         [](const auto& kind) { return std::string(name(kind.param)); });

TEST_P(SlidingDaeEngines, TwoBodiesStick) {
  Slider s(two_bodies(), {1, 1, 0, 0}, mixed);
  const double t_end = 0.9, tol = 1e-9;
  double worst = 0.0;
  const auto x =
      integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, t_end,
                [&](Engine& engine) {
                  worst = std::max(worst, std::abs(engine.x()[2] - engine.x()[3]));
                  EXPECT_NEAR(engine.x()[4], (1 - std::cos(engine.t())) / 0.8, allowed(tol));
                });
  EXPECT_NEAR(x[0], 1 + (t_end - std::sin(t_end)) / 2, allowed(tol));
  EXPECT_NEAR(x[2], (1 - std::cos(t_end)) / 2, allowed(tol));
  // The surface is an equation: it holds as well as Newton's method solves it.
  EXPECT_LE(worst, tol);
}

TEST_P(SlidingDaeEngines, TheRelaySlides) {
  Slider s(relay(), {0, 0.2, 0.06}, mixed);
  const double t_end = 0.8, tol = 1e-8;
  const auto x =
      integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, t_end);
  // y2' = y3 + 2 y2, y3' = -y2: (lambda - 1)^2 = 0.
  const double e = std::exp(t_end);
  const double y2 = e * (0.2 + (0.06 + 0.2) * t_end), y3 = e * (0.06 - (0.2 + 0.06) * t_end);
  EXPECT_NEAR(x[1], y2, allowed(tol));
  EXPECT_NEAR(x[2], y3, allowed(tol));
  // The integral of u = y2.
  EXPECT_NEAR(x[3], e * (0.26 * t_end - 0.06) + 0.06, allowed(tol));
}

TEST_P(SlidingDaeEngines, AMovingSurfaceCarriesTheMotion) {
  Slider s(follower(), {0, 0}, mixed);
  const double t_end = 2.0, tol = 1e-8;
  const auto x =
      integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, t_end);
  EXPECT_NEAR(x[0], std::sin(t_end), allowed(tol));
  // y' = (y - cos t)/3 - y.
  const double a = 2.0 / 3.0;
  const double c = 1.0 / (3 * (a * a + 1));
  const double y = c * (a * std::exp(-a * t_end) - a * std::cos(t_end) - std::sin(t_end));
  EXPECT_NEAR(x[1], y, allowed(tol));
}

/// The state that the circle determines best changes from x to y and back.
TEST_P(SlidingDaeEngines, ThePivotFollowsACurvedSurface) {
  Slider s(on_circle(), {1, 0, 1}, mixed);
  const double t_end = 5.0, tol = 1e-8;
  double worst = 0.0;
  int n_changes = 0;
  std::vector<std::uint8_t> before;
  const auto* choice = s.workspace->ability<ChosenStates>();
  const auto x = integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0,
                           t_end, [&](Engine& engine) {
                             const auto at = engine.x();
                             worst = std::max(worst, std::abs(at[0] * at[0] + at[1] * at[1] - 1));
                             const std::vector<std::uint8_t> now(choice->chosen().begin(),
                                                                 choice->chosen().end());
                             n_changes += !before.empty() && now != before ? 1 : 0;
                             before = now;
                           });
  // As well as Newton's method solves it, which is asked for a part of the tolerance per unknown.
  EXPECT_LE(worst, 10 * tol);
  EXPECT_GE(n_changes, 2);
  // A multistep engine begins anew with each of them, in short steps of low order.
  const double bound = (1 + n_changes) * allowed(tol);
  EXPECT_NEAR(x[0], std::cos(angle_on_circle(t_end)), bound);
  EXPECT_NEAR(x[1], std::sin(angle_on_circle(t_end)), bound);
}

/// One side at the point and the other beside it would be no smooth function of the point: thousands of steps.
TEST_P(SlidingDaeEngines, FieldsThatEndAtTheSurfaceNeedNoMoreSteps) {
  const double tol = 1e-8;
  std::uint64_t n_steps[2] = {0, 0};
  for (const bool strict : {false, true}) {
    Slider s(problem_1_strict(strict), {-0.9, 0.2 + std::sin(-1.8)}, mixed);
    ASSERT_NE(s.sliding, nullptr);
    (void)integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, 9.0,
                    [&](Engine& engine) { n_steps[strict ? 1 : 0] = engine.work().n_steps; });
  }
  EXPECT_LE(static_cast<double>(n_steps[1]), 1.3 * static_cast<double>(n_steps[0]));
}

TEST_P(SlidingDaeEngines, FieldsThatEndAtTheSurfaceSlide) {
  for (const auto& base : {problem_1_of_f_and_g(), problem_1_strict()}) {
    Slider s(base, {-0.9, 0.2 + std::sin(-1.8)}, mixed);
    ASSERT_NE(s.sliding, nullptr);
    const double tol = 1e-7;
    const auto x =
        integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, 8.0);
    EXPECT_NEAR(x[0], 0.7, allowed(tol));
    // The integral of u = -y1.
    EXPECT_NEAR(x[2], 0.8, allowed(tol));
  }
}

/// dg/dy1 = -2 cos(2 y1) is larger where sliding begins, but vanishes on the way; dg/dy2 = 1.
TEST(SlidingDae, ThePivotIsOneThatLasts) {
  Slider s(problem_1_strict(), {0.23, 0.2 + std::sin(0.46)}, mixed);
  const auto* choice = s.workspace->ability<ChosenStates>();
  EXPECT_EQ(choice->chosen()[0], 1);
  EXPECT_EQ(choice->chosen()[1], 0);
}

TEST_P(SlidingDaeEngines, TwoSurfacesAtOnce) {
  Slider s(two_relays(), {0, 0, 0.3}, mixed, {{{0}, {1}}, {{1}, {1}}});
  const double tol = 1e-8, t_end = 0.4;
  const auto x =
      integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, t_end);
  // x3' = x3/2 - x3/3 + 1.
  EXPECT_NEAR(x[2], (0.3 + 6) * std::exp(t_end / 6) - 6, allowed(tol));
}

/// Friction written with variables: the surface depends on an unknown without derivative.
std::shared_ptr<const System> two_bodies_with_variables() {
  Model m("two bodies");
  Expr v1 = m.state("v1", 0.0), v2 = m.state("v2", 0.0);
  Expr slip = m.algebraic("slip"), friction = m.algebraic("friction");
  Expr drift = m.algebraic("drift");
  m.equation("slip", slip == drift - v2 + sin(m.time()) / 100);
  m.equation("drift", drift == v1 + v1 * v1 * v1 / 10);
  m.equation("friction", friction == where(slip > 0, Expr(0.4), Expr(-0.4)));
  m.equation("first", der(v1) == sin(m.time()) - friction);
  m.equation("second", der(v2) == friction);
  return compiled(m);
}

TEST_P(SlidingDaeEngines, ASurfaceOfUnknownsWithoutDerivative) {
  Slider s(two_bodies_with_variables(), {0, 0, 0, 0, 0}, mixed);
  ASSERT_NE(s.sliding, nullptr);
  const double tol = 1e-8, t_end = 0.8;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < s.sliding->size(); ++i) {
    names.push_back(s.sliding->unknown_name(i));
  }
  EXPECT_NE(std::find(names.begin(), names.end(), "der(slip)"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "der(drift)"), names.end());
  const auto x =
      integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = tol, .atol = {tol}}, 0.0, t_end,
                [&](Engine& engine) { EXPECT_NEAR(engine.x()[2], 0.0, 1e-2 * tol); });
  // The sum of both momenta does not know of friction, and slip = 0.
  const double v1 = x[0], v2 = x[1];
  EXPECT_NEAR(v1 + v2, 1 - std::cos(t_end), allowed(tol));
  EXPECT_NEAR(v1 + v1 * v1 * v1 / 10 - v2 + std::sin(t_end) / 100, 0.0, tol);
}

TEST(SlidingDae, TheContractHolds) {
  const std::vector<Surface> both = {{{0}, {1}}, {{1}, {1}}};
  const auto check = [](const Slider& s, const char* name) {
    for (const auto& finding : check_system(*s.sliding)) ADD_FAILURE() << name << ": " << finding;
  };
  check(Slider(on_circle(), {1, 0, 1}, mixed), "circle");
  check(Slider(two_bodies(), {1, 1, 0, 0}, mixed), "two bodies");
  check(Slider(follower(), {0, 0}, mixed), "follower");
  check(Slider(two_relays(), {0, 0, 0.3}, mixed, both), "two relays");
  check(Slider(two_bodies_with_variables(), {0, 0, 0, 0, 0}, mixed), "variables");
  check(Slider(on_circle(), {1, 0, 1}, {.form = SlidingForm::blended}), "blended");
}

/// A surface that jumps with the side is none on which one can slide.
TEST(SlidingDae, ASurfaceThatJumpsIsRefusedByName) {
  Model m("jump");
  Expr x = m.state("x", 0.0);
  Expr y = m.algebraic("y");
  m.equation(der(x) == -y);
  m.equation(y == x + where(y > 0, Expr(1.0), Expr(-1.0)));
  const auto base = compiled(m);
  const auto workspace = base->workspace();
  const std::vector<double> at = {0, 0}, xdot = {0, 0};
  const auto made = sliding_system(base, *workspace, {{{0}, {1}}}, {0.0, at, xdot}, mixed);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.failure().code, FailureCode::singular);
  EXPECT_NE(made.failure().message.find("'y'"), std::string::npos) << made.failure().message;
}

}  // namespace
}  // namespace saltus::sliding_test
