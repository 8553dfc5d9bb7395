// From mode to mode: what is entered, what is written down, what follows.
#include "hybrid/instant/transitions.hpp"

#include "source_scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::GoOn;

/// How x and y start in the other mode.
struct ToldMap final : TransitionMap {
  std::vector<UnknownStart> how{UnknownStart::held, UnknownStart::mapped};
  std::vector<std::uint32_t> same{0, 1};
  double to = 7.0;
  double x = 0.0, y = 0.0;
  std::span<const UnknownStart> starts() const override { return how; }
  std::span<const std::uint32_t> same_before() const override { return same; }
  void set_left(double, std::span<const double> left, std::span<const double>,
                std::span<const double>, std::span<const double>) override {
    x = left[0], y = left[1];
  }
  Evaluation wish(StartValues& start) override {
    start.x = {x, how[1] == UnknownStart::mapped ? to : y};
    start.xdot = {1.0, 0.0};
    start.x_given = {1, 1};
    return Evaluation::ok();
  }
  LimitEquations* equations() override { return nullptr; }
};

/// x' = 1, y' = 0. Action "ring" belongs to y > 5, in both modes.
SystemFunctions mode_of_x_and_y() {
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}, {"y", 0.0}};
  f.derivative = [](double, auto, auto xdot) { xdot[0] = 1.0, xdot[1] = 0.0; };
  f.switches = {{"y > 5", false}};
  f.switching = [](double, auto x, auto g) { g[0] = x[1] - 5.0; };
  f.actions.push_back({.name = "ring", .trigger = "y > 5", .targets = {"x"}});
  f.actions.back().set = [](double, auto, auto after) { after[0] = 0.25; };
  return f;
}

struct TwoModes final : ConfigurationSource {
  SystemFunctions first = mode_of_x_and_y(), second = mode_of_x_and_y();
  std::vector<TransitionInfo> all{1};
  ToldMap map;
  std::vector<std::string> parts[2];

  TwoModes() {
    all[0].name = "go on";
    all[0].candidates = {1};
  }
  Configuration initial() const override { return {}; }
  std::uint32_t n_modes() const override { return 2; }
  std::string mode_name(std::uint32_t mode) const override { return mode ? "second" : "first"; }
  std::span<const std::string> mode_parts(std::uint32_t mode) const override { return parts[mode]; }
  Result<std::shared_ptr<const System>> system(const Configuration& c) override {
    return make_system(c.mode ? second : first);
  }
  std::span<const TransitionInfo> transitions() const override { return all; }
  Result<std::unique_ptr<TransitionMap>> transition_map(std::uint32_t, std::uint32_t) override {
    return std::unique_ptr<TransitionMap>(std::make_unique<ToldMap>(map));
  }
};

/// The first mode is left at t = 1/2, where x = 1/2 and y = 0.
struct Leave {
  std::shared_ptr<TwoModes> source = std::make_shared<TwoModes>();
  RunOptions options = Scene::in_one_second();
  QuietFollower* follower = nullptr;
  std::vector<detail::Crossing> crossings;
  detail::InstantResult result;
  const detail::SurfaceWay* instead_of = nullptr;
  std::unique_ptr<SourceScene> scene;

  detail::Verdict pass(double t = 0.5) {
    scene = std::make_unique<SourceScene>(source, options, follower);
    scene->here()->natural_step = 0.0625;
    const detail::EventPoint point{t, {0.5, 0.0}, {1.0, 0.0}};
    EXPECT_TRUE(scene->at.left.note(point).has_value());
    result.start.x = point.x;
    result.start.xdot = point.xdot;
    if (result.leaving.empty()) result.leaving = {{0, 0}};
    detail::Verdict verdict =
        scene->at.transitions.leave({point, crossings, result, true, instead_of});
    const auto* failed = std::get_if<Failure>(&verdict);
    EXPECT_EQ(failed, nullptr) << failed->message;
    return verdict;
  }
  EventLog log() { return scene->ground.ledger.take_log(); }
  detail::Stay& here() { return scene->here(); }
  const std::vector<std::string>& warnings() { return scene->ground.ledger.report().warnings; }
};

/// Without an action that the map would set off.
void be_silent(Leave& leave) { leave.source->second.actions.clear(); }

TEST(Transitions, TheOtherModeIsEnteredAndMoves) {
  Leave leave;
  be_silent(leave);
  const detail::Verdict verdict = leave.pass();
  const auto* on = std::get_if<GoOn>(&verdict);
  ASSERT_NE(on, nullptr);
  EXPECT_TRUE(on->is_event);
  EXPECT_EQ(leave.here()->name, "second");
  EXPECT_TRUE(leave.here().in_motion());
  EXPECT_EQ(leave.here().t(), 0.5);
  EXPECT_EQ(leave.here().x()[0], 0.5);
  EXPECT_EQ(leave.here().x()[1], 7.0);
  EXPECT_EQ(leave.here()->natural_step, 0.0625);  // until it has one of its own
  EXPECT_TRUE(leave.here()->kit->board.truth(0));
}

