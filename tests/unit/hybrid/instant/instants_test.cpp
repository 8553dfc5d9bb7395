// An instant, from what makes time stand still to what comes of it.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::GoOn;
using detail::InstantRequest;

/// At the surface of "half", which crosses there.
InstantRequest at_half(Scene& s) {
  InstantRequest request;
  request.point = s.here().point();
  request.point.x = {0.5};
  request.crossings.push_back({0, 1});
  return request;
}

TEST(Instants, AnActionIsCarriedOutAndTheSolutionGoesOn) {
  Scene s(resets_at_half(0.25));
  s.step_only();
  s.step.motion.cut();
  InstantRequest request = at_half(s);
  const detail::Verdict verdict = s.at.instants.pass(request);
  const auto* on = std::get_if<GoOn>(&verdict);
  ASSERT_NE(on, nullptr);
  EXPECT_TRUE(on->is_event);
  ASSERT_TRUE(on->series.has_value());
  ASSERT_EQ(on->series->crossings.size(), 1U);
  EXPECT_EQ(s.here().x()[0], 0.25);
  EXPECT_EQ(s.ground.ledger.counts().n_interruptions, 1U);
}

TEST(Instants, ATerminalActionEndsTheRunAfterActionsOfTheLastInstant) {
  Scene s(resets_at_half(0.0, true));
  s.step_only();
  s.step.motion.cut();
  InstantRequest request = at_half(s);
  const detail::Verdict verdict = s.at.instants.pass(request);
  const auto* ending = std::get_if<detail::Ending>(&verdict);
  ASSERT_NE(ending, nullptr);
  EXPECT_EQ(ending->outcome, Outcome::terminal_event);
  EXPECT_TRUE(ending->acts_first);
  EXPECT_EQ(ending->t_reached, s.here().t());
}

TEST(Instants, ABreakpointOfNothingGoesOn) {
  Scene s(rising());
  s.step_only();
  s.step.motion.cut();
  InstantRequest request{.point = s.here().point()};
  const detail::Verdict verdict = s.at.instants.pass(request);
  const auto* on = std::get_if<GoOn>(&verdict);
  ASSERT_NE(on, nullptr);
  EXPECT_FALSE(on->is_event);
  EXPECT_FALSE(on->series.has_value());
}

}  // namespace
}  // namespace saltus::hybrid_test
