// The end of a run, and what is said of it.
#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

TEST(EndOfRun, ARunThatGoesOnSaysSo) {
  Scene s(rising());
  s.step_only();
  EXPECT_EQ(s.report().outcome, Outcome::stopped);
  EXPECT_EQ(s.report().message, "the run is still going on");
  EXPECT_EQ(s.report().t_reached, s.here().t());
}

TEST(EndOfRun, WhatWasReachedIsWhereItIsOrWhatIsRecordedOrWhatIsSaid) {
  for (const int way : {0, 1, 2}) {
    Scene s(rising());
    s.step_only();  // not recorded
    detail::Ending ending{Outcome::failed, "there"};
    ending.as_recorded = way == 1;
    if (way == 2) ending.t_reached = 0.75;
    s.end.reach(ending);
    EXPECT_EQ(s.report().t_reached, way == 0 ? s.here().t() : way == 1 ? 0.0 : 0.75);
  }
}

TEST(EndOfRun, AQuestionThatWasNotAnsweredIsTheReason) {
  Scene s(rising());
  detail::Question question;
  question.instant.point.t = 0.5;
  const Solution solution = s.end.finish(question);
  EXPECT_EQ(solution.report.outcome, Outcome::undecided);
  EXPECT_NE(solution.report.message.find("at t = 0.5 the solution came to a surface"),
            std::string::npos)
      << solution.report.message;
}

TEST(EndOfRun, ARunThatIsFinishedEarlyWasStopped) {
  Scene s(rising());
  const Solution solution = s.end.finish(std::nullopt);
  EXPECT_EQ(solution.report.outcome, Outcome::stopped);
  EXPECT_EQ(solution.report.message, "the run was ended early");
  EXPECT_EQ(solution.trajectory.n_rows(), 1U);
}

}  // namespace
}  // namespace saltus::hybrid_test
