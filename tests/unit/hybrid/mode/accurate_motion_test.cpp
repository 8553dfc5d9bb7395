// A short motion of a mode, as accurate as it can be made.
#include "hybrid/mode/accurate_motion.hpp"

#include <cmath>
#include <stdexcept>

#include "begun.hpp"

namespace saltus::hybrid_test {
namespace {

using detail::AccurateMotion;

/// y = 1e-9 sin t, of that nominal size, and x = exp(-t).
SystemFunctions small_and_large() {
  return {.unknowns = {{.name = "x", .start = 1.0}, {.name = "y", .nominal = 1e-9}},
          .derivative = [](double t, auto x, auto xdot) {
            xdot[0] = -x[0], xdot[1] = 1e-9 * std::cos(t);
          }};
}

TEST(AccurateMotion, TolerancesOfTheRunDoNotCountAndNominalValuesDo) {
  Begun s(small_and_large(), {.rtol = 1e-2, .atol = 1e-2});
  AccurateMotion motion(s.mode, 0.0, s.mode.start, 1.0, 0.25);
  ASSERT_TRUE(motion.go_to(0.5));
  ASSERT_TRUE(motion.go_to(1.0));
  EXPECT_EQ(motion.t(), 1.0);
  // A few dozen steps, each with an error of 1e-12.
  EXPECT_NEAR(motion.x()[0], std::exp(-1.0), 1e-10);
  EXPECT_NEAR(motion.x()[1], 1e-9 * std::sin(1.0), 1e-19);
  EXPECT_NEAR(motion.xdot()[0], -std::exp(-1.0), 1e-9);
  EXPECT_EQ(s.mode.engine_options.rtol, 1e-2);
}

TEST(AccurateMotion, WhereAStepCannotBeMadeItStaysThere) {
  SystemFunctions f;
  f.unknowns = {{"x"}};
  f.derivative = [](double t, auto, auto xdot) {
    if (t > 0.5) throw std::domain_error("later");
    xdot[0] = 1.0;
  };
  Begun s(std::move(f));
  AccurateMotion motion(s.mode, 0.0, s.mode.start, 1.0, 0.125);
  EXPECT_TRUE(motion.go_to(0.25));
  EXPECT_NEAR(motion.x()[0], 0.25, 1e-14);
  EXPECT_FALSE(motion.go_to(1.0));
  EXPECT_LE(motion.t(), 0.5);
  EXPECT_FALSE(motion.go_to(motion.t()));
}

TEST(AccurateMotion, AStartThatIsNoneLeadsNowhere) {
  Begun s(small_and_large());
  ConsistentStart nowhere = s.mode.start;
  nowhere.x[0] = std::nan("");
  AccurateMotion motion(s.mode, 0.0, nowhere, 1.0, 0.125);
  EXPECT_FALSE(motion.go_to(0.125));
}

/// x = cos(1000 t): a step of order five with an error of 1e-12 is shorter than 1e-4 by far.
TEST(AccurateMotion, AfterAHundredStepsItGivesUp) {
  SystemFunctions f;
  f.unknowns = {{.name = "x", .start = 1.0}, {.name = "v", .nominal = 1e3}};
  f.derivative = [](double, auto x, auto xdot) { xdot[0] = x[1], xdot[1] = -1e6 * x[0]; };
  Begun s(std::move(f));
  AccurateMotion far(s.mode, 0.0, s.mode.start, 1.0, 1e-6);
  EXPECT_FALSE(far.go_to(1.0));
  EXPECT_LT(far.t(), 1.0);
  AccurateMotion near(s.mode, 0.0, s.mode.start, 1.0, 1e-6);
  ASSERT_TRUE(near.go_to(1e-4));
  EXPECT_NEAR(near.x()[0], std::cos(0.1), 1e-10);
}

TEST(AccurateMotion, TheModeIsLeftAsItWas) {
  std::vector<std::pair<double, double>> accepted;
  SystemFunctions f = small_and_large();
  f.step_accepted = [&](double t, auto x, auto) {
    accepted.emplace_back(t, x[0]);
    return StepRefresh::Answer::unchanged;
  };
  Begun s(std::move(f));
  OneBreak scheduled(0.5);
  s.mode.scheduled = &scheduled;
  const std::vector<double> x = s.mode.start.x;
  {
    AccurateMotion motion(s.mode, 0.0, s.mode.start, 0.5, 0.125);
    ASSERT_TRUE(motion.go_to(0.5));
    ASSERT_FALSE(accepted.empty());
    EXPECT_EQ(accepted.back().first, 0.5);
    EXPECT_TRUE(scheduled.entered.empty());
  }
  EXPECT_EQ(accepted.back(), (std::pair{0.0, 1.0}));
  EXPECT_EQ(scheduled.entered, std::vector<double>{0.0});
  EXPECT_EQ(s.mode.start.x, x);
  EXPECT_EQ(s.mode.engine, nullptr);
}

}  // namespace
}  // namespace saltus::hybrid_test
