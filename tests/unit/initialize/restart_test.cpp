#include <saltus/initialize/restart.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <saltus/core/error.hpp>
#include <saltus/system/function_system.hpp>

#include "unit/initialize/started_models.hpp"

namespace saltus {
namespace {

using namespace testing_support;

// Points handed out meet their equations to 1e-10 of their size or better.
constexpr double consistent = 1e-10;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Started pendulum() {
  Model m("pendulum");
  write_pendulum(m);
  return Started(m);
}

double length_of(const Started& s, const Restart& r) {
  return std::hypot(s.value(r, "x"), s.value(r, "y"));
}

// ---- keep ------------------------------------------------------------------------------------------

TEST(RestartKeep, AStaleMultiplierMovesNoPosition) {
  Started s = pendulum();
  s.set({{"x", 0.8}, {"y", -0.6}, {"u", 0.3}, {"v", 0.4}, {"lambda", 40.0}});
  const auto r = s.restart_by(RestartPolicy::keep);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(s.value(*r, "x"), 0.8, consistent);
  EXPECT_NEAR(s.value(*r, "y"), -0.6, consistent);
  EXPECT_NEAR(s.value(*r, "u"), 0.3, consistent);
  EXPECT_NEAR(s.value(*r, "v"), 0.4, consistent);
  EXPECT_NEAR(s.value(*r, "lambda"), 0.25 + 0.6 * gravity, 10 * consistent);
  ASSERT_EQ(r->changes.size(), 1u);
  EXPECT_EQ(r->changes[0].name, "lambda");
  // The twin: a projection in which the multiplier counts, since it was stated, moves the mass.
  s.start.x_given[s.index_of("lambda")] = 1;
  const auto nearest = s.restart_by(RestartPolicy::least_squares);
  ASSERT_TRUE(nearest.has_value()) << nearest.failure().message;
  EXPECT_GT(std::abs(s.value(*nearest, "u") - 0.3) + std::abs(s.value(*nearest, "v") - 0.4), 0.1);
}

TEST(RestartKeep, DerivativesOfAlgebraicUnknownsAreConsistent) {
  Started s = pendulum();
  const auto r = s.restart_by(RestartPolicy::keep);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  // lambda = u^2 + v^2 - g y, so lambda' = -3 g v.
  EXPECT_NEAR(s.slope(*r, "lambda"), -3 * gravity * s.value(*r, "v"), 100 * consistent);
  EXPECT_NEAR(s.slope(*r, "x"), s.value(*r, "u"), consistent);
  EXPECT_NEAR(s.slope(*r, "u"), -s.value(*r, "lambda") * s.value(*r, "x"), 100 * consistent);
}

TEST(RestartKeep, APositionOffTheCircleAtRestKeepsItsAngle) {
  for (const double radius : {0.5, 0.8, 1.5}) {
    Started s = pendulum();
    const double angle = 2.1;
    s.set(
        {{"x", radius * std::cos(angle)}, {"y", radius * std::sin(angle)}, {"u", 0.0}, {"v", 0.0}});
    const auto r = s.restart_by(RestartPolicy::keep);
    ASSERT_TRUE(r.has_value()) << r.failure().message;
    EXPECT_NEAR(length_of(s, *r), 1.0, consistent);
    EXPECT_NEAR(std::atan2(s.value(*r, "y"), s.value(*r, "x")), angle, 1e-8) << radius;
    EXPECT_NEAR(s.value(*r, "u"), 0.0, 1e-8) << radius;
  }
}

TEST(RestartKeep, ARestartOfAResultChangesNothing) {
  Started s = pendulum();
  s.set({{"x", 0.5}, {"y", -1.1}, {"u", 1.0}, {"v", 2.0}});
  const auto first = s.restart_by(RestartPolicy::keep);
  ASSERT_TRUE(first.has_value()) << first.failure().message;
  s.start.x = first->x;
  s.start.xdot = first->xdot;
  for (const RestartPolicy policy : {RestartPolicy::keep, RestartPolicy::impulse,
                                     RestartPolicy::least_squares, RestartPolicy::check}) {
    RestartOptions again;
    again.policy = policy;
    again.known = &*first->analysis;
    const auto second = s.restart_with(again);
    ASSERT_TRUE(second.has_value()) << second.failure().message;
    EXPECT_TRUE(second->changes.empty());
    EXPECT_TRUE(second->impulses.empty());
    for (std::size_t i = 0; i < first->x.size(); ++i) {
      EXPECT_NEAR(second->x[i], first->x[i], 1e-12 * (1 + std::abs(first->x[i])));
      EXPECT_NEAR(second->xdot[i], first->xdot[i], 1e-9 * (1 + std::abs(first->xdot[i])));
    }
  }
}

TEST(RestartKeep, AKnownAnalysisGivesTheSameAnswer) {
  Started s = pendulum();
  const auto first = s.restart_by(RestartPolicy::keep);
  ASSERT_TRUE(first.has_value());
  s.set({{"x", -0.7}, {"y", -0.9}, {"u", 0.1}, {"v", 0.2}});
  RestartOptions with_known;
  with_known.known = &*first->analysis;
  const auto reused = s.restart_with(with_known), fresh = s.restart_by(RestartPolicy::keep);
  ASSERT_TRUE(reused.has_value()) << reused.failure().message;
  ASSERT_TRUE(fresh.has_value()) << fresh.failure().message;
  for (std::size_t i = 0; i < reused->x.size(); ++i) {
    EXPECT_NEAR(reused->x[i], fresh->x[i], 1e-9 * (1 + std::abs(fresh->x[i])));
  }
}

TEST(RestartKeep, RedundantConstraintsDoNotMatter) {
  Model m("rods");
  write_rods(m);
  Started s(m);
  s.set({{"x", 0.7}, {"y", -0.9}, {"phi", 0.02}});
  const auto r = s.restart_by(RestartPolicy::keep);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(length_of(s, *r), 1.0, consistent);
  EXPECT_NEAR(s.value(*r, "phi"), 0.0, 1e-8);
}

TEST(RestartKeep, WithoutDerivativesIndexOneIsStartedAndMoreIsRefused) {
  using Read = std::span<const double>;
  using Write = std::span<double>;
  const auto one = make_system({.unknowns = {{"x", 2.0}, {"y", 5.0, false}},
                                .residual = [](double, Read x, Read xdot, Write f) {
                                  f[0] = xdot[0] + x[1];
                                  f[1] = x[1] - 3.0 * x[0];
                                }});
  auto workspace = one->workspace();
  const auto r = restart(*one, *workspace, 0.0, one->start_values());
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_EQ(r->x[0], 2.0);
  EXPECT_NEAR(r->x[1], 6.0, 1e-14);
  ASSERT_EQ(r->changes.size(), 1u);
  const auto squares =
      restart(*one, *workspace, 0.0, one->start_values(), {.policy = RestartPolicy::least_squares});
  ASSERT_FALSE(squares.has_value());
  EXPECT_TRUE(says(squares.failure().message, "does not offer its derivatives"));
}

// ---- map -------------------------------------------------------------------------------------------

TEST(RestartMap, MappedValuesAreTheWish) {
  Started s = pendulum();
  RestartOptions o;
  o.policy = RestartPolicy::map;
  o.mapped = {{s.index_of("u"), -0.3}, {s.index_of("v"), -0.4}};  // thrown back
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_NEAR(s.value(*r, "u"), -0.3, consistent);
  EXPECT_NEAR(s.value(*r, "v"), -0.4, consistent);
  EXPECT_NEAR(s.value(*r, "x"), 0.8, consistent);
  o.policy = RestartPolicy::keep;
  EXPECT_THROW((void)s.restart_with(o), OptionError);
}

// ---- check -----------------------------------------------------------------------------------------

TEST(RestartCheck, ConsistentValuesPassAndOthersAreNamed) {
  Started s = pendulum();
  EXPECT_TRUE(s.restart_by(RestartPolicy::check).has_value());
  s.set({{"x", 0.9}});
  const auto refused = s.restart_by(RestartPolicy::check);
  ASSERT_FALSE(refused.has_value());
  const std::string& why = refused.failure().message;
  EXPECT_TRUE(says(why, "equation 'length' is left at 0.1699999")) << why;  // 0.81 + 0.36 - 1
  EXPECT_TRUE(says(why, "'x' is 0.9")) << why;
}

TEST(RestartCheck, AHiddenConstraintIsNamedWithItsDerivative) {
  Started s = pendulum();
  s.set({{"u", 0.6}});  // on the circle, but leaving it
  const auto refused = s.restart_by(RestartPolicy::check);
  ASSERT_FALSE(refused.has_value());
  const std::string& why = refused.failure().message;
  EXPECT_TRUE(says(why, "'u' is 0.6") || says(why, "'v' is 0.4")) << why;
}

TEST(RestartCheck, GuessesMayMoveWhereStatedValuesMayNot) {
  Model m("algebraic");
  Expr x = m.state("x", 2.0), y = m.algebraic("y", {.guess = 5.0});
  m.equation("decay", der(x) == -y);
  m.equation("rate", y == 3.0 * x);
  Started s(m);
  EXPECT_TRUE(s.restart_by(RestartPolicy::check).has_value());
  s.start.x_given[s.index_of("y")] = 1;
  const auto refused = s.restart_by(RestartPolicy::check);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(says(refused.failure().message, "equation 'rate' is left at -1"))
      << refused.failure().message;
  EXPECT_TRUE(says(refused.failure().message, "'y' is 5, consistent would be 6"));
}

// ---- fixed values ------------------------------------------------------------------------------------

TEST(RestartFixed, WhatIsFixedStaysAndTheRestFollows) {
  Started s = pendulum();
  s.set({{"x", 0.6}, {"y", -0.7}, {"u", 1.2}, {"v", 0.0}});
  RestartOptions o;
  o.fixed = s.flags({"x", "u"});
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_EQ(s.value(*r, "x"), 0.6);
  EXPECT_EQ(s.value(*r, "u"), 1.2);
  EXPECT_NEAR(s.value(*r, "y"), -0.8, consistent);
  EXPECT_NEAR(s.value(*r, "v"), 0.9, consistent);
}

TEST(RestartFixed, ValuesThatContradictTheEquationsAreNamed) {
  Started s = pendulum();
  s.set({{"x", 0.9}, {"y", -0.9}});
  RestartOptions o;
  o.fixed = s.flags({"x", "y"});
  const auto r = s.restart_with(o);
  ASSERT_FALSE(r.has_value());
  EXPECT_TRUE(says(r.failure().message, "fixed start values of")) << r.failure().message;
  EXPECT_TRUE(says(r.failure().message, "'x'")) << r.failure().message;
  EXPECT_TRUE(says(r.failure().message, "'y'")) << r.failure().message;
  EXPECT_TRUE(says(r.failure().message, "'length'")) << r.failure().message;
  EXPECT_FALSE(says(r.failure().message, "'u'")) << r.failure().message;
  // The same values are accepted where they do not contradict anything.
  s.set({{"x", 0.6}, {"y", -0.8}});
  EXPECT_TRUE(s.restart_with(o).has_value());
}

TEST(RestartFixed, AnAlgebraicUnknownThatWasFixedIsNamed) {
  Started s = pendulum();
  s.set({{"lambda", 40.0}});
  RestartOptions o;
  o.fixed = s.flags({"x", "u", "lambda"});
  const auto r = s.restart_with(o);
  ASSERT_FALSE(r.has_value());
  EXPECT_TRUE(says(r.failure().message, "'lambda'")) << r.failure().message;
}

TEST(RestartFixed, RelaxedValuesAreWishesOfGreatWeight) {
  Started s = pendulum();
  s.set({{"x", 0.9}, {"y", -0.9}, {"u", 0.0}, {"v", 0.0}, {"lambda", 7.0}});
  RestartOptions o;
  o.fixed = s.flags({"x", "y"});
  o.relax = true;
  const auto r = s.restart_with(o);
  ASSERT_TRUE(r.has_value()) << r.failure().message;
  EXPECT_EQ(r->warnings.size(), 1u);
  EXPECT_NEAR(length_of(s, *r), 1.0, consistent);
  // Nearest on the circle up to the pull of the rest, which weighs a millionth.
  EXPECT_NEAR(s.value(*r, "x"), std::sqrt(0.5), 1e-4);
  EXPECT_NEAR(s.value(*r, "y"), -std::sqrt(0.5), 1e-4);
  // Not relaxed without being asked, and not relaxed without need.
  o.fixed = s.flags({"x"});
  const auto held = s.restart_with(o);
  ASSERT_TRUE(held.has_value()) << held.failure().message;
  EXPECT_EQ(s.value(*held, "x"), 0.9);
  EXPECT_TRUE(held->warnings.empty());
}

// ---- impulses that do not exist ------------------------------------------------------------------------

TEST(RestartImpulse, ASquareOfAnImpulseHasNoLimit) {
  Model m("square");
  Expr v1 = m.state("v1", 10.0), v2 = m.state("v2", 2.0), i = m.algebraic("i"),
       p = m.algebraic("p");
  m.equation("first", der(v1) == i);
  m.equation("second", 3.0 * der(v2) == -i);
  m.equation("parallel", v1 == v2);
  m.equation("losses", p == i * i);
  Started s(m);
  const auto r = s.restart_by(RestartPolicy::impulse);
  ASSERT_FALSE(r.has_value());
  EXPECT_TRUE(says(r.failure().message, "the impulse of 'p' has no limit")) << r.failure().message;
  // With nothing to jump there is nothing to square.
  s.set({{"v1", 2.0}});
  EXPECT_TRUE(s.restart_by(RestartPolicy::impulse).has_value());
}

TEST(RestartImpulse, ACapacityThatJumpsWithItsVoltageIsWarnedOf) {
  const auto warnings = [](double nonlinear) {
    Model m("varactor");
    Expr v1 = m.state("v1", 2.0), v2 = m.state("v2", 1.0), i = m.algebraic("i");
    m.equation("first", (1.0 + nonlinear * v1) * der(v1) == i);
    m.equation("second", 3.0 * der(v2) == -i);
    m.equation("parallel", v1 == v2);
    Started s(m);
    const auto r = s.restart_by(RestartPolicy::impulse);
    EXPECT_TRUE(r.has_value()) << r.failure().message;
    return r ? r->warnings : std::vector<std::string>{};
  };
  EXPECT_TRUE(warnings(0.0).empty());
  const auto some = warnings(0.2);
  ASSERT_EQ(some.size(), 1u);
  EXPECT_TRUE(says(some[0], "path-dependent impulse")) << some[0];
  EXPECT_TRUE(says(some[0], "'first'")) << some[0];
}

}  // namespace
}  // namespace saltus
