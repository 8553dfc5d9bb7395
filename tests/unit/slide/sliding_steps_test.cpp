// The eliminated form along steps: surfaces kept, order, one-sided fields, several surfaces.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include <saltus/system/contract.hpp>

#include "sliding_cases.hpp"

namespace saltus::sliding_test {
namespace {

double end_error(const std::vector<double>& x, double t) {
  return std::hypot(x[0] - std::cos(angle_on_circle(t)), x[1] - std::sin(angle_on_circle(t)));
}

TEST(SlidingSteps, EveryStepEndsOnACurvedSurface) {
  for (const EngineKind kind : {EngineKind::dopri5, EngineKind::dop853}) {
    Slider s(on_circle(), {1, 0, 1});
    double worst = 0.0, worst_rate = 0.0;
    const auto x = integrate(*s.sliding, *s.workspace, kind, {.rtol = 1e-6, .atol = {1e-6}}, 0.0,
                             5.0, [&](Engine& engine) {
                               const auto at = engine.x();
                               worst = std::max(worst, std::abs(at[0] * at[0] + at[1] * at[1] - 1));
                               const auto v = engine.xdot();
                               worst_rate =
                                   std::max(worst_rate, std::abs(at[0] * v[0] + at[1] * v[1]));
                             });
    // Of three numbers of size 1 a few roundings; x' is evaluated at the projected point.
    EXPECT_LE(worst, 4 * eps);
    EXPECT_LE(worst_rate, 8 * eps);
    EXPECT_LE(end_error(x, 5.0), 1e-4);
  }
}

TEST(SlidingSteps, TheEngineKeepsItsOrder) {
  double last = 0.0;
  std::vector<double> orders;
  for (const double h : {0.1, 0.05, 0.025}) {
    Slider s(on_circle(), {1, 0, 1});
    const auto x = integrate(*s.sliding, *s.workspace, EngineKind::dopri5,
                             {.rtol = 1e-3, .atol = {1e-3}, .fixed_step = h}, 0.0, 2.0);
    const double error = end_error(x, 2.0);
    if (last > 0.0) orders.push_back(std::log2(last / error));
    last = error;
  }
  for (const double order : orders) {
    EXPECT_GT(order, 4.7);
    EXPECT_LT(order, 6.0);
  }
}

TEST(SlidingSteps, FieldsThatEndAtTheSurfaceSlide) {
  for (const auto& base : {problem_1_of_f_and_g(), problem_1_strict()}) {
    Slider s(base, {-0.9, 0.2 + std::sin(-1.8)});
    ASSERT_NE(s.sliding, nullptr);
    // Nothing is left that it could be locked on, so it need not run one-sided.
    EXPECT_NE(s.locks, nullptr);
    double worst = 0.0;
    const auto x = integrate(*s.sliding, *s.workspace, EngineKind::dopri5,
                             {.rtol = 1e-8, .atol = {1e-8}}, 0.0, 9.0, [&](Engine& engine) {
                               const auto y = engine.x();
                               worst = std::max(worst, std::abs(y[1] - 0.2 - std::sin(2 * y[0])));
                             });
    EXPECT_LE(worst, 8 * eps);
    // y1' = 0.2 exactly: the error is that of g' by differences, eps^(2/3), over the time 9.
    EXPECT_NEAR(x[0], -0.9 + 0.2 * 9.0, 9 * 1e-8);
    const auto xdot = s.motion(0.0, {0.5, 0.2 + std::sin(1.0)});
    // The + side is controlled by -1.
    EXPECT_NEAR(xdot[2], -0.5, 1e-9);
  }
}

TEST(SlidingSteps, TwoSurfacesAtOnce) {
  Slider s(two_relays(), {0, 0, 0.3}, {}, {{{0}, {1}}, {{1}, {1}}});
  const auto xdot = s.motion(0.0, {0, 0, 0.9});
  EXPECT_NEAR(xdot[0], 0.0, 8 * eps);
  EXPECT_NEAR(xdot[1], 0.0, 8 * eps);
  EXPECT_NEAR(xdot[2], 0.45 - 0.3 + 1.0, 8 * eps);
  EXPECT_NEAR(xdot[3], 0.45, 8 * eps);
  // The second relation is "x2 < 0": the + side of its function is where it is false.
  EXPECT_NEAR(xdot[4], -0.3, 8 * eps);
  ASSERT_EQ(s.functions->count(), 6u);
  EXPECT_EQ(s.functions->info(4).name, "sliding on x2 < 0, towards false");
  EXPECT_EQ(s.functions->info(5).name, "sliding on x2 < 0, towards true");
  // Affine vertices: another rule among Filippov's motions has nothing to choose for the mean.
  Slider moments(two_relays(), {0, 0, 0.3}, {.rule = SlidingRule::moments},
                 {{{0}, {1}}, {{1}, {1}}});
  const auto other = moments.motion(0.0, {0, 0, 0.9});
  for (std::size_t i = 0; i < xdot.size(); ++i) EXPECT_NEAR(xdot[i], other[i], 32 * eps);
}

/// The same surface in two relations, one of them turned round.
TEST(SlidingSteps, RelationsThatShareASurfaceSwitchTogether) {
  Model m("sign");
  Expr x = m.state("x", 0.0), y = m.state("y", 0.1);
  const Expr sign = where(x > 0, Expr(1.0), where(x < 0, Expr(-1.0), Expr(0.0)));
  m.equation(der(x) == y - sign);
  m.equation(der(y) == sign);
  const auto base = compiled(m);
  // "x < 0" has the function x - 0 as well: the same orientation.
  auto first = base->workspace();
  auto* functions = first->ability<SwitchingFunctions>();
  const std::vector<double> at = {0.25, 0.1}, zero(2, 0.0);
  std::vector<std::int8_t> orientation;
  for (const std::uint32_t which : {0U, 1U}) {
    double g = 0.0;
    first->ability<Locks>()->set_lock(0, false);
    ASSERT_TRUE(static_cast<bool>(functions->evaluate_one(which, 0.0, at, zero, g)));
    orientation.push_back(g > 0 ? 1 : -1);
  }
  ASSERT_EQ(orientation[0], 1);
  Slider s(base, {0, 0.1}, {}, {{{0, 1}, orientation}});
  const auto xdot = s.motion(0.0, {0, 0.4});
  EXPECT_NEAR(xdot[0], 0.0, 2 * eps);
  EXPECT_NEAR(xdot[1], 0.4, 2 * eps);
  EXPECT_FALSE(s.functions->is_active(0));
  EXPECT_FALSE(s.functions->is_active(1));
}

/// What stands in a branch of the relation matters while one side of the mixture takes that branch.
TEST(SlidingSteps, RelationsInsideABranchMatterWhateverIsTold) {
  Model m("inner");
  Expr x = m.state("x", 0.0), y = m.state("y", 0.1);
  const Expr inner = where(y > 0.5, Expr(3.0), Expr(2.0));
  m.equation(der(x) == where(x > 0, -inner, Expr(1.0)));
  m.equation(der(y) == Expr(1.0));
  const auto base = compiled(m);
  const auto first = base->workspace();
  const std::uint32_t nested =
      first->ability<SwitchingFunctions>()->info(0).name == "y > 0.5" ? 0 : 1;
  Slider s(base, {0, 0.1}, {}, {{{1 - nested}, {1}}});
  ASSERT_EQ(s.functions->count(), 4u);
  ASSERT_EQ(s.functions->info(nested).name, "y > 0.5");
  for (const bool told : {true, false}) {
    s.locks->set_lock(1 - nested, told);
    EXPECT_TRUE(s.functions->is_active(nested));
    std::vector<double> g(4);
    const std::vector<double> x_now = {0, 0.1, 0}, xdot = s.motion(0.0, x_now);
    ASSERT_TRUE(static_cast<bool>(s.functions->evaluate(0.0, x_now, xdot, g)));
    EXPECT_EQ(g[nested], 0.1 - 0.5);
    std::vector<Interval> hulls(4, Interval::entire());
    const std::vector<double> c = {0, 0.1, 0, 0, 1, 0.125};
    const StepPolynomial step{.t_left = 0, .t_right = 1, .degree = 1, .n = 3, .coefficients = c};
    s.workspace->ability<StepEnclosure>()->hulls(step, Interval(0.0, 0.25), hulls);
    EXPECT_TRUE(hulls[nested].certainly_negative());
    EXPECT_TRUE(hulls[2].contains(0.875) && hulls[2].width() < 1e-14);
  }
  s.locks->set_lock(nested, true);
  EXPECT_NEAR(s.motion(0.0, {0, 0.1})[2], (1.0 - 3.0) / 4.0, 2 * eps);
}

TEST(SlidingSteps, TheContractHolds) {
  const std::vector<Surface> both = {{{0}, {1}}, {{1}, {1}}};
  for (const auto& finding : check_system(*Slider(on_circle(), {1, 0, 1}).sliding)) {
    ADD_FAILURE() << "circle: " << finding;
  }
  for (const auto& finding : check_system(*Slider(two_bodies(), {1, 1, 0, 0}).sliding)) {
    ADD_FAILURE() << "two bodies: " << finding;
  }
  for (const auto& finding : check_system(*Slider(two_relays(), {0, 0, 0.3}, {}, both).sliding)) {
    ADD_FAILURE() << "two relays: " << finding;
  }
}

/// Enclosures along a long step contain the multipliers of its states, near an exit and away from it.
TEST(SlidingSteps, ExitsAreEnclosedAsTheyAreEvaluated) {
  const double exact = std::asin(0.8);
  for (const double length : {1.0, 0.4}) {
    Slider s(two_bodies(), {1, 1, 0, 0});
    const StartValues start = s.sliding->start_values();
    const auto engine = make_engine(EngineKind::dopri5, *s.sliding, *s.workspace,
                                    {.rtol = 1e-3, .atol = {1e-3}, .fixed_step = length});
    ASSERT_TRUE(engine->start({0.0, start.x, start.xdot}, length));
    ASSERT_TRUE(engine->step(length));
    const StepPolynomial step = engine->last_step();
    auto* enclosure = s.workspace->ability<StepEnclosure>();
    std::vector<Interval> hulls(3);
    std::vector<double> x(5), xdot(5);
    double widest = 0.0;
    for (double t = 0.0; t <= length; t += length / 32) {
      enclosure->hulls(step, Interval(step.position_of(t)), hulls);
      step.state_at(t, x);
      step.derivative_at(t, xdot);
      double g = 0.0;
      ASSERT_TRUE(static_cast<bool>(s.functions->evaluate_one(1, t, x, xdot, g)));
      EXPECT_TRUE(hulls[1].contains(g)) << t;
      EXPECT_NEAR(g, 1 - std::sin(t) / 0.8, 4 * eps);
      widest = std::max(widest, hulls[1].width());
    }
    // Only the step with an exit is worth the evaluations of its corrections: interpolation of degree 4
    // leaves about 1/0.8 max|w(s)|/5! of a sine over one unit, 4e-5, of which the enclosure has a multiple.
    if (length > exact) {
      EXPECT_LT(widest, 1e-3);
      enclosure->hulls(step, Interval(step.position_of(exact - 1e-3)), hulls);
      EXPECT_TRUE(hulls[1].certainly_positive());
      enclosure->hulls(step, Interval(step.position_of(exact + 1e-3)), hulls);
      EXPECT_TRUE(hulls[1].certainly_negative());
    } else {
      enclosure->hulls(step, Interval(0.0, 1.0), hulls);
      EXPECT_TRUE(hulls[1].certainly_positive());
    }
  }
}

/// Outputs that the sides define differently.
TEST(SlidingSteps, VariablesShowTheMixture) {
  Model m("with output");
  Expr x = m.state("x", 0.0), y = m.state("y", 0.1);
  const Expr u = where(x > 0, Expr(1.0), Expr(-1.0));
  m.equation(der(x) == y - u);
  m.equation(der(y) == u);
  m.output("force", 5 * u + y);
  Slider s(compiled(m), {0, 0.1});
  const VariableMap& map = s.sliding->variable_map();
  std::vector<double> out(map.variables().size());
  const std::vector<double> at = {0, 0.4, 0}, xdot = s.motion(0.0, at);
  ASSERT_TRUE(static_cast<bool>(map.values(*s.workspace, 0.0, at, xdot, out)));
  int n_looked_at = 0;
  for (std::size_t v = 0; v < out.size(); ++v) {
    const std::string& variable = map.variables()[v].name;
    if (variable == "force") {
      EXPECT_NEAR(out[v], 2.4, 16 * eps);
      ++n_looked_at;
    } else if (variable == "y") {
      EXPECT_EQ(out[v], 0.4);
      ++n_looked_at;
    }
  }
  EXPECT_EQ(n_looked_at, 2);
}

}  // namespace
}  // namespace saltus::sliding_test
