// The eliminated form: motion on surfaces as an ODE.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/system/contract.hpp>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

TEST(SlidingOde, TwoBodiesStickWithTheMeanOfTheirForces) {
  Slider s(two_bodies(), {1, 1, 0.1, 0.1});
  const double t = 0.5;
  const auto xdot = s.motion(t, {1, 1, 0.2, 0.2});
  EXPECT_EQ(xdot[0], 0.2);
  EXPECT_EQ(xdot[1], 0.2);
  // v' = (f1 + f2)/2 and friction u mu = f1/2; a handful of roundings of numbers below 1.
  EXPECT_NEAR(xdot[2], std::sin(t) / 2, 4 * eps);
  EXPECT_NEAR(xdot[3], std::sin(t) / 2, 4 * eps);
  EXPECT_NEAR(xdot[4], std::sin(t) / 0.8, 4 * eps);
  EXPECT_EQ(s.as_sliding->n_side_evaluations() % 2, 0u);
}

TEST(SlidingOde, TheRelaySlidesWithItsEquivalentControl) {
  Slider s(relay(), {0, 0.2, 0.06});
  const auto xdot = s.motion(0.0, {0, 0.7, -0.3});
  EXPECT_NEAR(xdot[0], 0.0, 4 * eps);
  EXPECT_NEAR(xdot[1], -0.3 + 1.4, 8 * eps);
  EXPECT_NEAR(xdot[2], -0.7, 4 * eps);
  EXPECT_NEAR(xdot[3], 0.7, 4 * eps);
}

/// g -> -g exchanges the sides and nothing else.
TEST(SlidingOde, TheMotionDoesNotDependOnWhichSideIsPositive) {
  Slider s(relay(), {0, 0.2, 0.06}), turned(relay(true), {0, 0.2, 0.06});
  Slider other(relay(), {0, 0.2, 0.06}, {}, {{{0}, {1}}});
  for (double y2 = -0.9; y2 < 1.0; y2 += 0.1) {
    const auto a = s.motion(0.0, {1e-9, y2, 0.3 * y2 - 0.1});
    const auto b = turned.motion(0.0, {1e-9, y2, 0.3 * y2 - 0.1});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(a[i], b[i]);
    EXPECT_EQ(a[3], -b[3]);
  }
}

TEST(SlidingOde, AMovingSurfaceCarriesTheMotion) {
  Slider s(follower(), {0, 0});
  for (const double t : {0.0, 0.4, 2.0}) {
    const double y = 0.25;
    const auto xdot = s.motion(t, {std::sin(t), y});
    const double u = (y - std::cos(t)) / 3;
    EXPECT_NEAR(xdot[0], std::cos(t), 16 * eps);
    EXPECT_NEAR(xdot[1], u - y, 16 * eps);
    EXPECT_NEAR(xdot[2], u, 16 * eps);
  }
}

/// Entered again elsewhere, a workspace moves as one that was made there: to the last bit, with counts from zero.
TEST(SlidingOde, AWorkspaceThatGoesOnElsewhereIsAsGoodAsNew) {
  const auto base = relay();
  Slider used(base, {0, 0.2, 0.06});
  for (double y2 = -0.9; y2 < 1.0; y2 += 0.1) (void)used.motion(0.1, {0, y2, 0.3});
  const std::vector<double> x = {1e-9, 0.7, -0.3}, xdot = {0, 0, 0};
  const SlidingPoint there{2.0, x, xdot};
  const auto start = slide_again(*used.sliding, *used.workspace, *base, *used.base_workspace, there,
                                 SlidingOptions{});
  ASSERT_TRUE(start.has_value());
  Slider fresh(base, x, {}, {{{0}, {1}}}, 2.0);
  const StartValues wanted = fresh.sliding->start_values();
  EXPECT_EQ(start->x, wanted.x);
  for (std::size_t i = 0; i < start->xdot.size(); ++i) EXPECT_EQ(start->xdot[i], wanted.xdot[i]);
  EXPECT_EQ(used.as_sliding->n_side_evaluations(), fresh.as_sliding->n_side_evaluations());
  EXPECT_EQ(used.motion(2.5, {0, 0.4, 0.1}), fresh.motion(2.5, {0, 0.4, 0.1}));
  EXPECT_EQ(used.as_sliding->n_side_evaluations(), fresh.as_sliding->n_side_evaluations());
}

