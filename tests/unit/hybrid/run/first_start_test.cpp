// The start of the mode that a run begins in.
#include "hybrid/run/first_start.hpp"

#include "../dressed_system.hpp"
#include "../mode/linear_system.hpp"
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using Systems = std::vector<std::shared_ptr<const System>>;

/// Is told how a run begins.
struct StartListener final : RunFollower {
  std::vector<double> x;
  std::vector<std::string> broken;
  void begins(const FollowedPoint& at, const FoundStart&) override {
    x.assign(at.x.begin(), at.x.end());
  }
  void breaks(double, const std::string& why) override { broken.push_back(why); }
  void goes_on(const FollowedPoint&, const std::string&) override {}
  void piece(const System&, Workspace&, const StepPolynomial&) override {}
  void catch_up() override {}
  void hardly_misses(std::uint32_t, double) override {}
  void meets(const FollowedPoint&, std::span<const FollowedCrossing>,
             const std::function<bool(std::uint32_t)>&) override {}
  void acts(EventActions&, std::span<const FollowedAction>, double, std::span<const double>,
            std::span<const double>) override {}
  void settles(const FollowedPoint&) override {}
  void changes_mode(const FollowedPoint&, const MovedStart&) override {}
  void keeps_to(const FollowedPoint&, std::span<const KeptSurface>, bool) override {}
  void stands_on(const FollowedPoint&, std::uint32_t, const std::function<bool()>&) override {}
};

struct FirstStart {
  explicit FirstStart(Systems systems, RunOptions options = {})
      : source(std::make_shared<SeveralModes>(std::move(systems))),
        ground(source, std::move(options), null_observer(), &listener) {}
  explicit FirstStart(SystemFunctions f, RunOptions options = {})
      : FirstStart(Systems{make_system(std::move(f))}, std::move(options)) {}

  Result<void> try_to_begin(std::optional<Restart> jump = {}) {
    ground.here.enter(ground.modes.at(0));
    return detail::begin_first_mode(ground.frame, ground.modes, std::move(jump));
  }
  void begin(std::optional<Restart> jump = {}) {
    const auto begun = try_to_begin(std::move(jump));
    ASSERT_TRUE(begun.has_value()) << begun.failure().message;
  }
  /// The refusal of an option, by what is called.
  static std::string refusal(const std::function<void()>& call) {
    try {
      call();
    } catch (const OptionError& e) {
      return e.what();
    }
    return "";
  }
  std::string refused_check() {
    return refusal([&] { detail::check_and_report(ground, "tank"); });
  }
  std::string refused_begin() {
    return refusal([&] { (void)try_to_begin(); });
  }
  std::string choices() {
    std::string all;
    for (const DecisionRecord& c : ground.ledger.choices())
      all += c.name + ": " + c.used + " (" + c.reason + ")\n";
    return all;
  }
  const std::vector<std::string>& warnings() { return ground.ledger.report().warnings; }

  StartListener listener;
  std::shared_ptr<SeveralModes> source;
  detail::Ground ground;
};

TEST(FirstStart, TheReportSaysWhatWasAskedFor) {
  FirstStart s(rising(), {.t_begin = 1.0, .t_end = 3.0, .rtol = 1e-3});
  detail::check_and_report(s.ground, "tank");
  const RunReport& report = s.ground.ledger.report();
  EXPECT_EQ(report.model, "tank");
  EXPECT_EQ(report.t_begin, 1.0);
  EXPECT_EQ(report.t_reached, 1.0);
  EXPECT_EQ(report.t_requested, 3.0);
  EXPECT_EQ(std::ranges::count(report.options, true, &OptionPair::changed), 3);
}

