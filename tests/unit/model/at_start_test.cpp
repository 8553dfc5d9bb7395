// What happens at the very beginning of a run, and what must hold all the time.
#include <gtest/gtest.h>

#include <saltus/saltus.hpp>

namespace saltus {
namespace {

struct Ramp {
  Model m{"ramp"};
  Expr x = m.state("x", 1.0), n = m.discrete("n", 2.0);
  Ramp() { m.equation(der(x) == n); }
};

TEST(AtStart, SetsVariablesBeforeTimePasses) {
  Ramp r;
  r.m.at_start("begin", {{r.x, 5.0}, {r.n, pre(r.n) + 1.0}});
  const Solution s = simulate(r.m, {.t_end = 1.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.at("n", 0.0), 3.0);
  EXPECT_NEAR(s.final("x"), 8.0, 1e-9);
  EXPECT_EQ(s.event_times("begin"), std::vector<double>{0.0});
}

TEST(AtStart, ThatChangesNothingIsNoEvent) {
  Ramp r;
  r.m.at_start("begin", {{r.x, 1.0}});
  const Solution s = simulate(r.m, {.t_end = 1.0});
  ASSERT_TRUE(s.ok());
  EXPECT_TRUE(s.event_times("begin").empty());
  EXPECT_NEAR(s.final("x"), 3.0, 1e-9);
}

TEST(AtStart, IsFollowedByWhatItTriggers) {
  Ramp r;
  const Expr seen = r.m.discrete("seen", 0.0);
  r.m.when("high", r.x > 4.0, {{seen, 1.0}});
  r.m.at_start("begin", {{r.x, 5.0}});
  const Solution s = simulate(r.m, {.t_end = 1.0});
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.at("seen", 0.0), 1.0);
}

TEST(AssertAlways, EndsTheRunAsFailed) {
  Ramp r;
  r.m.assert_always("low", r.x < 2.0, "x is too high");
  const Solution s = simulate(r.m, {.t_end = 1.0});
  EXPECT_EQ(s.report.outcome, Outcome::failed);
  EXPECT_NE(s.report.message.find("'low' fails: x is too high"), std::string::npos)
      << s.report.message;
  EXPECT_NEAR(s.t_end(), 0.5, 1e-6);
}

TEST(AssertAlways, ThatHoldsIsSilent) {
  Ramp r;
  r.m.assert_always("low", r.x < 4.0, "x is too high");
  EXPECT_TRUE(simulate(r.m, {.t_end = 1.0}).ok());
}

TEST(HiddenVariables, AreNoColumns) {
  Ramp r;
  r.m.hide(r.n);
  EXPECT_THROW((void)simulate(r.m, {.t_end = 1.0}).final("n"), Error);
  EXPECT_THROW(r.m.hide(r.x + 1.0), ModelError);
}

TEST(RefusedDerivatives, SayWhy) {
  Ramp r;
  const Expr p = r.m.parameter("p", 1.0);
  r.m.refuse_derivatives(p, "decides where x starts");
  try {
    (void)simulate(r.m, {.t_end = 1.0, .sensitivities = {"p"}});
    FAIL() << "a derivative that is not known";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("decides where x starts"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace saltus
