// How a trajectory ends where nothing leads on, and what is said of it.
#include "hybrid/stay/last_part.hpp"

#include <saltus/core/text.hpp>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::Ending;
using detail::RegularityLoss;

/// x' = 1 in two unknowns, of which the first step goes from t = 0 to t = 0.125.
struct LastPartScene {
  static SystemFunctions two_rise() {
    SystemFunctions f;
    f.unknowns = {{"x", 0.0}, {.name = "y", .start = 4.0, .nominal = 2.0}};
    f.derivative = [](double, auto, auto xdot) { std::ranges::fill(xdot, 1.0); };
    return f;
  }
  static RunOptions options() {
    RunOptions options = Scene::in_one_second();
    options.initial_step = 0.125;
    return options;
  }
  explicit LastPartScene(SystemFunctions f = two_rise(),
                         RunOptions options = LastPartScene::options())
      : s(std::move(f), options) {}

  const Trajectory& trajectory() { return s.ground.recording.writer().trajectory(); }
  detail::LastPart& last() { return s.step.last_part; }
  Ending after_failed_step() { return last().end_with_step({FailureCode::not_converged, "said"}); }
  Scene s;
};

// ---- events ----------------------------------------------------------------------------------------

TEST(LastPart, AnActionThatEndsTheRunIsNamedWithItsMessage) {
  for (const char* message : {"", "enough"}) {
    SystemFunctions f = resets_at_half(0.0, true);
    f.actions.back().message = message;
    LastPartScene l(f);
    l.s.step_only();
    detail::InstantResult result;
    result.start.x = {0.75};
    result.start.xdot = {1.0};
    result.terminal = 0;
    const auto ending = l.last().end_at_event(0.5, result, std::nullopt);
    ASSERT_TRUE(ending.has_value()) << ending.failure().message;
    EXPECT_EQ(ending->outcome, Outcome::terminal_event);
    EXPECT_EQ(ending->message, std::string("'reset' ended the run at t = 0.5") +
                                   (message[0] == 0 ? "" : ": enough"));
    EXPECT_EQ(ending->t_reached, 0.5);
    EXPECT_TRUE(ending->acts_first);
    EXPECT_EQ(l.s.ground.options.t_end, 0.5);
    // The run rests at what follows the event, which is a point of the trajectory.
    EXPECT_FALSE(l.s.here().in_motion());
    EXPECT_EQ(l.s.here().t(), 0.5);
    EXPECT_EQ(l.s.here().x()[0], 0.75);
    EXPECT_EQ(l.trajectory().t_end(), 0.5);
    EXPECT_EQ(l.trajectory().row(l.trajectory().n_rows() - 1)[0], 0.75);
  }
}

TEST(LastPart, ARangeThatWasLeftIsNamedAndNoActionFollows) {
  LastPartScene l(resets_at_half(0.0, true));
  detail::InstantResult result;
  result.start.x = {0.5};
  result.start.xdot = {1.0};
  const auto ending = l.last().end_at_event(0.5, result, 0U);
  ASSERT_TRUE(ending.has_value()) << ending.failure().message;
  EXPECT_EQ(ending->outcome, Outcome::terminal_event);
  EXPECT_EQ(ending->message, "'half' was passed at t = 0.5 (events.range = stop)");
  EXPECT_EQ(ending->t_reached, 0.5);
  EXPECT_FALSE(ending->acts_first);
  EXPECT_EQ(l.s.ground.options.t_end, 1.0);
}

// ---- steps that fail -------------------------------------------------------------------------------

TEST(LastPart, AFailedStepSaysWhatWasSaidAndEndsWhatIsRecorded) {
  LastPartScene l;
  const Ending ending = l.after_failed_step();
  EXPECT_EQ(ending.outcome, Outcome::failed);
  EXPECT_EQ(ending.failure, FailureCode::not_converged);
  EXPECT_EQ(ending.message, "said");
  EXPECT_TRUE(ending.as_recorded);
}

