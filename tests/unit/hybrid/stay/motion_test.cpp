// Engines at work: how they are started, and begin anew.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(Motion, CountsItsOwnStepsAndKnowsWhereItBegan) {
  Scene s(rising());
  EXPECT_EQ(s.step.motion.n_steps(), 0U);
  EXPECT_EQ(s.step.motion.began_at(), 0.0);
  s.step_only();
  s.step_only();
  EXPECT_EQ(s.step.motion.n_steps(), 2U);
  EXPECT_EQ(s.ground.ledger.n_steps(), 2U);
  EXPECT_EQ(s.here()->largest[0], s.here().x()[0]);
}

TEST(Motion, AStepEndsAtItsBound) {
  Scene s(rising());
  s.step.motion.set_bound(1e-3);
  while (s.here().t() < 1e-3) s.step_only();
  EXPECT_EQ(s.here().t(), 1e-3);
}

TEST(Motion, GoesOnWithoutAStartUnlessItWasCut) {
  for (const bool cut : {false, true}) {
    Scene s(rising());
    s.step_only();
    const std::uint64_t n_starts = s.here()->engine->work().n_starts;
    if (cut) s.step.motion.cut();
    detail::InstantResult nothing;
    nothing.start.x.assign(s.here().x().begin(), s.here().x().end());
    nothing.start.xdot.assign(s.here().xdot().begin(), s.here().xdot().end());
    ASSERT_TRUE(s.step.motion.go_on_after(s.here().point(), std::move(nothing)).has_value());
    EXPECT_EQ(s.here()->engine->work().n_starts, n_starts + (cut ? 1 : 0));
    EXPECT_EQ(s.step.motion.n_steps(), cut ? 0U : 1U);
  }
}

TEST(Motion, NothingMovesAfterTheEnd) {
  Scene s(rising());
  s.here()->start.x = {0.5};
  ASSERT_TRUE(s.step.motion.end_with_start(0.5).has_value());
  EXPECT_FALSE(s.here().in_motion());
  EXPECT_EQ(s.here().t(), 0.5);
  EXPECT_EQ(s.ground.recording.writer().trajectory().t_end(), 0.5);
}

}  // namespace
}  // namespace saltus::hybrid_test
