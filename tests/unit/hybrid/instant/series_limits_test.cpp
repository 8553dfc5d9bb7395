// Where a series of events comes to its end.
#include <cmath>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// A ball from height 1 that keeps half of its velocity: it rests at sqrt(2 / g) (1 + 2 (1/2 + 1/4 + ...)).
SystemFunctions ball() {
  SystemFunctions f;
  f.unknowns = {{"h", 1.0}, {"v", 0.0}};
  f.derivative = [](double, auto x, auto xdot) {
    xdot[0] = x[1];
    xdot[1] = -9.81;
  };
  f.switches.push_back({"h > 0", false});
  f.switching = [](double, auto x, auto g) { g[0] = x[0]; };
  f.actions.push_back({.name = "bounce",
                       .trigger = "h > 0",
                       .when = FunctionAction::When::falling,
                       .set = [](double, auto x, auto after) { after[1] = -0.5 * x[1]; },
                       .targets = {"v"}});
  return f;
}

TEST(SeriesLimits, WithoutAnActionForItTheRunEndsAtTheLimit) {
  RunOptions options = Scene::in_one_second();
  options.t_end = 3.0;
  options.rtol = options.atol = 1e-8;
  Scene s(ball(), options);
  s.run();
  EXPECT_EQ(s.report().outcome, Outcome::accumulation) << s.report().message;
  // What is left of the series is below the tolerance of the height: v^2 / (2 g) < 1e-8.
  EXPECT_NEAR(s.report().t_reached, 3.0 * std::sqrt(2.0 / 9.81), 1e-3);
}

TEST(SeriesLimits, ASingleEventIsNoSeries) {
  Scene s(ball());
  const detail::Verdict verdict = s.at.series_limits.look({0.5, {{0, -1}}});
  const auto* on = std::get_if<detail::GoOn>(&verdict);
  ASSERT_NE(on, nullptr);
  EXPECT_FALSE(on->series.has_value());
}

}  // namespace
}  // namespace saltus::hybrid_test
