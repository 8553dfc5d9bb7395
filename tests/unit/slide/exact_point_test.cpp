// The point of a motion on surfaces that its states determine.
#include <gtest/gtest.h>

#include <saltus/system/function_system.hpp>

#include "slide/dae/exact_point.hpp"
#include "slide/dae/sliding_dae.hpp"

namespace saltus::detail {
namespace {

/// x' = y^2 - 2 s (s = -1 where x < 0, 1 where x > 0) and y' = 1: on x = 0, u = y^2 / 2. Late, 4 stands for 2. Below
/// y = 0 nothing is known.
struct ExactPointCase {
  explicit ExactPointCase(SlidingForm form = SlidingForm::mixed) {
    SystemFunctions f;
    f.unknowns = {{.name = "x", .nominal = 2.0}, {"y", 0.8}};
    f.locked_residual = [this](double, auto x, auto xdot, auto locks, auto r) {
      ++n_evaluations;
      r[0] = xdot[0] - x[1] * x[1] + (locks[1] ? 4 : 2) * (locks[0] ? 1 : -1);
      r[1] = xdot[1] - 1.0;
      if (x[1] < 0) r[1] = std::numeric_limits<double>::quiet_NaN();
    };
    f.switches = {{"x > 0"}, {"late"}};
    f.switching = [](double t, auto x, auto g) {
      g[0] = x[0];
      g[1] = t - 100;
    };
    auto made = SlidingDae::make({.system = make_system(std::move(f)),
                                  .surfaces = {{{0}, {1}}},
                                  .x = {0, 0.8},
                                  .xdot = {0, 1},
                                  .locks = {1, 0},
                                  .held = {}},
                                 form);
    EXPECT_TRUE(made.has_value()) << made.failure().message;
    system = *made;
    const auto& dae = dynamic_cast<const SlidingDae&>(*system);
    workspace = system->workspace();
    base.emplace(dae.base());
    point.emplace(dae.layout(), *base, dae.first_pivots());
    exact.emplace(*system, *workspace, dae.layout(), *base, *point);
    n_evaluations = 0;
  }
  ExactPointCase(const ExactPointCase&) = delete;
  /// Multipliers there; on a failure, what was in u before.
  double u_at(double y, double t = 0.0) {
    const std::vector<double> x{0, y, 0, 0}, xdot{0, 1, 0.1, 0};
    std::vector<double> u{-9};
    EXPECT_TRUE(exact->multipliers(t, x, xdot, u));
    return u[0];
  }