TEST(LastPart, WhatHasGrownAMillionTimesMayGoToInfinity) {
  LastPartScene l;
  l.s.step_only();
  auto& largest = l.s.here()->largest;
  largest = {0.99e6, 3.99e6};  // x began at 0 with a nominal value of 1, y at 4
  EXPECT_EQ(l.after_failed_step().message, "said");
  const std::string y = to_text(l.s.here().x()[1]);
  largest = {1.0e6, 4.1e6};
  EXPECT_EQ(l.after_failed_step().message,
            "said; 'y' has grown to " + y + ": the solution may go to infinity here");
  l.s.here()->start.x[1] = 1.0;  // then its nominal value counts, which is 2
  largest = {0.0, 1.99e6};
  EXPECT_EQ(l.after_failed_step().message, "said");
}

TEST(LastPart, StepsThatTimeDoesNotResolveAreTakenBack) {
  for (const double t_end : {1.0, -1.0}) {
    RunOptions options = LastPartScene::options();
    options.t_end = t_end;
    LastPartScene l(LastPartScene::two_rise(), options);
    double reached[3] = {};
    for (double& t : reached) {
      l.s.step_only();
      ASSERT_TRUE(l.s.ground.recording.add_step().has_value());
      t = l.s.here().t();
    }
    l.s.step.resolution.begin(2.0 * t_end);  // further than what is recorded
    (void)l.after_failed_step();
    EXPECT_EQ(l.trajectory().t_end(), reached[2]);
    l.s.step.resolution.begin(reached[0]);
    (void)l.after_failed_step();
    EXPECT_EQ(l.trajectory().t_end(), reached[0]);
    EXPECT_EQ(l.trajectory().n_steps(), 1U);
  }
}

TEST(LastPart, WhereTheEquationsAreNearlySingularThatIsSaid) {
  // t x' = x: the factor of x' has fallen to 1/2048 at t = -2, and to 1/819 at t = -5.
  SystemFunctions f;
  f.unknowns = {{"x", -1.0}};
  f.residual = [](double t, auto x, auto xdot, auto out) { out[0] = t * xdot[0] - x[0]; };
  f.equations = {"ratio"};
  RunOptions options;
  options.t_begin = -4096.0;
  options.engine = EngineKind::radau;
  LastPartScene l(f, options);
  l.s.here().forget_motion();
  l.s.here().begin_at(-5.0);
  EXPECT_EQ(l.after_failed_step().message, "said");
  l.s.here().begin_at(-2.0);
  const std::string message = l.after_failed_step().message;
  EXPECT_TRUE(message.starts_with("said; the equations become singular at about t = -2: "))
      << message;
  EXPECT_NE(message.find("equation 'ratio' does not determine"), std::string::npos) << message;
  EXPECT_TRUE(message.ends_with("'; the solution ends in an impasse point or branches")) << message;
}

// ---- singular points -------------------------------------------------------------------------------

/// Regular up to 0.0625, and singular at 0.09375.
RegularityLoss loss_in_first_step() { return {0.0625, 0.09375, true, {.who = "they meet"}}; }

TEST(LastPart, TheTrajectoryLeadsToTheSingularPoint) {
  LastPartScene l;
  l.s.step_only();
  const Ending ending = l.last().end_where_singular(loss_in_first_step());
  EXPECT_EQ(ending.outcome, Outcome::failed);
  EXPECT_EQ(ending.failure, FailureCode::singular);
  EXPECT_TRUE(ending.as_recorded);
  EXPECT_EQ(ending.message, "at t = 0.09375 the equations become singular: they meet");
  EXPECT_EQ(l.trajectory().t_begin(), 0.0);
  EXPECT_EQ(l.trajectory().t_end(), 0.0625);
  EXPECT_NEAR(l.trajectory().at("y", 0.0625), 4.0625, 1e-12);
  // Steps of their own, the first of which is half of the way.
  EXPECT_GE(l.trajectory().n_steps(), 2U);
  EXPECT_EQ(l.trajectory().step(0).t_right, 0.03125);
  EXPECT_EQ(l.s.ground.ledger.n_steps(), 1U + l.trajectory().n_steps());
}

TEST(LastPart, WhatWasRecordedOfTheStepIsNotRecordedAgain) {
  LastPartScene l;
  l.s.step_only();
  const StepPolynomial step = l.s.here()->engine->last_step();
  const double t = 0.046875;
  ASSERT_TRUE(
      l.s.ground.recording.add_piece(step, t, std::vector{t, 4.0 + t}, std::vector{1.0, 1.0})
          .has_value());
  (void)l.last().end_where_singular(loss_in_first_step());
  EXPECT_EQ(l.trajectory().step(0).t_right, t);
  EXPECT_EQ(l.trajectory().step(1).t_left, t);
  EXPECT_EQ(l.trajectory().t_end(), 0.0625);
  EXPECT_NEAR(l.trajectory().at("x", 0.05), 0.05, 1e-12);
}

