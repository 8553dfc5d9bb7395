// What the equations keep by its derivatives only, and what is done where it drifts.
#include "hybrid/stay/drift.hpp"

#include <saltus/system/drift.hpp>
#include <saltus/system/handing.hpp>

#include "../scene.hpp"

namespace saltus::hybrid_test {
namespace {

/// Unknown 1 should be zero. What is put back leaves a part of it.
struct KeptAtZero final : DriftCorrection {
  double leaves = 0.0;
  bool can_put_back = true;
  std::vector<double> tolerance_seen;

  double drift(double, std::span<const double> x, std::span<const double>,
               std::span<const double> tolerance) override {
    tolerance_seen.assign(tolerance.begin(), tolerance.end());
    return std::abs(x[1]) / tolerance[1];
  }
  Evaluation put_back(double, std::span<double> x) override {
    if (!can_put_back) return Evaluation::out_of_domain(0);
    x[1] *= leaves;
    return Evaluation::ok();
  }
};

struct KeepingWorkspace final : Workspace {
  KeepingWorkspace(std::unique_ptr<Workspace> of, DriftCorrection& kept) : base(std::move(of)) {
    hand_on(*base, EveryAbility{});
    offer<DriftCorrection>(kept);
  }
  Evaluation residual(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> f) override {
    return base->residual(t, x, xdot, f);
  }
  Evaluation jacobian(double t, std::span<const double> x, std::span<const double> xdot,
                      std::span<double> df_dx, std::span<double> df_dxdot) override {
    return base->jacobian(t, x, xdot, df_dx, df_dxdot);
  }
  std::unique_ptr<Workspace> base;
};

/// x' = 1 and y' = -y, at rest at t = 0.5 with another y. There is a tolerance of 2^-20 where y is small.
struct DriftScene {
  static constexpr double atol = 0x1p-20;
  static SystemFunctions functions() {
    SystemFunctions f;
    f.unknowns = {{"x", 0.0}, {"y", 0.0}};
    f.locked_derivative = [](double, auto x, auto locks, auto xdot) {
      if (x[1] == 8.0) throw std::domain_error("nothing there");
      xdot[0] = locks[0] ? -1.0 : 1.0;
      xdot[1] = -x[1];
    };
    add_relation(
        f, "x > 1", [](double, double x) { return x - 1.0; }, true);
    return f;
  }
  static RunOptions options() {
    RunOptions options = Scene::in_one_second();
    options.rtol = options.atol = atol;
    return options;
  }

  explicit DriftScene(RunOptions options = DriftScene::options())
      : s(functions(), options), keeper(s.here(), s.ground.ledger) {
    keep_in(*s.here());
    s.here().forget_motion();
    s.here().begin_at(0.5);
  }
  void keep_in(detail::ModeRun& mode) {
    mode.workspace = std::make_unique<KeepingWorkspace>(std::move(mode.workspace), kept);
  }
  /// With y that many times its tolerance of 2^-20 (1 + y).
  std::optional<detail::EventPoint> put_back(double tolerances) {
    s.here()->start.x = {0.25, tolerances * atol / (1.0 - tolerances * atol)};
    s.here()->start.xdot = {1.0, 0.0};
    auto found = keeper.put_back();
    EXPECT_TRUE(found.has_value()) << found.failure().message;
    return found.has_value() ? *found : std::nullopt;
  }
  const std::vector<std::string>& warnings() { return s.ground.ledger.report().warnings; }
  const std::vector<DecisionRecord>& choices() { return s.ground.ledger.choices(); }

