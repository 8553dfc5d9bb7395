// What each policy makes of start values that were stated.
#include "hybrid/mode/start_policy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <saltus/system/function_system.hpp>

#include "linear_system.hpp"

namespace saltus::hybrid_test {
namespace {

struct PolicyCase {
  PolicyCase(std::shared_ptr<const System> from, StartPolicy policy, double t_begin = 0.0)
      : system(std::move(from)) {
    RunOptions options;
    options.start = policy;
    options.t_begin = t_begin;
    options.t_end = t_begin + 4.0;
    const auto workspace = system->workspace();
    found = detail::apply_start_policy(system, *workspace, options, choices);
  }
  bool is_the_same() const { return found && (*found).system == system && !(*found).jump; }
  StartValues start() const { return (*found).system->start_values(); }

  std::shared_ptr<const System> system;
  std::vector<DecisionRecord> choices;
  Result<detail::ChosenStart> found = Failure{FailureCode::singular, "not asked"};
};

PolicyCase of_capacitors(StartPolicy policy, double u, double w) {
  return {linear_system(two_capacitors(u, w)), policy};
}

/// x' = -x, y = 2 x: y is stated, and has no derivative.
LinearParts stated_output(double y) {
  return {.unknowns = {{"x", 1.0}, {"y", y, true, false}},
          .e = {{0, 0}, {1, 0}},
          .a = {{-2, 1}, {1, 0}},
          .b = {0, 0}};
}

TEST(StartPolicyOfARun, KeepTakesTheSystemAsItIs) {
  EXPECT_TRUE(of_capacitors(StartPolicy::keep, 3.0, 0.0).is_the_same());
}

TEST(StartPolicyOfARun, CheckLetsConsistentValuesPass) {
  const PolicyCase c = of_capacitors(StartPolicy::check, 3.0, 3.0);
  EXPECT_TRUE(c.is_the_same());
  EXPECT_TRUE(c.choices.empty());
}

TEST(StartPolicyOfARun, CheckRefusesByName) {
  const PolicyCase c{linear_system(stated_output(5.0)), StartPolicy::check, 2.0};
  ASSERT_FALSE(c.found.has_value());
  EXPECT_EQ(c.found.failure().code, FailureCode::not_certified);
  const std::string& text = c.found.failure().message;
  EXPECT_TRUE(text.starts_with("start at t = 2: the stated values are not consistent")) << text;
  EXPECT_NE(text.find("'y' is 5, consistent would be 2"), std::string::npos) << text;
}

/// The nearest point to (3, 0) on u = w is the one in the middle, whatever the charge says.
TEST(StartPolicyOfARun, LeastSquaresTakesTheNearestPointAndSaysSo) {
  const PolicyCase c = of_capacitors(StartPolicy::least_squares, 3.0, 0.0);
  ASSERT_TRUE(c.found.has_value()) << c.found.failure().message;
  EXPECT_FALSE((*c.found).jump.has_value());
  EXPECT_NEAR(c.start().x[0], 1.5, 1e-12);
  EXPECT_NEAR(c.start().x[1], 1.5, 1e-12);
  EXPECT_EQ(c.start().x_given, (std::vector<std::uint8_t>{1, 1, 0}));
  // The old system is left alone.
  EXPECT_EQ(c.system->start_values().x[0], 3.0);
  ASSERT_EQ(c.choices.size(), 2U);
  EXPECT_EQ(c.choices[0].name, "start value of u");
  EXPECT_EQ(c.choices[0].given, "3");
  EXPECT_NEAR(std::stod(c.choices[0].used), 1.5, 1e-12);
  EXPECT_EQ(c.choices[0].reason, "least squares at t = 0");
  EXPECT_EQ(c.choices[1].name, "start value of w");
}

/// The jump keeps the charge u + 2 w = 3: to 1, by an impulse of 1 - 3 in i. The system still has the stated values.
TEST(StartPolicyOfARun, ImpulseLetsStatedValuesJump) {
  const PolicyCase c = of_capacitors(StartPolicy::impulse, 3.0, 0.0);
  ASSERT_TRUE(c.found.has_value()) << c.found.failure().message;
  EXPECT_EQ((*c.found).system, c.system);
  ASSERT_TRUE((*c.found).jump.has_value());
  const Restart& jump = *(*c.found).jump;
  EXPECT_NEAR(jump.x[0], 1.0, 1e-9);
  EXPECT_NEAR(jump.x[1], 1.0, 1e-9);
  ASSERT_EQ(jump.impulses.size(), 1U);
  EXPECT_EQ(jump.impulses[0].name, "i");
  EXPECT_NEAR(jump.impulses[0].strength, -2.0, 1e-9);
  EXPECT_TRUE(c.choices.empty());
}

/// Rounding of u = 3 is 1e-9 (3 + 1). Where w is off by d, u moves by 2 d / 3.
TEST(StartPolicyOfARun, WhatMovesByLessThanRoundingDoesNotJump) {
  for (const double d : {4e-9, 8e-9}) {
    const PolicyCase c = of_capacitors(StartPolicy::impulse, 3.0 + d, 3.0);
    ASSERT_TRUE(c.found.has_value()) << c.found.failure().message;
    EXPECT_EQ((*c.found).jump.has_value(), 2.0 * d / 3.0 > 4e-9) << d;
  }
}

TEST(StartPolicyOfARun, GuessesHaveNoHistoryAndGiveWay) {
  LinearParts parts = two_capacitors(3.0, 0.5);
  parts.unknowns[0].is_stated = false;
  const PolicyCase c{linear_system(parts), StartPolicy::impulse};
  ASSERT_TRUE(c.found.has_value()) << c.found.failure().message;
  EXPECT_FALSE((*c.found).jump.has_value());
  EXPECT_NEAR(c.start().x[0], 0.5, 1e-12);
  EXPECT_NEAR(c.start().x[1], 0.5, 1e-12);
  // A guess that changes is nothing to tell.
  EXPECT_TRUE(c.choices.empty());
}

TEST(StartPolicyOfARun, WhatChangesWithoutImpulsesIsNamedAsSuch) {
  const PolicyCase c{linear_system(stated_output(5.0)), StartPolicy::impulse, 2.0};
  ASSERT_TRUE(c.found.has_value()) << c.found.failure().message;
  EXPECT_FALSE((*c.found).jump.has_value());
  EXPECT_NEAR(c.start().x[1], 2.0, 1e-12);
  EXPECT_NEAR(c.start().xdot[0], -1.0, 1e-12);
  ASSERT_EQ(c.choices.size(), 1U);
  EXPECT_EQ(c.choices[0].name, "start value of y");
  EXPECT_EQ(c.choices[0].reason, "consistency, without impulses at t = 2");
}

/// y = 2 x + 10 from t = 2 on: a start at that time belongs to the piece that begins there.
TEST(StartPolicyOfARun, TheStartBelongsToThePieceThatBeginsThere) {
  LinearParts parts = stated_output(12.0);
  parts.breakpoint = 2.0;
  const auto system = linear_system(parts);
  EXPECT_TRUE((PolicyCase{system, StartPolicy::check, 2.0}.is_the_same()));
  EXPECT_FALSE((PolicyCase{system, StartPolicy::check, 1.0}.found.has_value()));
}

TEST(StartPolicyOfARun, RelationsAreDecidedAtTheStatedValues) {
  for (const double x : {2.0, -2.0}) {
    const auto system = make_system({.unknowns = {{"x", x}, {"y", 0.0, false}},
                                     .switches = {{"x > 0"}},
                                     .switching = [](double, auto at, auto g) { g[0] = at[0]; },
                                     .locked_residual =
                                         [](double, auto at, auto xdot, auto side, auto f) {
                                           f[0] = xdot[0] - 1.0;
                                           f[1] = at[1] - (side[0] != 0 ? 10.0 : -10.0);
                                         }});
    const PolicyCase c{system, StartPolicy::impulse};
    ASSERT_TRUE(c.found.has_value()) << c.found.failure().message;
    EXPECT_NEAR(c.start().x[1], 5.0 * x, 1e-6);
  }
}

TEST(StartPolicyOfARun, InitialEquationsComeBeforeEveryPolicy) {
  for (const StartPolicy policy :
       {StartPolicy::keep, StartPolicy::check, StartPolicy::impulse, StartPolicy::least_squares}) {
    LinearParts parts = stated_output(0.0);
    parts.unknowns[0].is_stated = parts.unknowns[1].is_stated = false;
    parts.initial = 7.0;
    const PolicyCase c{linear_system(parts), policy};
    ASSERT_TRUE(c.found.has_value()) << c.found.failure().message;
    EXPECT_NEAR(c.start().x[0], 7.0, 1e-12);
    EXPECT_NEAR(c.start().x[1], 14.0, 1e-12);
    ASSERT_EQ(c.choices.size(), 1U);
    EXPECT_EQ(c.choices[0].reason, "initial equations at t = 0");
  }
}

TEST(StartPolicyOfARun, InitialEquationsThatContradictAStatedValueAreRefused) {
  LinearParts parts = stated_output(2.0);
  parts.initial = 7.0;
  EXPECT_FALSE((PolicyCase{linear_system(parts), StartPolicy::keep}.found.has_value()));
}

}  // namespace
}  // namespace saltus::hybrid_test
