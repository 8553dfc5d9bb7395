// One loop over verdicts.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::Ending;
using detail::GoOn;

TEST(InstantLoop, GoingOnIsNothing) {
  Scene s(rising());
  const auto passed = s.instants.pass(GoOn{});
  ASSERT_TRUE(passed.has_value());
  EXPECT_FALSE(passed->has_value());
}

TEST(InstantLoop, AnEndingAndAFailureAreHandedOn) {
  Scene s(rising());
  const auto ended = s.instants.pass(Ending{Outcome::accumulation, "there"});
  ASSERT_TRUE(ended.has_value() && ended->has_value());
  EXPECT_EQ((*ended)->outcome, Outcome::accumulation);
  const auto failed = s.instants.pass(Failure{FailureCode::singular, "no"});
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.failure().message, "no");
}

TEST(InstantLoop, AnEventThatUsesUpTheLimitEndsTheRun) {
  RunOptions options = Scene::in_one_second();
  options.limits.max_events = 1;
  Scene s(resets_at_half(0.0), options);
  EXPECT_FALSE(s.instants.pass(GoOn{.is_event = true})->has_value());
  s.run();
  EXPECT_EQ(s.report().outcome, Outcome::event_limit);
  EXPECT_TRUE(s.instants.pass(GoOn{.is_event = true})->has_value());
}

TEST(InstantLoop, AQuestionWaitsForOneOfItsAnswers) {
  Scene s(rising());
  EXPECT_THROW((void)s.instants.answer(0), Error);
  detail::Question question;
  question.candidates.resize(2);
  question.candidates[1].consistent = true;
  ASSERT_TRUE(s.instants.pass(std::move(question)).has_value());
  ASSERT_TRUE(s.instants.question().has_value());
  EXPECT_TRUE(s.steps.is_over());
  EXPECT_THROW((void)s.instants.answer(0), Error);  // not possible
  EXPECT_THROW((void)s.instants.answer(2), Error);
  EXPECT_EQ(s.instants.answer(1).choice, 1U);
  EXPECT_FALSE(s.instants.question().has_value());
}

TEST(InstantLoop, AnEndingWithoutActionsIsWhatItWas) {
  Scene s(rising());
  const Ending ending = s.instants.with_last_actions({.acts_first = true});
  EXPECT_EQ(ending.outcome, Outcome::finished);
}

}  // namespace
}  // namespace saltus::hybrid_test
