// How a switching function changes along the motion at an event.
#include "sensitivity/function_at_event.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

namespace saltus {
namespace {

using EventIn = std::span<const double>;
using detail::FunctionAtEvent;
using detail::MotionAtEvent;

/// A fast small unknown beside a slow one, in both orders, and the function sin(1e3 fast) - slow.
struct FastAndSlow {
  explicit FastAndSlow(std::size_t fast) {
    const std::size_t slow = 1 - fast;
    std::vector<FunctionUnknown> unknowns(2);
    unknowns[fast] = {"fast", 1e-3, true, 1e-3};
    unknowns[slow] = {"slow", 1.0};
    system = make_system(
        {.unknowns = std::move(unknowns),
         .residual = [](double, EventIn, EventIn xdot,
                        std::span<double> f) { f[0] = xdot[0], f[1] = xdot[1]; },
         .switches = {{"wave"}},
         .switching = [=](double, EventIn x,
                          std::span<double> g) { g[0] = std::sin(1e3 * x[fast]) - x[slow]; }});
    workspace = system->workspace();
    x = {1.0, 1.0}, slope = {3.0, 3.0}, bend = {2.0, 2.0}, nominal = {1.0, 1.0};
    x[fast] = nominal[fast] = 1e-3;
    slope[fast] = 50.0;
    bend[fast] = 700.0;
  }
  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  std::vector<double> x, slope, bend, nominal;
};

// Exact: with phi = 1e3 fast, g' = cos(phi) phi' - slow' and g'' = cos(phi) phi'' - sin(phi) phi'^2 - slow''.
TEST(FunctionAtEvent, DifferencesAreTakenOverWhatIsSmallForEveryUnknown) {
  for (const std::size_t fast : {0u, 1u}) {
    FastAndSlow s(fast);
    const FollowedPoint left{*s.system, *s.workspace, 0.5, s.x, s.slope};
    const std::vector<double> sdot;
    const std::vector<std::uint8_t> integrated = {1, 1};
    const MotionAtEvent motion{s.nominal, s.slope, 1.0, 0, true, s.bend, sdot, integrated};
    FunctionAtEvent function(left, 0, motion);
    const double rate = 1e3 * 50.0;
    const auto along = function.rate_along();
    ASSERT_TRUE(along.has_value());
    // Differences over 6e-6 of an unknown: an error of eps^(2/3) from truncation and from rounding, times a few.
    EXPECT_NEAR(*along, std::cos(1.0) * rate - 3.0, 1e-9 * rate) << fast;
    const auto curvature = function.curvature();
    ASSERT_TRUE(curvature.has_value());
    // Over 1e-4 of an unknown: eps^(1/2), times a few.
    EXPECT_NEAR(*curvature, std::cos(1.0) * 700e3 - std::sin(1.0) * rate * rate - 2.0,
                1e-6 * rate * rate)
        << fast;
  }
}

TEST(FunctionAtEvent, NoCurvatureWithoutTheMotion) {
  FastAndSlow s(0);
  const FollowedPoint left{*s.system, *s.workspace, 0.5, s.x, s.slope};
  const MotionAtEvent motion{s.nominal, s.slope, 1.0, 0, false, {}, {}, {}};
  EXPECT_FALSE(FunctionAtEvent(left, 0, motion).curvature().has_value());
}

}  // namespace
}  // namespace saltus