TEST(FirstStart, OptionsThatDoNotFitTheModelAreRefused) {
  EXPECT_EQ(FirstStart(rising(), {.t_begin = 1.0, .t_end = 1.0}).refused_check(),
            "option 't_end': is the same as t_begin: there is nothing to run");
  FirstStart backward(rising(), {.t_end = -1.0});
  EXPECT_EQ(backward.refused_check(), "");
  backward.source->ways.emplace_back();
  EXPECT_EQ(backward.refused_check(),
            "option 't_end': lies before t_begin: transitions between modes cannot be undone");
  EXPECT_EQ(FirstStart(rising(), {.rtol = 0.0}).refused_check().find("option 'rtol': 0 is refused"),
            0U);
  EXPECT_EQ(FirstStart(rising(), {.mode_rtol = {{"z", 0.1}}}).refused_check(),
            "option 'mode_rtol': 'z' is not a mode of the model");
  RunOptions moments{.engine = EngineKind::radau};
  moments.events.sliding_rule = SlidingRule::moments;
  EXPECT_EQ(FirstStart(rising(), moments).refused_check().find("option 'events.sliding_rule'"), 0U);
}

/// Where no engine was asked for this depends on the form of the equations.
TEST(FirstStart, WeightsByMomentsNeedAnExplicitForm) {
  SystemFunctions f;
  f.unknowns = {{"x"}};
  f.locked_residual = [](double, auto, auto xdot, auto, auto r) { r[0] = xdot[0] - 1.0; };
  for (const char* name : {"one", "two"})
    add_relation(
        f, name, [](double, double x) { return x - 5.0; }, true);
  RunOptions options;
  EXPECT_EQ(FirstStart(f, options).refused_begin(), "");
  options.events.sliding_rule = SlidingRule::moments;
  EXPECT_EQ(FirstStart(f, options).refused_begin().find("option 'events.sliding_rule'"), 0U);
}

TEST(FirstStart, AModeThatCannotBeBuiltHasNoStart) {
  FirstStart s(Systems{nullptr});
  const auto begun = s.try_to_begin();
  ASSERT_FALSE(begun.has_value());
  EXPECT_EQ(begun.failure().message, "it cannot be built");
  EXPECT_FALSE(s.ground.recording.is_open());
}

TEST(FirstStart, TheRunStandsAtItsBeginAndItsFollowerKnows) {
  SystemFunctions f = rising();
  f.unknowns[0].start = 4.0;
  f.unknowns.push_back({"y", 5.0});
  f.derivative = [](double t, auto, auto xdot) { xdot[0] = xdot[1] = t; };
  FirstStart s(std::move(f), {.t_begin = 2.0, .t_end = 3.0});
  s.begin();
  EXPECT_EQ(s.ground.here.t(), 2.0);
  EXPECT_FALSE(s.ground.here.in_motion());
  EXPECT_EQ(s.ground.here->start.xdot, (std::vector<double>{2.0, 2.0}));
  EXPECT_EQ(s.listener.x, (std::vector<double>{4.0, 5.0}));
  EXPECT_TRUE(s.listener.broken.empty());
  EXPECT_EQ(std::ranges::count(s.ground.ledger.take_log().variables(), "y"), 1);
}

TEST(FirstStart, ASignThatIsForbiddenIsRefused) {
  RunOptions options;
  options.non_negative = {"x"};
  SystemFunctions f = rising();
  EXPECT_EQ(FirstStart(f, options).refused_begin(), "");
  f.unknowns[0].start = -0.5;
  EXPECT_EQ(FirstStart(f, options).refused_begin(), "option 'non_negative': 'x' starts at -0.5");
}

/// Another mode may have the relation.
TEST(FirstStart, NamesAreCheckedWhereThereIsOneMode) {
  SystemFunctions f = rising();
  add_relation(f, "half", [](double, double x) { return x - 0.5; });
  RunOptions options;
  options.events.surface_of = {{"full", SurfacePolicy::cross}};
  EXPECT_EQ(FirstStart(f, options).refused_begin().find("option 'events.surface_of': 'full'"), 0U);
  EXPECT_EQ(FirstStart(Systems{make_system(f), nullptr}, options).refused_begin(), "");
}

TEST(FirstStart, DecisionsOfTheModeAreReported) {
  for (const bool several : {false, true}) {
    Systems systems{with_guesses(make_system(rising()), {0})};
    if (several) systems.push_back(nullptr);
    FirstStart s(std::move(systems));
    s.ground.modes.at(0).choices.push_back({"engine", "", "radau", ""});
    s.begin();
    EXPECT_EQ(s.choices(), std::string("start values: x = 0 (guesses, or zero)\nengine: radau (") +
                               (several ? "mode 'a')\n" : ")\n"));
  }
}

