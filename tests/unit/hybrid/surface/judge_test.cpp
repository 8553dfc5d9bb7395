// Decisions on surfaces.
#include "../scene.hpp"
#include "hybrid/surface/refusals.hpp"

namespace saltus::hybrid_test {
namespace {

/// x' = plus where x > 0, minus elsewhere; from x = 0.
template <int minus, int plus>
SystemFunctions relay() {
  SystemFunctions f;
  f.unknowns = {{"x", 0.0}};
  f.locked_derivative = [](double, auto, auto locks, auto xdot) {
    xdot[0] = locks[0] ? plus : minus;
  };
  add_relation(
      f, "x > 0", [](double, double x) { return x; }, true);
  return f;
}

Result<detail::SurfaceWay> way_of(Scene& s) {
  const std::vector<std::uint32_t> met{0};
  return s.step.judge.find_way(*s.here(), s.here().point(), {met});
}

TEST(SurfaceJudge, BothSidesLeadToIt) {
  Scene s(relay<1, -1>());
  const auto way = way_of(s);
  ASSERT_TRUE(way.has_value()) << way.failure().message;
  EXPECT_EQ(way->kind, DecisionKind::unique);
  ASSERT_EQ(way->kept.size(), 1U);
  EXPECT_EQ(way->who, "'x > 0'");
  EXPECT_TRUE(detail::is_on(way->kept, 0));
  EXPECT_FALSE(detail::is_on(way->kept, 1));
  EXPECT_EQ(way->options.form, SlidingForm::eliminated);  // the engine is explicit
}

TEST(SurfaceJudge, OneSideLeadsAcross) {
  Scene s(relay<1, 2>());
  const auto way = way_of(s);
  ASSERT_TRUE(way.has_value()) << way.failure().message;
  EXPECT_EQ(way->kind, DecisionKind::unique);
  EXPECT_TRUE(way->kept.empty());
  EXPECT_TRUE(s.board().truth(0));
}

TEST(SurfaceJudge, WhereBothSidesLeadAwayNoneIsChosen) {
  Scene s(relay<-1, 1>());
  const auto way = way_of(s);
  ASSERT_TRUE(way.has_value()) << way.failure().message;
  EXPECT_EQ(way->kind, DecisionKind::several);
  const Failure said = detail::no_way(0.0, *way);
  EXPECT_NE(said.message.find("more than one way"), std::string::npos) << said.message;
}

TEST(SurfaceJudge, ARelationThatIsToCrossHoldsNothing) {
  RunOptions options = Scene::in_one_second();
  options.events.surface_of = {{"x > 0", SurfacePolicy::cross}};
  Scene s(relay<1, -1>(), options);
  const detail::EventPoint at = s.here().point();
  EXPECT_TRUE(s.step.judge.on_surface(*s.here(), at, std::vector<double>{1.0}).empty());
}

TEST(SurfaceJudge, ASliderKeepsToItsSurface) {
  Scene s(relay<1, -1>());
  s.run();
  EXPECT_EQ(s.report().outcome, Outcome::finished) << s.report().message;
  ASSERT_TRUE(s.here()->on_surfaces.has_value());
  EXPECT_EQ(s.here()->visit.sliding, std::vector<std::string>{"x > 0"});
  EXPECT_EQ(s.here().x()[0], 0.0);
}

}  // namespace
}  // namespace saltus::hybrid_test