  KeptAtZero kept;
  Scene s;
  detail::DriftKeeper keeper;
};

TEST(DriftKeeper, AFewTolerancesAreNoDrift) {
  DriftScene d;
  EXPECT_FALSE(d.put_back(4.99).has_value());
  EXPECT_EQ(d.kept.tolerance_seen[0], 1.25 * DriftScene::atol);
  const auto point = d.put_back(5.01);
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(point->t, 0.5);
  EXPECT_EQ(point->x, (std::vector{0.25, 0.0}));
  EXPECT_TRUE(d.warnings().empty());
}

TEST(DriftKeeper, DerivativesAreThoseOfThePointThatWasFound) {
  DriftScene d;
  d.kept.leaves = 0.25;
  const auto point = d.put_back(8.0);
  ASSERT_TRUE(point.has_value());
  EXPECT_NEAR(point->x[1], 2.0 * DriftScene::atol, 1e-4 * DriftScene::atol);
  EXPECT_NEAR(point->xdot[1], -point->x[1], 1e-12);
}

TEST(DriftKeeper, WhatIsNotHalvedStaysAndIsSaidOnce) {
  for (const bool can_put_back : {true, false}) {
    DriftScene d;
    d.kept.can_put_back = can_put_back;
    d.kept.leaves = can_put_back ? 0.51 : 0.0;
    EXPECT_FALSE(d.put_back(6.0).has_value());
    d.s.here().begin_at(0.625);
    EXPECT_FALSE(d.put_back(7.0).has_value());
    EXPECT_EQ(d.warnings(),
              std::vector<std::string>{"from t = 0.5 on, closed gaps or joints are off by more "
                                       "than 5 tolerances, and positions that would close them "
                                       "were not found"});
    d.keeper.report();
    EXPECT_TRUE(d.choices().empty());
  }
}

TEST(DriftKeeper, ThereMustBeAConsistentPoint) {
  DriftScene d;
  d.s.here()->start.x = {0.25, 1024.0};
  d.s.here()->start.xdot = {1.0, 0.0};
  d.kept.leaves = 1.0 / 128.0;  // y = 8, where nothing is defined
  EXPECT_FALSE(d.keeper.put_back().has_value());
}

TEST(DriftKeeper, NothingIsDoneWhereRelationsAreNotWatched) {
  RunOptions options = DriftScene::options();
  options.events.handling = EventHandling::off;
  DriftScene d(options);
  EXPECT_FALSE(d.put_back(1000.0).has_value());
  EXPECT_TRUE(d.kept.tolerance_seen.empty());
}

TEST(DriftKeeper, TheReportHasTheNumberAndTheLargest) {
  DriftScene d;
  (void)d.put_back(7.22);
  d.keeper.report();
  (void)d.put_back(6.0);
  d.keeper.report();
  ASSERT_EQ(d.choices().size(), 2U);
  EXPECT_EQ(d.choices()[0].name, "drift of closed gaps and joints");
  EXPECT_EQ(d.choices()[0].given, "as integrated");
  EXPECT_EQ(d.choices()[0].used, "put back 1 time");
  EXPECT_EQ(d.choices()[0].reason, "off by at most 7.3 tolerances");  // rounded up
  EXPECT_EQ(d.choices()[1].used, "put back 2 times");
  EXPECT_EQ(d.choices()[1].reason, "off by at most 7.3 tolerances");
}

TEST(DriftKeeper, OnSurfacesTheModeBelowThemKeepsWhatItKeeps) {
  RunOptions options = DriftScene::options();
  options.t_end = 2.0;
  Scene s(DriftScene::functions(), options);
  s.run();  // to x = 1, and along it
  ASSERT_TRUE(s.here()->on_surfaces.has_value());
  KeptAtZero kept;
  detail::ModeRun& base = *s.here()->on_surfaces->base;
  base.workspace = std::make_unique<KeepingWorkspace>(std::move(base.workspace), kept);
  detail::DriftKeeper keeper(s.here(), s.ground.ledger);
  s.here().forget_motion();
  s.here().begin_at(1.5);
  s.here()->start.x[1] = 1e-3;
  const auto found = keeper.put_back();
  ASSERT_TRUE(found.has_value()) << found.failure().message;
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ(kept.tolerance_seen.size(), 2U);
  EXPECT_EQ((*found)->x.size(), s.here()->system->size());
  EXPECT_EQ((*found)->x[1], 0.0);
  EXPECT_NEAR((*found)->xdot[0], 0.0, 1e-12);  // it stays on the surface
}

}  // namespace
}  // namespace saltus::hybrid_test
