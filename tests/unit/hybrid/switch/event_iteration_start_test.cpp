// The truth of relations at the start of a run or of a mode.
#include "iteration_scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// 'a' leads out of the mode where it holds, and chooses no equations.
FakeParts guard(ActionKind kind = ActionKind::transition) {
  FakeParts parts = one_relation();
  parts.of_equations = {};
  parts.actions = {{fake_info("leave", kind)}};
  parts.triggers = {while_true(0, 0)};
  return parts;
}

/// The truth of its guard at a value and a speed, as a mode is entered there.
struct GuardAtStart {
  double uncertainty = 0.1, at_once = 1.0;
  bool of_run = false;
  FakeParts parts = guard();
  bool operator()(double x, double speed) const {
    IterationScene s(parts);
    s.x = {x};
    s.xdot = {speed};
    s.iteration.set_at_once(at_once);
    detail::StartOfRelations relations;
    if (!of_run) relations.margin = {0.0};
    relations.uncertainty = {uncertainty};
    const auto begun = s.begin(relations);
    EXPECT_TRUE(begun.has_value()) << said_by(begun);
    return s.board.truth(0);
  }
};

TEST(EventIterationStart, TruthsAreThoseOfTheStateThatIsFound) {
  IterationScene s(one_relation());
  s.x = {-1.0};
  s.find = [](const StartValues&) { return IterationScene::state(2.0); };
  const auto begun = s.begin();
  ASSERT_TRUE(begun.has_value()) << said_by(begun);
  EXPECT_TRUE(s.board.truth(0));
  EXPECT_EQ(begun->start.x[0], 2.0);
  EXPECT_EQ(begun->n_searches, 2U) << "with the first guess, and with what it led to";
  EXPECT_EQ(s.last.x[0], -1.0) << "each search begins at the guess";
  s.x = {1.0};
  EXPECT_EQ(s.begin()->n_searches, 1U);
}

TEST(EventIterationStart, OnItsSurfaceARelationBelongsToWhereItGoes) {
  for (const double speed : {1.0, -1.0}) {
    IterationScene forward(one_relation()), backward(one_relation(), {}, false);
    forward.xdot = backward.xdot = {speed};
    ASSERT_TRUE(forward.begin() && backward.begin());
    EXPECT_EQ(forward.board.truth(0), speed > 0);
    EXPECT_EQ(backward.board.truth(0), speed < 0);
  }
}

TEST(EventIterationStart, AtRestOnItsSurfaceItIsAsItIsWritten) {
  for (const bool at_zero : {true, false}) {
    FakeParts parts = one_relation();
    parts.functions[0].info.true_at_zero = at_zero;
    IterationScene s(parts);
    ASSERT_TRUE(s.begin());
    EXPECT_EQ(s.board.truth(0), at_zero);
  }
}

TEST(EventIterationStart, AnImpulseOutweighsTheValue) {
  IterationScene s(one_relation());
  s.x = {1.0};
  detail::StartOfRelations relations{.impulse = {-2.0}};
  ASSERT_TRUE(s.begin(relations));
  EXPECT_FALSE(s.board.truth(0));
  relations.impulse = {std::nan("")};
  EXPECT_EQ(said_by(s.begin(relations)),
            "at t = 0.5 relation 'a' contains the derivative of an impulse, which has no sign");
}

TEST(EventIterationStart, BothSidesMayLeadToTheSurface) {
  IterationScene s(one_relation());
  s.find = [&](const StartValues&) {
    return IterationScene::state(0.0, s.board.truth(0) ? -1 : 1);
  };
  const auto begun = s.begin();
  ASSERT_TRUE(begun.has_value()) << said_by(begun);
  EXPECT_EQ(begun->undecided, std::vector<std::uint32_t>{0});
}

TEST(EventIterationStart, SidesThatExcludeEachOtherAreRefused) {
  IterationScene s(one_relation());
  s.find = [&](const StartValues&) { return IterationScene::state(s.board.truth(0) ? -1 : 1); };
  const auto begun = s.begin();
  EXPECT_TRUE(said_by(begun).starts_with("at t = 0.5 'a' "));
  EXPECT_TRUE(said_by(begun).ends_with(
      " without end while no time passes: each of the values leads to the other; separate their "
      "conditions (a hysteresis), or read the value before by pre()"));
  EXPECT_EQ(begun.failure().code, FailureCode::not_certified);
}

TEST(EventIterationStart, RoundsAreLimitedAndFailuresPassedOn) {
  IterationScene limited(one_relation(), {.max_micro_steps = 1}), fails(one_relation());
  limited.find = [](const StartValues&) { return IterationScene::state(2.0); };
  const auto begun = limited.begin();
  EXPECT_EQ(said_by(begun),
            "at t = 0.5 no choice of true and false for the relations fits the start values; other "
            "start values or guesses may help");
  EXPECT_EQ(begun.failure().code, FailureCode::not_converged);
  fails.find = [](const StartValues&) { return IterationScene::no_value(); };
  EXPECT_EQ(said_by(fails.begin()), "log(x) of 0");
}

TEST(EventIterationStart, ARelationWithoutAValueIsRefusedAtTheStateOnly) {
  FakeParts parts = one_relation();
  parts.functions[0].has_value = [](double, FakeValues x) { return x[0] > 1.0; };
  IterationScene s(parts);  // the guess is 0
  s.find = [](const StartValues&) { return IterationScene::state(2.0); };
  EXPECT_TRUE(s.begin());
  EXPECT_TRUE(s.board.truth(0));
  s.find = [](const StartValues&) { return IterationScene::state(0.5); };
  EXPECT_EQ(said_by(s.begin()), "at t = 0.5 relation 'a' cannot be evaluated");
}

TEST(EventIterationStart, AGuardWithinItsUncertaintyLeadsToNothing) {
  const GuardAtStart holds;
  EXPECT_TRUE(holds(0.11, 0.0)) << "clearly";
  EXPECT_FALSE(holds(0.09, 0.0));
  EXPECT_FALSE(holds(0.09, 0.09)) << "it does not clearly go there";
  EXPECT_TRUE(holds(0.09, 0.11));
  EXPECT_FALSE(holds(0.09, -5.0));
  EXPECT_TRUE((GuardAtStart{.at_once = 10.0}(0.09, 0.09)));
}

TEST(EventIterationStart, SoDoesWhatTheModeRequires) {
  EXPECT_FALSE((GuardAtStart{.parts = guard(ActionKind::requirement)}(0.09, 0.0)));
  EXPECT_TRUE((GuardAtStart{.parts = guard(ActionKind::assignments)}(0.09, 0.0)));
}

TEST(EventIterationStart, ARunThatBeginsAtRestOnAGuardTakesItAsWritten) {
  FakeParts parts = guard();
  parts.functions[0].info.true_at_zero = true;
  EXPECT_TRUE((GuardAtStart{.of_run = true, .parts = parts}(0.0, 0.0)));
  EXPECT_FALSE((GuardAtStart{.of_run = false, .parts = parts}(0.0, 0.0)));
  EXPECT_FALSE((GuardAtStart{.of_run = true, .parts = parts}(0.09, 0.0)));
}

TEST(EventIterationStart, AGuardThatChoosesEquationsIsNotDoubted) {
  FakeParts parts = guard();
  parts.of_equations = {0};
  EXPECT_TRUE((GuardAtStart{.parts = parts}(0.09, 0.0)));
}

}  // namespace
}  // namespace saltus::hybrid_test
