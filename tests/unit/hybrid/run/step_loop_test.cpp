// A step, from the engine that makes it to the events on it.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(StepLoop, ARunFinishesAtItsEnd) {
  Scene s(resets_at_half(0.25));
  s.run();
  EXPECT_EQ(s.report().outcome, Outcome::finished);
  EXPECT_EQ(s.report().t_reached, 1.0);
  EXPECT_EQ(s.ground.ledger.counts().n_interruptions, 3U);  // at 1/2, 3/4 and 1
}

TEST(StepLoop, AStepStaysOpenAtALimitInsideOfIt) {
  Scene s(resets_at_half(0.25));
  ASSERT_EQ(s.steps.make(), detail::Made::step);
  const double middle = 0.5 * s.here().t();
  ASSERT_EQ(s.steps.finish(middle), detail::Made::step);
  EXPECT_TRUE(s.steps.is_open());
  EXPECT_EQ(s.steps.looked_at(), nullptr);
  s.steps.look(middle);
  ASSERT_NE(s.steps.looked_at(), nullptr);
  EXPECT_NEAR(s.steps.looked_at()->x[0], middle, 1e-15);
  EXPECT_EQ(s.ground.recording.recorded_to(), 0.0);
  EXPECT_EQ(s.steps.finish(std::nullopt), detail::Made::instant);
  EXPECT_FALSE(s.steps.is_open());
  EXPECT_EQ(s.ground.recording.recorded_to(), s.here().t());
}

TEST(StepLoop, TheFirstReasonToEndCounts) {
  Scene s(rising());
  EXPECT_FALSE(s.end.reach({Outcome::stopped, "first"}));
  EXPECT_FALSE(s.end.reach({Outcome::failed, "second"}));
  EXPECT_TRUE(s.steps.is_over());
  EXPECT_EQ(s.report().message, "first");
}

TEST(StepLoop, WhatComesOfAnInstantEndsTheRun) {
  Scene s(rising());
  s.steps.settle(Failure{FailureCode::singular, "because"});
  EXPECT_EQ(s.report().outcome, Outcome::failed);
  EXPECT_EQ(s.report().message, "because");
  EXPECT_EQ(s.report().failure, FailureCode::singular);
}

}  // namespace
}  // namespace saltus::hybrid_test
