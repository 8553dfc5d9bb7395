// From steps of an engine to a trajectory.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(Recording, AStepThatIsRecordedInPiecesIsRecordedOnce) {
  Scene s(rising());
  detail::Recording& recording = s.ground.recording;
  s.step_only();
  const StepPolynomial step = s.here()->engine->last_step();
  const double middle = 0.5 * step.t_right;
  const std::vector<double> x{middle}, xdot{1.0};
  ASSERT_TRUE(recording.add_piece(step, middle, x, xdot).has_value());
  EXPECT_EQ(recording.recorded_to(), middle);
  EXPECT_EQ(recording.last_step().t_right, middle);
  ASSERT_TRUE(recording.add_step().has_value());
  EXPECT_EQ(recording.recorded_to(), s.here().t());
  EXPECT_EQ(recording.writer().trajectory().n_steps(), 2U);
  // Nothing is left of it.
  ASSERT_TRUE(recording.add_piece(step, s.here().t(), s.here().x(), s.here().xdot()).has_value());
  EXPECT_EQ(recording.writer().trajectory().n_steps(), 2U);
}

TEST(Recording, ThePieceThatLeadsToAnEventIsKnown) {
  Scene s(rising());
  detail::Recording& recording = s.ground.recording;
  s.step_only();
  EXPECT_EQ(recording.piece_that_leads_to(s.here().t()), nullptr);
  const StepPolynomial step = s.here()->engine->last_step();
  const double middle = 0.5 * step.t_right;
  ASSERT_TRUE(recording.add_piece(step, middle, std::vector{middle}, std::vector{1.0}).has_value());
  ASSERT_NE(recording.piece_that_leads_to(middle), nullptr);
  EXPECT_EQ(recording.piece_that_leads_to(step.t_right), nullptr);
  // No time has passed.
  recording.keep_point({middle, {middle}, {1.0}});
  EXPECT_EQ(recording.piece_that_leads_to(middle), nullptr);
}

}  // namespace
}  // namespace saltus::hybrid_test