/// Nothing is taken over to another system, another form, or where nothing slides.
TEST(SlidingOde, AWorkspaceDoesNotGoOnWithWhatItWasNotMadeFor) {
  const auto base = relay(), other = relay();
  Slider s(base, {0, 0.2, 0.06});
  const std::vector<double> x = {0, 0.7, -0.3}, xdot = {0, 0, 0};
  const auto again = [&](const System& of, const SlidingOptions& options) {
    return slide_again(*s.sliding, *s.workspace, of, *s.base_workspace, {0.0, x, xdot}, options);
  };
  EXPECT_TRUE(again(*base, {}).has_value());
  EXPECT_FALSE(again(*other, {}).has_value());
  EXPECT_FALSE(again(*base, {.form = SlidingForm::mixed}).has_value());
  EXPECT_FALSE(again(*base, {.rule = SlidingRule::moments}).has_value());
}

/// The twin: multipliers from gradients alone, without dg/dt, do not.
TEST(SlidingOde, WithoutTheMotionOfTheSurfaceItWouldBeWrong) {
  Slider s(follower(), {0, 0});
  const auto xdot = s.motion(0.4, {std::sin(0.4), 0.25});
  const double u_at_rest = 0.25 / 3;
  EXPECT_GT(std::abs(xdot[2] - u_at_rest), 0.1);
}

TEST(SlidingOde, ExitsAreNamedByWhereTheyLead) {
  Slider s(two_bodies(), {1, 1, 0.1, 0.1});
  ASSERT_EQ(s.functions->count(), 3u);
  EXPECT_EQ(s.functions->info(1).name, "sliding on v1 > v2, towards true");
  EXPECT_EQ(s.functions->info(2).name, "sliding on v1 > v2, towards false");
  EXPECT_EQ(s.functions->info(1).kind, SwitchKind::exit);
  EXPECT_FALSE(s.functions->is_active(0));
  EXPECT_TRUE(s.functions->is_active(1));
  EXPECT_EQ(s.sliding->unknown_name(4), "integral of the multiplier of 'v1 > v2'");
  const std::vector<double> x = {1, 1, 0.2, 0.2, 0.0};
  auto xdot = s.motion(0.5, x);
  std::vector<double> g(3), gdot(3);
  ASSERT_TRUE(static_cast<bool>(s.functions->rates(0.5, x, xdot, g, gdot)));
  EXPECT_EQ(g[0], 0.0);
  EXPECT_EQ(g[1], 1.0 - xdot[4]);
  EXPECT_EQ(g[2], 1.0 + xdot[4]);
  // A one-sided difference of relative width eps^(1/3).
  EXPECT_NEAR(gdot[1], -std::cos(0.5) / 0.8, 10 * std::cbrt(eps));
  EXPECT_NEAR(gdot[2], std::cos(0.5) / 0.8, 10 * std::cbrt(eps));
}

TEST(SlidingOde, LocksOfSurfacesStayWhatTheyAreTold) {
  Slider s(two_bodies(), {1, 1, 0.1, 0.1});
  ASSERT_NE(s.locks, nullptr);
  for (const bool told : {true, false}) {
    s.locks->set_lock(0, told);
    const auto xdot = s.motion(0.5, {1, 1, 0.2, 0.2});
    EXPECT_NEAR(xdot[2], std::sin(0.5) / 2, 4 * eps);
    EXPECT_EQ(s.locks->locks()[0] != 0, told);
    EXPECT_EQ(s.as_sliding->base().ability<Locks>()->locks()[0] != 0, told);
    const std::vector<double> x = {1, 1, 0.3, 0.2, 0}, zero(5, 0.0);
    ASSERT_TRUE(static_cast<bool>(s.locks->decide(0.5, x, zero)));
    EXPECT_EQ(s.locks->locks()[0] != 0, told);
  }
}

class SlidingOdeEngines : public testing::TestWithParam<EngineKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SlidingOdeEngines,
                         testing::Values(EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                         EngineKind::ida),
                         [](const auto& kind) { return std::string(name(kind.param)); });

TEST_P(SlidingOdeEngines, TwoBodiesStickUntilTheForceIsTooLarge) {
  Slider s(two_bodies(), {1, 1, 0, 0});
  const double t_end = 0.9;
  const auto x =
      integrate(*s.sliding, *s.workspace, GetParam(), {.rtol = 1e-9, .atol = {1e-9}}, 0.0, t_end);
  const double v = (1 - std::cos(t_end)) / 2, p = 1 + (t_end - std::sin(t_end)) / 2;
  // Errors of about ten steps of the tolerance each; a multistep engine is less sharp.
  const double allowed = GetParam() == EngineKind::ida ? 1e-6 : 2e-8;
  EXPECT_NEAR(x[0], p, allowed);
  EXPECT_NEAR(x[1], p, allowed);
  EXPECT_NEAR(x[2], v, allowed);
  EXPECT_NEAR(x[3], v, allowed);
  EXPECT_NEAR(x[4], (1 - std::cos(t_end)) / 0.8, allowed);
}

}  // namespace
}  // namespace saltus::sliding_test
