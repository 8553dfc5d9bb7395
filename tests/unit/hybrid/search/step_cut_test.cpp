// An event inside a step: the engine is taken back to it.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(StepCut, TheEngineIsTakenBackToTheEvent) {
  Scene s(resets_at_half(0.0));
  std::vector<Departure> group;
  while (group.empty()) {
    s.step_only();
    s.step.search.begin();
    group = s.step.search.next();
    if (group.empty()) {
      ASSERT_TRUE(s.ground.recording.add_step().has_value());
    }
  }
  const auto cut = s.step.cut.at(group);
  const auto& request = std::get<detail::InstantRequest>(cut);
  // A relation that sets unknowns is met a little before its surface: by a thousandth of the tolerance.
  const double tolerance = 0.5 * s.ground.options.rtol + s.ground.options.atol;
  EXPECT_NEAR(request.point.t, 0.5, 1e-2 * tolerance);
  EXPECT_NEAR(request.point.x[0], 0.5, 1e-2 * tolerance);
  ASSERT_EQ(request.crossings.size(), 1U);
  EXPECT_FALSE(request.inputs_change);
  EXPECT_EQ(s.ground.ledger.event_work().n_located, 1U);
  EXPECT_EQ(s.ground.recording.recorded_to(), request.point.t);
}

TEST(StepCut, ATimeInsideAStepIsReachedAsAnEventIs) {
  Scene s(rising());
  s.step_only();
  const double middle = 0.5 * s.here().t();
  const auto cut = s.step.cut.at_time(middle);
  const auto& request = std::get<detail::InstantRequest>(cut);
  EXPECT_EQ(request.point.t, middle);
  EXPECT_NEAR(request.point.x[0], middle, 1e-15);
  EXPECT_TRUE(request.crossings.empty());
  EXPECT_EQ(s.ground.recording.recorded_to(), middle);
}

}  // namespace
}  // namespace saltus::hybrid_test