TEST(Transitions, TheLogTellsWhatLedThereAndWhatJumped) {
  Leave leave;
  be_silent(leave);
  leave.crossings = {{0, 1}};
  leave.result.n_micro_steps = 2;
  (void)leave.pass();
  const EventLog log = leave.log();
  ASSERT_EQ(log.events().size(), 2U);
  EXPECT_EQ(log.events()[0].kind, EventKind::state);
  const Event& event = log.events()[1];
  EXPECT_EQ(event.kind, EventKind::structural);
  EXPECT_EQ(event.name, "go on");
  EXPECT_EQ(event.micro_step, 2U);
  EXPECT_NE(event.cause, "");
  EXPECT_EQ(event.note, "");
  const EventInstant& instant = log.instants()[0];
  EXPECT_EQ(instant.mode_before, "first");
  EXPECT_EQ(instant.mode_after, "second");
  EXPECT_TRUE(instant.restarted);
  EXPECT_EQ(instant.n_micro_steps, 3U);
  ASSERT_EQ(instant.candidates.size(), 1U);
  EXPECT_TRUE(instant.candidates[0].taken);
  ASSERT_EQ(instant.jumps.size(), 1U);  // x has not jumped
  EXPECT_EQ(instant.jumps[0].variable, "y");
  EXPECT_EQ(instant.jumps[0].before, 0.0);
  EXPECT_EQ(instant.jumps[0].after, 7.0);
  EXPECT_EQ(instant.jumps[0].cause, JumpCause::map);
  EXPECT_EQ(instant.jumps[0].by, "go on");
  EXPECT_NEAR(instant.jumps[0].in_tolerances, 7e6, 1.0);  // of 1e-6
}

TEST(Transitions, WhatFollowsACrossingIsOfALaterMicroStep) {
  for (const bool crosses : {true, false}) {
    Leave leave;
    be_silent(leave);
    if (crosses) leave.crossings = {{0, 1}};
    (void)leave.pass();
    EXPECT_EQ(leave.log().events().back().micro_step, crosses ? 1U : 0U);
  }
}

TEST(Transitions, WhatFollowsFromEquationsIsNoMap) {
  Leave leave;
  leave.options.engine = EngineKind::radau;
  leave.source->map.how = {UnknownStart::held, UnknownStart::held};
  SystemFunctions& f = leave.source->second = {};
  f.unknowns = {{"x", 0.0}, {.name = "y", .differential = false}};
  f.residual = [](double, auto x, auto xdot, auto r) {
    r[0] = xdot[0] - 1.0;
    r[1] = x[1] - 4.0;
  };
  (void)leave.pass();
  const EventLog log = leave.log();
  ASSERT_EQ(log.instants().size(), 1U);
  ASSERT_EQ(log.instants()[0].jumps.size(), 1U);
  EXPECT_EQ(log.instants()[0].jumps[0].after, 4.0);
  EXPECT_EQ(log.instants()[0].jumps[0].cause, JumpCause::consistency);
}

TEST(Transitions, SeveralPartsThatChangeAreNamed) {
  Leave one, two;
  one.source->parts[0] = two.source->parts[0] = {"D1 conducts", "D2 blocks"};
  one.source->parts[1] = {"D1 blocks", "D2 blocks"};
  two.source->parts[1] = {"D1 blocks", "D2 conducts"};
  (void)one.pass();
  (void)two.pass();
  EXPECT_EQ(one.log().events().back().note, "");
  EXPECT_EQ(two.log().events().back().note, "D1 blocks, D2 conducts");
}

// y changes by `to` from 0. A hundred tolerances of its size are 1e-4.
TEST(Transitions, WhatShouldBeKeptIsCompared) {
  for (const double to : {0.99e-4, 1.01e-4}) {
    Leave leave;
    leave.source->map.to = to;
    leave.source->all[0].conserved = {"y", "nobody"};
    (void)leave.pass();
    const EventLog log = leave.log();
    ASSERT_EQ(log.instants()[0].conserved.size(), 1U);
    const ConservedRecord& record = log.instants()[0].conserved[0];
    EXPECT_EQ(record.name, "y");
    EXPECT_EQ(record.before, 0.0);
    EXPECT_EQ(record.after, to);
    EXPECT_EQ(record.kept, to < 1e-4);
    const std::vector<std::string> said{
        "at t = 0.5 transition 'go on' should keep 'y', but it changed from 0 to 0.000101"};
    EXPECT_EQ(leave.warnings(), record.kept ? std::vector<std::string>() : said);
  }
}