/// The jump is known already: from x = 1 to 2.
TEST(FirstStart, AKnownJumpIsWhereTheRunBegins) {
  SystemFunctions f = rising();
  f.unknowns[0].start = 1.0;
  FirstStart s(std::move(f));
  Restart jump;
  jump.x = {2.0};
  jump.xdot = {1.0};
  jump.warnings = {"it depends on the path"};
  s.begin(std::move(jump));
  EXPECT_EQ(s.ground.here->start.x[0], 2.0);
  EXPECT_EQ(s.warnings(), (std::vector<std::string>{
                              "it depends on the path",
                              "at t = 0 the equations do not allow the start values: they change "
                              "'x' from 1 to 2, as if they had held until then"}));
  EXPECT_EQ(s.listener.broken, std::vector<std::string>{"start values jump by impulses"});
}

/// Capacitors of 1 and 2 at 3 and 0 are connected: the charge 3 makes them 1 and 1.
TEST(FirstStart, ThePolicyOfTheStartMayAskForAJump) {
  FirstStart s(Systems{std::make_shared<LinearSystem>(two_capacitors(3.0, 0.0))},
               {.start = StartPolicy::impulse});
  s.begin();
  EXPECT_NEAR(s.ground.here->start.x[0], 1.0, 1e-9);
  EXPECT_NEAR(s.ground.here->start.x[1], 1.0, 1e-9);
  EXPECT_EQ(s.listener.broken.size(), 1U);
}

/// x = t^2 and x > 0.
TEST(FirstStart, RelationsAtRestGoWithTheFirstMotion) {
  SystemFunctions f;
  f.unknowns = {{"x"}};
  f.derivative = [](double t, auto, auto xdot) { xdot[0] = 2.0 * t; };
  add_relation(f, "x > 0", [](double, double x) { return x; });
  FirstStart s(std::move(f));
  s.begin();
  EXPECT_TRUE(s.ground.here->kit->board.truth(0));
}

/// What a mode does where these hold: a transition, a requirement that fails, a clause.
Result<detail::InstantResult> leave_first(std::vector<ActionKind> kinds, std::string& choices) {
  Dress dress;
  for (const ActionKind kind : kinds)
    dress.add_action(kind, "x >= 0", [](auto truths, auto) { return truths[0] != 0; });
  SystemFunctions f = rising();
  f.unknowns[0].start = -1.0;
  add_relation(f, "x < 0", [](double, double x) { return -x; });
  FirstStart s(Systems{dressed(std::move(f), std::move(dress))});
  s.source->ways.emplace_back().name = "out";
  s.begin();
  auto left = detail::left_at_start(s.ground.frame);
  choices = s.choices();
  return left;
}

TEST(FirstStart, AModeMayBeLeftAtOnce) {
  std::string choices;
  const auto left = leave_first({ActionKind::requirement, ActionKind::transition}, choices);
  ASSERT_TRUE(left.has_value()) << left.failure().message;
  ASSERT_EQ(left->leaving.size(), 1U);
  EXPECT_EQ(left->leaving[0].action, 1U);
  EXPECT_EQ(left->start.x, std::vector<double>{-1.0});
  EXPECT_EQ(left->start.xdot, std::vector<double>{1.0});
}

TEST(FirstStart, WhatIsRequiredInVainIsAFailureWithoutAWayOut) {
  std::string choices;
  const auto left = leave_first({ActionKind::requirement}, choices);
  ASSERT_FALSE(left.has_value());
  EXPECT_EQ(left.failure().message.find("at t = 0 mode 'a' requires x >= 0, which does not hold"),
            0U);
}

TEST(FirstStart, AClauseWhoseConditionHoldsIsNoted) {
  std::string choices;
  const auto left = leave_first({ActionKind::assignments}, choices);
  ASSERT_TRUE(left.has_value()) << left.failure().message;
  EXPECT_TRUE(left->leaving.empty());
  EXPECT_TRUE(left->start.x.empty());
  EXPECT_EQ(choices,
            "when-clause 'x >= 0': not carried out ('condition of x >= 0' holds from the "
            "start, at t = 0)\n");
}

}  // namespace
}  // namespace saltus::hybrid_test