  int n_evaluations = 0;
  std::shared_ptr<const System> system;
  std::unique_ptr<Workspace> workspace;
  std::optional<BaseAtSides> base;
  std::optional<MixedPoint> point;
  std::optional<ExactPoint> exact;
};

TEST(ExactPoint, StatesDetermineEverythingElse) {
  ExactPointCase c;
  // x is what the surface determines; U and P stand for nothing but their derivatives.
  const std::vector<double> x{0.5, 0.6, 7, 8}, xdot{0, 4, 0.9, 3};
  ASSERT_TRUE(c.exact->find(0.0, x, xdot));
  EXPECT_NEAR(c.exact->x()[0], 0.0, 1e-15);
  EXPECT_EQ(c.exact->x()[1], 0.6);
  EXPECT_NEAR(c.exact->xdot()[1], 1.0, 1e-15);
  EXPECT_NEAR(c.exact->xdot()[2], 0.18, 1e-15);  // u
  EXPECT_NEAR(c.exact->xdot()[3], 0.0, 1e-15);   // x' on the surface
  EXPECT_EQ(xdot[2], 0.9);
}

TEST(ExactPoint, AProjectionSaysHowFarItMoves) {
  ExactPointCase c;
  std::vector<double> x{0.5, 0.6, 7, 8}, xdot{0, 4, 0.9, 3};
  double moved = 0.0;
  ASSERT_TRUE(c.exact->project(0.0, x, xdot, moved));
  EXPECT_NEAR(x[0], 0.0, 1e-15);
  EXPECT_NEAR(xdot[2], 0.18, 1e-15);
  EXPECT_NEAR(moved, 0.25, 1e-15);  // the nominal value is 2
}

TEST(ExactPoint, MultipliersAreThoseOfThePoint) {
  ExactPointCase c;
  EXPECT_NEAR(c.u_at(0.6), 0.18, 1e-14);
  EXPECT_NEAR(c.u_at(1.0), 0.5, 1e-14);
}

TEST(ExactPoint, MultipliersOfTheLastPointsAreKept) {
  ExactPointCase c;
  const double first = c.u_at(0.1);
  for (int i = 2; i <= 16; ++i) (void)c.u_at(0.1 * i);
  c.n_evaluations = 0;
  EXPECT_EQ(c.u_at(0.1), first);
  EXPECT_EQ(c.n_evaluations, 0);
  (void)c.u_at(1.7);  // the 17th takes the place of the first
  c.n_evaluations = 0;
  (void)c.u_at(0.1 * 2);
  EXPECT_EQ(c.n_evaluations, 0);
  EXPECT_NEAR(c.u_at(0.1), 0.005, 1e-15);
  EXPECT_GT(c.n_evaluations, 0);
}

TEST(ExactPoint, APointIsKnownByItsTimeAndByAllItsNumbers) {
  ExactPointCase c;
  (void)c.u_at(0.6, 1.0);
  c.n_evaluations = 0;
  (void)c.u_at(0.6, 1.0);
  EXPECT_EQ(c.n_evaluations, 0);
  (void)c.u_at(0.6, 2.0);
  EXPECT_GT(c.n_evaluations, 0);
  c.n_evaluations = 0;
  std::vector<double> u(1);
  ASSERT_TRUE(c.exact->multipliers(1.0, std::vector<double>{0, 0.6, 0, 0},
                                   std::vector<double>{0, 1, 0.2, 0}, u));
  EXPECT_GT(c.n_evaluations, 0);
}

TEST(ExactPoint, WhereEquationsMayBeOthersNothingIsKnown) {
  ExactPointCase c;
  EXPECT_NEAR(c.u_at(0.6), 0.18, 1e-14);
  c.workspace->ability<Locks>()->set_lock(1, true);
  c.base->sides.tell(1, true);
  EXPECT_NEAR(c.u_at(0.6), 0.09, 1e-14);
}

TEST(ExactPoint, BlendedMultipliersAreUnknownsAndNothingIsSought) {
  ExactPointCase c(SlidingForm::blended);
  std::vector<double> u(1);
  ASSERT_TRUE(c.exact->multipliers(0.0, std::vector<double>{0, 0.6, 0.75},
                                   std::vector<double>{0, 1, 99}, u));
  EXPECT_EQ(u[0], 0.75);
  EXPECT_EQ(c.n_evaluations, 0);
}

TEST(ExactPoint, SlopesOfMultipliersFollowTheStates) {
  ExactPointCase c;
  std::vector<double> slopes(2, 99.0);
  ASSERT_TRUE(c.exact->multiplier_gradients(0.0, std::vector<double>{0, 0.6, 0, 0},
                                            std::vector<double>{0, 1, 0.18, 0}, slopes));
  EXPECT_EQ(slopes[0], 0.0);          // x is no state there
  EXPECT_NEAR(slopes[1], 0.6, 1e-7);  // du/dy = y; the Jacobian is a difference
}

TEST(ExactPoint, WithoutAPointThereIsNeitherMultiplierNorSlope) {
  ExactPointCase c;
  const std::vector<double> x{0, -0.6, 0, 0}, xdot{0, 1, 0.1, 0};
  std::vector<double> u{-9}, slopes(2, 99.0);
  EXPECT_FALSE(c.exact->find(0.0, x, xdot));
  EXPECT_FALSE(c.exact->multipliers(0.0, x, xdot, u));
  EXPECT_EQ(u[0], -9);
  EXPECT_FALSE(c.exact->multiplier_gradients(0.0, x, xdot, slopes));
  EXPECT_EQ(slopes[1], 99.0);
  // A failure is not kept as a multiplier.
  EXPECT_FALSE(c.exact->multipliers(0.0, x, xdot, u));
}

}  // namespace
}  // namespace saltus::detail
