// Clauses that bring their own condition to rest on its surface.
#include "hybrid/instant/stop_watch.hpp"

#include <algorithm>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// x falls with v from 1; where it passes 0 the clause sets v to zero, and gravity goes on.
SystemFunctions stopped_fall(double gravity) {
  SystemFunctions f;
  f.unknowns = {{"x", 1.0}, {"v", -1.0}};
  f.derivative = [gravity](double, auto x, auto xdot) {
    xdot[0] = x[1];
    xdot[1] = gravity;
  };
  f.switches.push_back({"x > 0", false});
  f.switching = [](double, auto x, auto g) { g[0] = x[0]; };
  f.actions.push_back({.name = "stop",
                       .trigger = "x > 0",
                       .when = FunctionAction::When::falling,
                       .set = [](double, auto, auto after) { after[1] = 0.0; }});
  return f;
}

RunOptions until_two() {
  RunOptions options = Scene::in_one_second();
  options.t_end = 2.0;
  return options;
}

std::ptrdiff_t n_warnings(Scene& s) {
  return std::ranges::count_if(s.report().warnings, [](const std::string& warning) {
    return warning.find("brings 'x > 0' to rest on its surface") != std::string::npos;
  });
}

TEST(StopWatch, ASolutionThatMovesOnBeyondIsWarnedOf) {
  Scene s(stopped_fall(-1.0), until_two());
  s.run();
  EXPECT_EQ(n_warnings(s), 1);
}

TEST(StopWatch, OneThatRestsIsNot) {
  Scene s(stopped_fall(0.0), until_two());
  s.run();
  EXPECT_EQ(n_warnings(s), 0);
  EXPECT_NEAR(s.here().x()[0], 0.0, 1e-5);
}

}  // namespace
}  // namespace saltus::hybrid_test
