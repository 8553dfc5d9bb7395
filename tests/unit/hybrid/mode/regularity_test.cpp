// Which systems are watched, how often, and what is no alarm.
#include <saltus/hybrid.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <saltus/initialize/regularity.hpp>
#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using WatchIn = std::span<const double>;
using WatchOut = std::span<double>;
using HybridRun = Run;  // inside a test, Run is GoogleTest's

constexpr EngineKind implicit_kinds[] = {EngineKind::ida, EngineKind::radau};

Solution run_all(const std::shared_ptr<const System>& system, RunOptions options) {
  HybridRun run("watched", std::make_shared<SingleConfiguration>(system), std::move(options));
  while (run.advance()) {
  }
  return run.finish();
}

/// t x' = x, as a function without derivatives of its own.
std::shared_ptr<const System> line_through_zero() {
  return make_system(
      {.unknowns = {{"x", -1.0}},
       .residual = [](double t, WatchIn x, WatchIn xdot, WatchOut f) { f[0] = t * xdot[0] - x[0]; },
       .equations = {"ratio"}});
}

TEST(RegularityWatch, SystemsThatAreDearToLookAtGetAnInterval) {
  for (const EngineKind engine : implicit_kinds) {
    RunOptions o{.t_begin = -1.0, .t_end = 1.0, .engine = engine};
    o.max_step = 0.03;
    const Solution s = run_all(line_through_zero(), o);
    EXPECT_EQ(s.report.outcome, Outcome::failed);
    EXPECT_EQ(s.report.failure, FailureCode::singular);
    double from = 1.0, to = -1.0;
    const char* form = "between t = %lf and t = %lf the equations become singular";
    ASSERT_EQ(std::sscanf(s.report.message.c_str(), form, &from, &to), 2) << s.report.message;
    // Ten steps, and the zero among them.
    EXPECT_LT(from, 0.0);
    EXPECT_GT(to, 0.0);
    EXPECT_LE(to - from, 10 * o.max_step * 1.001);
  }
}

/// w' = -w / 10 in a frame that turns: x = w cos t, y = w sin t. E = [cos t, sin t; 0, 0] has a null space that
/// turns with it, so that the matrix with the Q of the start vanishes at a right angle, although the index is
/// one throughout.
std::shared_ptr<const System> turning_frame() {
  return make_system({.unknowns = {{"x", 1.0}, {"y", 0.0}},
                      .residual =
                          [](double t, WatchIn x, WatchIn r, WatchOut f) {
                            const double c = std::cos(t), s = std::sin(t);
                            f[0] = c * r[0] + s * r[1] + 0.1 * (c * x[0] + s * x[1]);
                            f[1] = -s * x[0] + c * x[1];
                          },
                      .jacobian =
                          [](double t, WatchIn, WatchIn, WatchOut by_x, WatchOut by_xdot) {
                            const double c = std::cos(t), s = std::sin(t);
                            by_x[0] = 0.1 * c, by_x[1] = -s, by_x[2] = 0.1 * s, by_x[3] = c;
                            by_xdot[0] = c, by_xdot[2] = s;
                          }});
}

TEST(RegularityWatch, DirectionsThatTurnAreNoLoss) {
  const auto system = turning_frame();
  const auto workspace = system->workspace();
  const std::vector<double> x = {1.0, 0.0}, xdot = {-0.1, 1.0};
  const auto watch = watch_index_one(*system, *workspace, 0.0, x, xdot);
  ASSERT_NE(watch, nullptr);
  const double quarter = std::acos(0.0);
  SignedLogarithm at_start, beside;
  ASSERT_TRUE(watch->determinant(0.0, x, xdot, at_start));
  ASSERT_TRUE(watch->determinant(quarter - 1e-3, x, xdot, beside));
  EXPECT_LT(beside.log_size, at_start.log_size - 5);
  EXPECT_FALSE(watch->confirm(quarter, x, xdot));  // with its own directions it is regular
  ASSERT_TRUE(watch->determinant(quarter, x, xdot, beside));
  EXPECT_NEAR(beside.log_size, at_start.log_size, 0.1);

  for (const EngineKind engine : implicit_kinds) {
    const Solution s = run_all(system, {.t_end = 20.0, .engine = engine});
    EXPECT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("x"), std::exp(-2.0) * std::cos(20.0), 1e-3);
  }
}

TEST(RegularityWatch, ConstantCoefficientsAreNotWatched) {
  const auto free =
      make_system({.unknowns = {{"x", 1.0}},
                   .derivative = [](double, WatchIn x, WatchOut r) { r[0] = -x[0]; }});
  const auto line = line_through_zero();
  const std::vector<double> x = {1.0}, xdot = {-1.0};
  const auto of_free = free->workspace(), of_line = line->workspace();
  EXPECT_EQ(watch_index_one(*free, *of_free, -1.0, x, xdot), nullptr);
  EXPECT_NE(watch_index_one(*line, *of_line, -1.0, x, xdot), nullptr);
}

}  // namespace
}  // namespace saltus
