// How a run begins: in which mode, what is done before any time has passed, and where it ends if it cannot begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <saltus/hybrid/run.hpp>

#include "../dressed_system.hpp"

namespace saltus::hybrid_test {
namespace {

/// Modes in which x' = rate; one relation, x > 1.
struct FirstModes {
  static SystemFunctions rising_at(double rate, double start = 0.0) {
    SystemFunctions f;
    f.unknowns = {{"x", start}};
    f.switches = {{"x > 1"}};
    f.switching = [](double, auto x, auto g) { g[0] = x[0] - 1.0; };
    f.locked_derivative = [rate](double, auto, auto, auto xdot) { xdot[0] = rate; };
    return f;
  }
  static Dress::Action sets_x(const std::string& name, double by, bool at_start = true) {
    Dress::Action action{{}, [](auto truths, auto) { return truths[0] != 0; }};
    action.info.name = name;
    action.info.at_start = at_start;
    action.info.targets = {{true, 0}};
    action.info.target_names = {"x"};
    action.value = [by](auto x, auto) { return x[0] + by; };
    return action;
  }
  static Dress requiring(bool possible) {
    Dress dress;
    dress.add_action(ActionKind::requirement, "luck", [possible](auto, auto) { return !possible; });
    return dress;
  }
  static Run of(std::vector<std::shared_ptr<const System>> systems, RunOptions options = {}) {
    if (options.engine == EngineKind::automatic) options.engine = EngineKind::dopri5;
    return Run("starts", std::make_shared<SeveralModes>(std::move(systems)), std::move(options));
  }
  static const DecisionRecord* choice(const Run& run, const std::string& name) {
    const auto& choices = run.report().choices;
    const auto found = std::ranges::find(choices, name, &DecisionRecord::name);
    return found == choices.end() ? nullptr : &*found;
  }
  static void expect_not_started(Run run, const std::string& why) {
    EXPECT_TRUE(run.ended());
    EXPECT_FALSE(run.advance());
    const Solution solution = run.finish();
    EXPECT_EQ(solution.report.outcome, Outcome::not_started);
    EXPECT_NE(solution.report.message.find(why), std::string::npos) << solution.report.message;
    EXPECT_EQ(solution.report.t_reached, 0.0);
    EXPECT_EQ(solution.trajectory.n_rows(), 0U);
  }
};

TEST(ControllerStart, ItStandsAtItsBeginWithOneRow) {
  RunOptions options;
  options.t_begin = 3.0;
  options.t_end = 4.0;
  const saltus::Run run = FirstModes::of({make_system(FirstModes::rising_at(2.0))}, options);
  EXPECT_FALSE(run.ended());
  EXPECT_EQ(run.t(), 3.0);
  EXPECT_EQ(run.xdot()[0], 2.0);
  EXPECT_EQ(run.report().model, "starts");
  EXPECT_EQ(run.trajectory().n_rows(), 1U);
}

TEST(ControllerStart, TheFirstStepIsThatOfTheOptions) {
  RunOptions options;
  options.initial_step = 1.0 / 1024;
  saltus::Run run = FirstModes::of({make_system(FirstModes::rising_at(2.0))}, options);
  ASSERT_TRUE(run.advance());
  EXPECT_EQ(run.t(), 1.0 / 1024);
}

TEST(ControllerStart, TheModeThatIsPossibleIsNoted) {
  const saltus::Run run =
      FirstModes::of({dressed(FirstModes::rising_at(1.0), FirstModes::requiring(false)),
                      dressed(FirstModes::rising_at(2.0), FirstModes::requiring(true))});
  ASSERT_FALSE(run.ended()) << run.report().message;
  EXPECT_EQ(run.xdot()[0], 2.0);
  const DecisionRecord* noted = FirstModes::choice(run, "first mode");
  ASSERT_NE(noted, nullptr);
  EXPECT_EQ(noted->given, "automatic");
  EXPECT_EQ(noted->used, "b");
  EXPECT_EQ(noted->reason, "it is possible with the start values as they are stated");
  EXPECT_TRUE(run.report().warnings.empty());
}

TEST(ControllerStart, OtherModesThatArePossibleAreAWarning) {
  const auto either = dressed(FirstModes::rising_at(1.0), FirstModes::requiring(true));
  const saltus::Run run = FirstModes::of({either, either});
  EXPECT_EQ(run.report().warnings,
            std::vector<std::string>{"at the start modes 'a' and 'b' are both possible; 'a' was "
                                     "taken"});
}

TEST(ControllerStart, WhereTheModeIsNamedNothingIsNoted) {
  const auto either = dressed(FirstModes::rising_at(1.0), FirstModes::requiring(true));
  RunOptions options;
  options.mode = "b";
  const saltus::Run run = FirstModes::of({either, either}, options);
  EXPECT_FALSE(run.ended());
  EXPECT_EQ(FirstModes::choice(run, "first mode"), nullptr);
}

TEST(ControllerStart, WhereNoModeIsPossibleNothingBegins) {
  const auto impossible = dressed(FirstModes::rising_at(1.0), FirstModes::requiring(false));
  FirstModes::expect_not_started(
      FirstModes::of({impossible, impossible}),
      "'a': it requires luck, which does not hold; 'b': it requires luck");
  // The same of a mode that was named, and has no way out.
  RunOptions options;
  options.mode = "b";
  FirstModes::expect_not_started(FirstModes::of({impossible, impossible}, options),
                                 "mode 'b' requires luck, which does not hold");
}

TEST(ControllerStart, WithoutAConsistentStartNothingBegins) {
  SystemFunctions f;
  f.unknowns = {{"x", 1.0, false}};
  f.residual = [](double, auto x, auto, auto r) { r[0] = x[0] * x[0] + 1.0; };
  RunOptions options;
  options.engine = EngineKind::radau;
  saltus::Run run("starts", std::make_shared<SingleConfiguration>(make_system(f)), options);
  EXPECT_EQ(run.report().failure, FailureCode::not_converged);
  FirstModes::expect_not_started(std::move(run), "start at t = 0");
}

/// x' = -1 where x > 1, +1 elsewhere.
TEST(ControllerStart, AStartOnASurfaceMayBeMotionOnIt) {
  for (const double start : {1.0, 1.25}) {
    SystemFunctions f = FirstModes::rising_at(1.0, start);
    f.locked_derivative = [](double, auto, auto side, auto xdot) {
      xdot[0] = side[0] != 0 ? -1.0 : 1.0;
    };
    saltus::Run run = FirstModes::of({make_system(std::move(f))});
    const DecisionRecord* noted = FirstModes::choice(run, "start on a surface");
    ASSERT_EQ(noted != nullptr, start == 1.0);
    ASSERT_TRUE(run.advance_to(0.125));
    EXPECT_NEAR(run.value("x"), start == 1.0 ? 1.0 : 1.125, 1e-12);
    if (noted == nullptr) continue;
    EXPECT_EQ(noted->used, "sliding on x > 1");
    EXPECT_EQ(noted->reason, "both sides lead to it at t = 0");
  }
}

/// x = 0, then 2, then 5. What follows from x > 1 happens at that instant as well.
TEST(ControllerStart, ActionsOfTheStartComeBeforeTheFirstRow) {
  Dress dress;
  dress.actions = {FirstModes::sets_x("two more", 2.0), FirstModes::sets_x("none", 0.0),
                   FirstModes::sets_x("three more", 3.0),
                   FirstModes::sets_x("not yet", 100.0, false)};
  for (auto& action : dress.actions) action.when = [](auto, auto) { return false; };
  const saltus::Run run = FirstModes::of({dressed(FirstModes::rising_at(1.0), dress)});
  ASSERT_FALSE(run.ended()) << run.report().message;
  EXPECT_EQ(run.t(), 0.0);
  EXPECT_EQ(run.x()[0], 5.0);
  ASSERT_GE(run.trajectory().n_rows(), 1U);
  EXPECT_EQ(run.trajectory().row(run.trajectory().n_rows() - 1)[0], 5.0);
}

TEST(ControllerStart, AnActionThatEndsTheRunIsTheLastOne) {
  Dress dress;
  dress.actions = {FirstModes::sets_x("two more", 2.0), FirstModes::sets_x("three more", 3.0)};
  for (auto& action : dress.actions) action.when = [](auto, auto) { return false; };
  dress.actions[0].info.terminal = true;
  const saltus::Run run = FirstModes::of({dressed(FirstModes::rising_at(1.0), dress)});
  EXPECT_TRUE(run.ended());
  EXPECT_EQ(run.report().outcome, Outcome::terminal_event) << run.report().message;
  EXPECT_EQ(run.report().t_reached, 0.0);
  EXPECT_EQ(run.x()[0], 2.0);
}

/// x > 1 does not hold at x = 1, and does just after: its clause is carried out at t = 0.
TEST(ControllerStart, WhatBecomesTrueJustAfterTheStartHappensAtTheStart) {
  for (const double start : {1.0, 0.5, 1.5}) {
    Dress dress;
    dress.actions = {FirstModes::sets_x("above", 7.0, false)};
    const saltus::Run run = FirstModes::of({dressed(FirstModes::rising_at(1.0, start), dress)});
    ASSERT_FALSE(run.ended()) << run.report().message;
    EXPECT_EQ(run.x()[0], start == 1.0 ? 8.0 : start);
  }
}

/// The first mode is left at once, into one that nothing leads out of.
struct LeftAtOnce final : ConfigurationSource {
  struct Same final : TransitionMap {
    double x = 0.0;
    static constexpr UnknownStart start[] = {UnknownStart::held};
    static constexpr std::uint32_t before[] = {0};
    std::span<const UnknownStart> starts() const override { return start; }
    std::span<const std::uint32_t> same_before() const override { return before; }
    void set_left(double, std::span<const double> left, std::span<const double>,
                  std::span<const double>, std::span<const double>) override {
      x = left[0];
    }
    Evaluation wish(StartValues& wanted) override {
      wanted.x = {x};
      wanted.x_given = {1};
      return Evaluation::ok();
    }
    LimitEquations* equations() override { return nullptr; }
  };
  explicit LeftAtOnce(double start) {
    Dress dress;
    dress.add_action(ActionKind::transition, "go",
                     [](auto truths, auto) { return truths[0] != 0; });
    first = dressed(FirstModes::rising_at(1.0, start), std::move(dress));
    second = make_system(FirstModes::rising_at(-1.0, -9.0));
    ways.emplace_back();
    ways[0].name = "go";
    ways[0].candidates = {1};
  }
  std::shared_ptr<const System> first, second;
  std::vector<TransitionInfo> ways;
  Configuration initial() const override { return {}; }
  std::uint32_t n_modes() const override { return 2; }
  std::string mode_name(std::uint32_t mode) const override { return mode == 0 ? "up" : "down"; }
  Result<std::shared_ptr<const System>> system(const Configuration& configuration) override {
    return configuration.mode == 0 ? first : second;
  }
  std::span<const TransitionInfo> transitions() const override { return ways; }
  Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t, std::uint32_t) override {
    return std::unique_ptr<TransitionMap>(std::make_unique<Same>());
  }
};

TEST(ControllerStart, AModeWhoseTransitionHoldsIsLeftBeforeAnyTimeHasPassed) {
  for (const double start : {1.5, 0.5}) {
    RunOptions options;
    options.engine = EngineKind::dopri5;
    options.t_end = 0.25;
    saltus::Run run("starts", std::make_shared<LeftAtOnce>(start), options);
    ASSERT_FALSE(run.ended()) << run.report().message;
    EXPECT_EQ(run.t(), 0.0);
    EXPECT_EQ(run.x()[0], start);
    EXPECT_EQ(run.xdot()[0], start > 1.0 ? -1.0 : 1.0);
    ASSERT_EQ(run.trajectory().segments().size(), 1U);
    EXPECT_EQ(run.trajectory().segments()[0].mode, start > 1.0 ? "down" : "up");
  }
}

/// A mode that cannot be made.
class NoSystem final : public ConfigurationSource {
 public:
  Configuration initial() const override { return {}; }
  std::string mode_name(std::uint32_t) const override { return "none"; }
  Result<std::shared_ptr<const System>> system(const Configuration&) override {
    return Failure{FailureCode::singular, "there is no such system"};
  }
};

TEST(ControllerStart, ARunThatDidNotBeginCanBeAskedForEverything) {
  saltus::Run run("none", std::make_shared<NoSystem>(), RunOptions{});
  EXPECT_TRUE(run.ended());
  EXPECT_EQ(run.report().outcome, Outcome::not_started);
  EXPECT_TRUE(run.trajectory().empty());
  EXPECT_THROW((void)run.value("x"), Error);
  EXPECT_THROW((void)run.system(), Error);
}

}  // namespace
}  // namespace saltus::hybrid_test
