// The events along a step, in order.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

SystemFunctions with_three_relations() {
  SystemFunctions f = rising();
  add_relation(f, "late", [](double, double x) { return x - 0.04; });
  add_relation(f, "early", [](double, double x) { return x - 0.01; });
  add_relation(f, "never", [](double, double x) { return x - 7.0; });
  return f;
}

/// A step over both of the first has been made.
void step_over_both(Scene& s) {
  StartHint hint;
  hint.step = 0.1;
  ASSERT_TRUE(s.step.motion.set_in_motion(0.0, hint).has_value());
  s.step_only();
  ASSERT_GT(s.here().t(), 0.05);
  s.step.search.begin();
}

TEST(StepSearch, RelationsThatChangeNothingArePassedInOrder) {
  Scene s(with_three_relations());
  step_over_both(s);
  const auto first = s.step.search.next();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].which, 1U);
  EXPECT_NEAR(first[0].t_after, 0.01, 1e-12);
  EXPECT_FALSE(s.board().truth(1));
  ASSERT_TRUE(s.step.search.pass(first));
  EXPECT_TRUE(s.board().truth(1));
  EXPECT_EQ(s.here()->n_flips[1], 1U);
  const auto second = s.step.search.next();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].which, 0U);
  ASSERT_TRUE(s.step.search.pass(second));
  EXPECT_TRUE(s.step.search.next().empty());
  EXPECT_FALSE(s.board().truth(2));
  EXPECT_EQ(s.ground.ledger.counts().n_interruptions, 0U);
}

TEST(StepSearch, LookingDoesNotPass) {
  Scene s(with_three_relations());
  step_over_both(s);
  for (int k = 0; k < 2; ++k) {
    const auto found = s.step.search.next(), again = s.step.search.next();
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].which, again[0].which);
    EXPECT_EQ(found[0].t_after, again[0].t_after);
    EXPECT_FALSE(s.board().truth(found[0].which));
    ASSERT_TRUE(s.step.search.pass(found));
  }
  EXPECT_TRUE(s.step.search.next().empty());
}

TEST(StepSearch, WhatChangesEquationsInterrupts) {
  SystemFunctions f = rising();
  f.derivative = nullptr;
  f.locked_derivative = [](double, auto, auto locks, auto xdot) { xdot[0] = locks[0] ? 0.5 : 1.0; };
  add_relation(
      f, "slower", [](double, double x) { return x - 0.01; }, true);
  Scene s(f);
  std::vector<Departure> group;
  while (group.empty()) {
    s.step_only();
    s.step.search.begin();
    group = s.step.search.next();
  }
  EXPECT_FALSE(s.step.search.pass(group));
  EXPECT_FALSE(s.board().truth(0));
  const detail::Crossing crossing = s.step.search.crossing_of(group[0], 0.0);
  EXPECT_EQ(crossing.direction, 1);
  EXPECT_FALSE(crossing.waited);
}

}  // namespace
}  // namespace saltus::hybrid_test
