// The motion on surfaces, as a part of the mode that they are surfaces of.
#include <algorithm>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// x' = -1 where x > 0, +1 elsewhere.
SystemFunctions relay(double start) {
  SystemFunctions f;
  f.unknowns = {{"x", start}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) { xdot[0] = locks[0] ? -1 : 1; };
  add_relation(
      f, "x > 0", [](double, double x) { return x; }, true);
  return f;
}

TEST(Sliders, AModeThatBeginsOnASurfaceMayBeginWithMotionOnIt) {
  Scene s(relay(0.0));
  const auto slides = s.step.sliders.slide_from_start(0.0);
  ASSERT_TRUE(slides.has_value()) << slides.failure().message;
  ASSERT_TRUE(slides->has_value());
  EXPECT_EQ((*slides)->who, "'x > 0'");
  EXPECT_TRUE(s.here()->on_surfaces.has_value());
}

TEST(Sliders, AModeThatBeginsBesideDoesNot) {
  Scene s(relay(0.5));
  const auto slides = s.step.sliders.slide_from_start(0.0);
  ASSERT_TRUE(slides.has_value());
  EXPECT_FALSE(slides->has_value());
  EXPECT_FALSE(s.here()->on_surfaces.has_value());
}

TEST(Sliders, WhatASliderKnowsIsToldToItsBase) {
  Scene s(relay(0.0));
  ASSERT_TRUE(s.step.sliders.slide_from_start(0.0).has_value());
  detail::ModeRun& slider = *s.here();
  detail::SwitchBoard& base = slider.on_surfaces->base->kit->board;
  for (const bool truth : {true, false}) {
    slider.kit->board.set_truth(0, truth);
    base.set_truth(0, !truth);
    detail::hand_to_base(slider);
    EXPECT_EQ(base.truth(0), truth);
  }
}

TEST(Sliders, TheRuleIsWarnedOfOnce) {
  Scene s(relay(0.0));
  ASSERT_TRUE(s.step.sliders.slide_from_start(0.0).has_value());
  s.step.sliders.warn_of_rule(0.0, *s.here());
  s.step.sliders.warn_of_rule(0.5, *s.here());
  EXPECT_TRUE(s.ground.ledger.has_warned_of("rule"));
  EXPECT_EQ(std::ranges::count_if(s.ground.ledger.report().warnings,
                                  [](const std::string& warning) {
                                    return warning.find("events.sliding_rule") != std::string::npos;
                                  }),
            1);
}

}  // namespace
}  // namespace saltus::hybrid_test
