// Where time has too few digits for what moves.
#include "hybrid/stay/resolution.hpp"

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// Near t = 2^40 numbers are 2^-12 apart. Tolerances are 2^-20, where unknowns are zero: x' = 2^-8 is one
/// tolerance within the resolution of time. A step of 25600 is 100 resolutions over rtol.
struct FewDigits {
  static constexpr double t_begin = 0x1p40, apart = 0x1p-12, one_tolerance = 0x1p-8;
  static RunOptions options(EngineKind engine) {
    RunOptions options;
    options.engine = engine;
    options.rtol = options.atol = 0x1p-20;
    return options;
  }

  explicit FewDigits(SystemFunctions f = rising(), EngineKind engine = EngineKind::dopri5)
      : s(std::move(f), options(engine)), resolution(s.here()) {
    s.here().forget_motion();
    s.here().begin_at(t_begin);
    s.here().enter_stretch(t_begin);
    resolution.begin(t_begin);
    s.here()->moved.clear();
  }
  /// A step of the length that ends with this x and x'.
  void step(double length, std::vector<double> x, std::vector<double> xdot) {
    s.here().begin_step();
    s.here().begin_at(s.here().t() + length);
    s.here()->start.x = std::move(x);
    s.here()->start.xdot = std::move(xdot);
    resolution.note_step();
  }
  bool is_resolved() { return resolution.resolved_to() == s.here().t(); }

  Scene s;
  detail::TimeResolution resolution;
};

TEST(TimeResolution, ALongStepIsResolvedWhateverMoves) {
  FewDigits f;
  f.step(1.0, {0.0}, {0.0});
  f.step(25601.0, {0.0}, {1e9});
  EXPECT_TRUE(f.is_resolved());
  f.step(-25601.0, {0.0}, {1e9});  // backward in time
  EXPECT_TRUE(f.is_resolved());
  EXPECT_EQ(f.s.here()->moved[0].by, 0.0);  // nobody looked
  f.step(25600.0, {0.0}, {1e9});
  EXPECT_FALSE(f.is_resolved());
}

TEST(TimeResolution, AShortStepIsResolvedIfNothingMovesByMoreThanItsTolerance) {
  FewDigits f;
  f.step(1.0, {0.0}, {0.0});
  f.step(1.0, {0.0}, {-FewDigits::one_tolerance});
  EXPECT_TRUE(f.is_resolved());
  const double t_good = f.s.here().t();
  f.step(1.0, {0.0}, {-1.01 * FewDigits::one_tolerance});
  EXPECT_EQ(f.resolution.resolved_to(), t_good);
  // With x = 1, rtol and atol make twice the tolerance.
  f.step(1.0, {-1.0}, {2 * FewDigits::one_tolerance});
  EXPECT_TRUE(f.is_resolved());
  f.step(1.0, {-1.0}, {2.01 * FewDigits::one_tolerance});
  EXPECT_FALSE(f.is_resolved());
}

TEST(TimeResolution, WhatWasBadAtTheStartMayBecomeTenTimesAsBad) {
  FewDigits f;
  f.step(1.0, {0.0}, {1.0});  // 256 tolerances
  EXPECT_TRUE(f.is_resolved());
  f.step(1.0, {0.0}, {10.0});
  EXPECT_TRUE(f.is_resolved());
  f.step(1.0, {0.0}, {10.01});
  EXPECT_FALSE(f.is_resolved());
  // An engine that begins forgets the start before.
  f.s.here().enter_stretch(f.s.here().t());
  f.resolution.begin(f.s.here().t());
  EXPECT_TRUE(f.is_resolved());
  f.step(1.0, {0.0}, {20.0});
  EXPECT_TRUE(f.is_resolved());
  f.step(1.0, {0.0}, {200.0});
  EXPECT_TRUE(f.is_resolved());
}

TEST(TimeResolution, HowFarAnUnknownMovedAtMostIsKeptWithItsTime) {
  FewDigits f;
  f.step(1.0, {0.0}, {1.0});
  f.step(1.0, {0.0}, {-3.0});
  const double t_most = f.s.here().t();
  f.step(1.0, {0.0}, {3.0});
  f.step(1.0, {0.0}, {1000.0});  // not resolved: not part of the solution
  ASSERT_EQ(f.s.here()->moved.size(), 1U);
  EXPECT_EQ(f.s.here()->moved[0].by, 3.0 * FewDigits::apart);
  EXPECT_EQ(f.s.here()->moved[0].t, t_most);
}

TEST(TimeResolution, DerivativesOfAlgebraicUnknownsDoNotCount) {
  SystemFunctions functions;
  functions.unknowns = {{"x", 0.0}, {.name = "y", .differential = false}};
  functions.residual = [](double, auto x, auto xdot, auto f) {
    f[0] = xdot[0] - 1.0;
    f[1] = x[1] - x[0];
  };
  FewDigits f(functions, EngineKind::radau);
  f.step(1.0, {0.0, 0.0}, {0.0, 0.0});
  f.step(1.0, {0.0, 0.0}, {0.0, 1e9});
  EXPECT_TRUE(f.is_resolved());
  EXPECT_EQ(f.s.here()->moved[1].by, 0.0);
}

}  // namespace
}  // namespace saltus::hybrid_test
