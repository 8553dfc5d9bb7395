// Start values of a run that has initial equations.
#include "hybrid/mode/initial_values.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "../dressed_system.hpp"

namespace saltus::hybrid_test {
namespace {

/// x' = -x, y' = 1 and z = x + y with guesses (x, 7, 0); the relation x > 1 if it is asked for.
struct Initially {
  using In = Dress::In;
  using Truths = Dress::Truths;
  explicit Initially(double x_guess = 0.0) : guess(x_guess) {}
  void add_equation(std::function<double(In x, In discrete, Truths truths)> residual) {
    dress.initial.push_back({"initial", std::move(residual)});
  }
  /// d = value(x, d) at the start.
  ActionInfo& add_start_action(std::function<double(In x, In discrete)> value) {
    ActionInfo& info =
        dress.add_action(ActionKind::assignments, "set d", [](Truths, In) { return false; });
    dress.actions.back().value = std::move(value);
    info.at_start = true;
    info.targets = {{false, 0}};
    return info;
  }
  Result<StartValues> find() {
    SystemFunctions f;
    f.unknowns = {{"x", guess}, {"y", 7.0}, {"z", 0.0, false}};
    f.residual = [](double, auto x, auto xdot, auto r) {
      r[0] = xdot[0] + x[0], r[1] = xdot[1] - 1.0, r[2] = x[2] - x[0] - x[1];
    };
    if (relation) {
      f.switches = {{"x > 1", false}};
      f.switching = [g = relation](double, auto x, auto out) { out[0] = g(x[0]); };
    }
    const auto system = with_guesses(dressed(std::move(f), dress), {0, 0, 0});
    const auto workspace = system->workspace();
    choices.clear();
    return detail::values_by_initial_equations(
        *system, *workspace, *workspace->ability<InitialEquations>(), options, choices);
  }
  double x() {
    const auto found = find();
    EXPECT_TRUE(found.has_value()) << found.failure().message;
    return found ? found->x[0] : std::nan("");
  }
  std::string refusal(FailureCode code) {
    const auto found = find();
    EXPECT_FALSE(found.has_value());
    if (found) return "";
    EXPECT_EQ(found.failure().code, code);
    return found.failure().message;
  }
  double guess;
  Dress dress;
  double (*relation)(double x) = nullptr;
  RunOptions options;
  std::vector<DecisionRecord> choices;
};

double above_one_of(double x) { return x - 1.0; }

/// y keeps its guess, and z is no state.
TEST(InitialValues, WhatTheEquationsGiveCountsAsStated) {
  Initially s(0.5);
  s.options.t_begin = 2.0;
  s.add_equation([](auto x, auto, auto) { return 2.0 * x[0] - 6.0; });
  const auto found = s.find();
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_EQ(found->x[0], 3.0);
  EXPECT_EQ(found->x[1], 7.0);
  EXPECT_NEAR(found->x[2], 10.0, 1e-12);
  EXPECT_NEAR(found->xdot[0], -3.0, 1e-12);
  EXPECT_EQ(found->x_given, (std::vector<std::uint8_t>{1, 0, 0}));
  ASSERT_EQ(s.choices.size(), 1U);
  EXPECT_EQ(s.choices[0].name, "start value of x");
  EXPECT_EQ(s.choices[0].given, "0.5");
  EXPECT_EQ(s.choices[0].used, "3");
  EXPECT_EQ(s.choices[0].reason, "initial equations at t = 2");
}

TEST(InitialValues, AGuessThatIsRightIsNoChoice) {
  Initially s(3.0 + 1e-12);
  s.add_equation([](auto x, auto, auto) { return x[0] - 3.0; });
  const auto found = s.find();
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  EXPECT_EQ(found->x_given[0], 1);
  EXPECT_TRUE(s.choices.empty());
}

/// From below x = 2, where x > 1 and so x = 5.
TEST(InitialValues, RelationsAreFoundWithTheValues) {
  Initially s(0.0);
  s.relation = above_one_of;
  s.add_equation([](auto x, auto, auto truths) { return x[0] - (truths[0] != 0 ? 5.0 : 2.0); });
  EXPECT_EQ(s.x(), 5.0);
  s.guess = 9.0;
  EXPECT_EQ(s.x(), 5.0);
}

TEST(InitialValues, RelationsThatContradictThemselvesAreNamed) {
  Initially s(0.0);
  s.relation = above_one_of;
  s.add_equation([](auto x, auto, auto truths) { return x[0] - (truths[0] != 0 ? 0.0 : 2.0); });
  EXPECT_EQ(s.refusal(FailureCode::not_converged),
            "start at t = 0: the initial equations have no solution: each choice of 'x > 1' leads "
            "to values that contradict it; other guesses may help");
}

TEST(InitialValues, ARelationWithoutAValueIsNamed) {
  Initially s(0.0);
  s.relation = [](double x) { return x < 0 ? std::nan("") : x - 1.0; };
  s.add_equation([](auto x, auto, auto) { return x[0] + 1.0; });
  EXPECT_EQ(
      s.refusal(FailureCode::out_of_domain),
      "start at t = 0: the relation 'x > 1' has no value where the initial equations are met");
}

/// d = 3 before; the action takes it to 7 however often the search looks, and x follows.
TEST(InitialValues, ActionsAtTheStartBeginFromTheValuesBefore) {
  Initially s(0.0);
  s.dress.discrete = {3.0};
  s.add_equation([](auto x, auto discrete, auto) { return x[0] - discrete[0]; });
  s.add_start_action([](auto, auto discrete) { return discrete[0] + 4.0; });
  EXPECT_EQ(s.x(), 7.0);
}

TEST(InitialValues, ActionsThatCannotBeKnownYetDoNotCount) {
  for (const int which : {0, 1, 2, 3}) {
    Initially s(0.0);
    s.dress.discrete = {3.0};
    s.add_equation([](auto x, auto discrete, auto) { return x[0] - discrete[0]; });
    ActionInfo& info = s.add_start_action([](auto, auto) { return 4.0; });
    if (which == 0) info.at_start = false;
    if (which == 1) info.by_laws = true;
    if (which == 2) info.comes_last = true;
    if (which == 3) info.targets = {{true, 0}};  // an unknown
    EXPECT_EQ(s.x(), 3.0) << which;
  }
}

TEST(InitialValues, AllActionsReadTheValuesBefore) {
  Initially s(0.0);
  s.dress.discrete = {3.0, 10.0};
  s.add_equation([](auto x, auto discrete, auto) { return x[0] - discrete[0] - discrete[1]; });
  s.add_start_action([](auto, auto discrete) { return discrete[1]; });
  s.add_start_action([](auto, auto discrete) { return discrete[0]; }).targets = {{false, 1}};
  EXPECT_EQ(s.x(), 13.0);
}

TEST(InitialValues, DiscreteValuesThatGoToAndFro) {
  Initially s(0.0);
  s.dress.discrete = {0.0};
  s.add_equation([](auto x, auto discrete, auto) { return x[0] - discrete[0]; });
  s.add_start_action([](auto x, auto) { return x[0] > 1.0 ? 0.0 : 2.0; });
  EXPECT_EQ(
      s.refusal(FailureCode::not_converged),
      "start at t = 0: the initial equations have no solution: each choice of discrete values "
      "leads to values that contradict it; other guesses may help");
}

TEST(InitialValues, AfterThirtyRoundsTheSearchEnds) {
  Initially s(0.0);
  s.dress.discrete = {0.0};
  double last = 0.0;
  s.add_equation([](auto x, auto discrete, auto) { return x[0] - discrete[0]; });
  s.add_start_action([&](auto x, auto) {
    last = x[0];
    return x[0] < 28.5 ? x[0] + 1.0 : 29.0;  // x = 0, 1, … 29 in the last round
  });
  EXPECT_EQ(s.x(), 29.0);
  s.dress.actions[0].value = [&](auto x, auto) { return (last = x[0]) + 1.0; };
  EXPECT_EQ(s.refusal(FailureCode::not_converged),
            "start at t = 0: after 30 rounds no values of discrete variables fit the initial "
            "equations; other start values or guesses may help");
  EXPECT_EQ(last, 29.0);
}

}  // namespace
}  // namespace saltus::hybrid_test