TEST(Transitions, AtTheEndOfTheRunNothingMoves) {
  Leave leave;
  const detail::Verdict verdict = leave.pass(1.0);
  const auto* on = std::get_if<GoOn>(&verdict);  // nor is any action carried out
  ASSERT_NE(on, nullptr);
  EXPECT_TRUE(on->is_event);
  EXPECT_EQ(leave.here()->name, "second");
  EXPECT_FALSE(leave.here().in_motion());
  EXPECT_EQ(leave.here()->visit.n_stays, 1U);
}

TEST(Transitions, AConditionThatBecomesTrueActs) {
  Leave leave;
  const detail::Verdict verdict = leave.pass();
  const auto* request = std::get_if<detail::InstantRequest>(&verdict);
  ASSERT_NE(request, nullptr);
  EXPECT_TRUE(request->follows_event);
  EXPECT_EQ(request->point.t, 0.5);
  EXPECT_EQ(request->triggers_before, std::vector<std::uint8_t>{0});
  EXPECT_TRUE(request->crossings.empty());
}

TEST(Transitions, AConditionThatIsNewOrWasTrueWaits) {
  Leave is_new, was_true, stays_false;
  is_new.source->second.actions[0].name = "another";
  was_true.result.followed = {1};  // as actions of the instant have left it
  stays_false.source->map.to = 4.9;
  for (Leave* leave : {&is_new, &was_true, &stays_false}) {
    const detail::Verdict verdict = leave->pass();
    EXPECT_NE(std::get_if<GoOn>(&verdict), nullptr);
  }
}

TEST(Transitions, TimeMustNotStandStill) {
  Leave leave;
  (void)leave.pass();
  detail::Verdict verdict;
  const Failure* failed = nullptr;
  for (int n = 0; n < 100000 && failed == nullptr; ++n) {
    leave.scene->here().enter(leave.scene->ground.modes.at(0));
    leave.scene->here().forget_motion();
    leave.here()->kit->board.set_truth(0, false);
    verdict = leave.scene->at.transitions.leave(
        {{0.5, {0.5, 0.0}, {1.0, 0.0}}, {}, leave.result, true, nullptr});
    failed = std::get_if<Failure>(&verdict);
  }
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->code, FailureCode::limit_reached);
  EXPECT_NE(failed->message.find("events in a row of 'ring'"), std::string::npos);
}

/// x goes to 0.5 from both sides.
void begin_on_a_surface(Leave& leave) {
  SystemFunctions& f = leave.source->second = {};
  f.unknowns = {{"x", 0.0}, {"y", 0.0}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) {
    xdot[0] = locks[0] ? -1.0 : 1.0;
    xdot[1] = 0.0;
  };
  f.switches = {{"x > 0.5"}};
  f.switching = [](double, auto x, auto g) { g[0] = x[0] - 0.5; };
}

TEST(Transitions, AModeMayBeginOnSurfaces) {
  Leave leave;
  begin_on_a_surface(leave);
  (void)leave.pass();
  EXPECT_TRUE(leave.here()->on_surfaces.has_value());
  const EventLog log = leave.log();
  ASSERT_EQ(log.events().size(), 2U);
  const Event& event = log.events()[1];
  EXPECT_EQ(event.kind, EventKind::enter_sliding);
  EXPECT_EQ(event.name, "x > 0.5");
  EXPECT_EQ(event.cause, "go on");
  EXPECT_EQ(event.micro_step, 1U);
  EXPECT_EQ(log.instants()[0].n_micro_steps, 2U);
  EXPECT_EQ(log.instants()[0].sliding_after, std::vector<std::string>{"x > 0.5"});
  EXPECT_FALSE(log.instants()[0].surface_candidates.empty());
}

TEST(Transitions, AModeMayStandForMotionOnASurface) {
  detail::SurfaceWay way;
  way.records.resize(1);
  way.records[0].taken = true;
  way.records[0].motions = {{"v > 0", std::nullopt}, {"w > 0", true}};
  Leave leave;
  leave.instead_of = &way;
  leave.result.leaving = {{0, detail::FiredAction::no_trigger}};
  (void)leave.pass();
  const EventLog log = leave.log();
  EXPECT_EQ(log.events()[0].cause, "v > 0");
  EXPECT_EQ(log.instants()[0].surface_candidates.size(), 1U);
}

TEST(Transitions, AFollowerMayAskWhereItLedFromElsewhere) {
  QuietFollower follower;
  int n_told = 0;
  follower.on_change = [&](const FollowedPoint& to, const MovedStart& moved) {
    ++n_told;
    EXPECT_EQ(to.t, 0.5);
    EXPECT_EQ(to.x[1], 7.0);
    const auto there = moved(0.0, std::vector{0.25, 1.0});
    ASSERT_TRUE(there.has_value());
    EXPECT_EQ(*there, (std::vector{0.75, 7.0}));
  };
  Leave leave;
  leave.follower = &follower;
  (void)leave.pass();
  EXPECT_EQ(n_told, 1);
  EXPECT_EQ(leave.here().x()[0], 0.5);
}

}  // namespace
}  // namespace saltus::hybrid_test