TEST(LastPart, WhereTheStepBeginsAtTheSingularPointNothingIsAdded) {
  LastPartScene l;
  l.s.step_only();
  RegularityLoss loss = loss_in_first_step();
  loss.t_before = 0.0;
  (void)l.last().end_where_singular(loss);
  EXPECT_EQ(l.trajectory().t_end(), 0.0);
}

TEST(LastPart, AStepInWhichTheSingularPointIsNotLocatedIsRecordedAsAWhole) {
  LastPartScene l;
  l.s.step_only();
  RegularityLoss loss = loss_in_first_step();
  loss.located = false;
  loss.of.who.clear();
  EXPECT_EQ(l.last().end_where_singular(loss).message,
            "between t = 0.0625 and t = 0.09375 the equations become singular; from there on the "
            "trajectory is not certain");
  EXPECT_EQ(l.trajectory().t_end(), 0.125);
  EXPECT_EQ(l.trajectory().n_steps(), 1U);
}

TEST(LastPart, ASurfaceThatCeasesToAttractIsATwoFold) {
  SystemFunctions f = LastPartScene::two_rise();
  f.derivative = {};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) {
    xdot[0] = locks[0] ? -1.0 : 1.0;
    xdot[1] = 1.0;
  };
  add_relation(
      f, "x > 0", [](double, double x) { return x; }, true);
  LastPartScene l(f);
  l.s.run();
  ASSERT_TRUE(l.s.here()->on_surfaces.has_value());
  RegularityLoss loss{-1.0, 0.5, true, {.who = "'x > 0' lets go"}};
  EXPECT_EQ(l.last().end_where_singular(loss).message,
            "at t = 0.5 the equations become singular: 'x > 0' lets go");
  loss.of.is_of_surfaces = true;
  EXPECT_EQ(l.last().end_where_singular(loss).message,
            "at t = 0.5 'x > 0' lets go. Beyond this point (a two-fold) the solution is not "
            "unique, and Saltus chooses no way on, on the surface of 'x > 0' or off it. To end the "
            "run there on purpose, stop before it (t_end, or a terminal when-clause); to go on, "
            "say how: give the relation a hysteresis (events.hysteresis), or write the motion on "
            "the surface as a mode of its own (a transition with .at_sliding = true)");
}

// ---- outputs ---------------------------------------------------------------------------------------

TEST(LastPart, AStepIsRecordedAsFarAsItsOutputsExist) {
  SystemFunctions f = LastPartScene::two_rise();
  add_relation(f, "half", [](double t, double) {
    return t > 0.0625 ? throw std::domain_error("no more") : -1.0;
  });
  RunOptions options = LastPartScene::options();
  options.output.switching = {"half"};
  LastPartScene l(f, options);
  l.s.step_only();
  const auto recorded = l.s.ground.recording.add_step();
  ASSERT_FALSE(recorded.has_value());
  const Ending ending = l.last().end_with_outputs(recorded.failure());
  EXPECT_EQ(ending.outcome, Outcome::failed);
  EXPECT_EQ(ending.failure, FailureCode::out_of_domain);
  EXPECT_EQ(ending.message,
            "output 'half' cannot be evaluated after t = 0.0625: write it so that it exists there "
            "(by where, for example), or end the run before");
  EXPECT_TRUE(ending.as_recorded);
  EXPECT_EQ(l.trajectory().t_end(), 0.0625);
}

TEST(LastPart, AnotherFailureToRecordIsSaidAsItIs) {
  LastPartScene l;
  l.s.step_only();
  const Ending ending = l.last().end_with_outputs({FailureCode::not_converged, "off"});
  EXPECT_EQ(ending.message, "off");
  EXPECT_EQ(ending.failure, FailureCode::not_converged);
  EXPECT_EQ(l.trajectory().t_end(), 0.0);
}

}  // namespace
}  // namespace saltus::hybrid_test
