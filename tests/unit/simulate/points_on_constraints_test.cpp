// However a solution is asked, what it says satisfies the constraints of the model.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

#include <saltus/saltus.hpp>

#include "problems/mechanism_points.hpp"

namespace saltus {
namespace {

using namespace problems;

constexpr double allowed = 1e-11;
constexpr EngineKind engines[] = {EngineKind::radau, EngineKind::ida, EngineKind::dop853};

TEST(PointsOnConstraints, OfMechanisms) {
  for (const Mechanism& mechanism : {pendulum(), car_axis(), compound_pendulum()}) {
    for (const EngineKind engine : engines) {
      for (const double tolerance : {1e-4, 1e-8}) {
        const SeenResiduals seen = seen_residuals(
            mechanism, {.rtol = tolerance, .atol = tolerance, .engine = engine}, 100);
        SCOPED_TRACE(mechanism.name + " on " + std::string(name(engine)) + " at " +
                     to_text(tolerance));
        EXPECT_TRUE(seen.ok) << seen.message;
        EXPECT_GE(seen.n_events, 7U);
        EXPECT_LE(seen.rows, allowed);
        EXPECT_LE(seen.times, allowed);
        EXPECT_LE(seen.limits, allowed);
      }
    }
  }
}

struct Wall {
  Solution solution;
  double position = 0.0, velocity = 0.0, force = 0.0;
};

/// A pendulum that a wall throws back.
Wall pendulum_at_wall(RunOptions options) {
  Model m("pendulum at a wall");
  const double g = 9.81;
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr lambda = m.algebraic("lambda");
  m.equation("x", der(x) == u);
  m.equation("y", der(y) == v);
  m.equation("u", der(u) == -lambda * x);
  m.equation("v", der(v) == -lambda * y - g);
  m.equation("rod", x * x + y * y == 1.0);
  m.when("wall", x < -0.5, {reinit(u, -0.8 * pre(u)), reinit(v, -0.8 * pre(v))});
  options.t_end = 4.0;
  Wall wall{simulate(m, options)};
  const Trajectory& t = wall.solution.trajectory;
  std::vector<double> values(t.variables().size());
  const auto note = [&](std::span<const double> at) {
    const double px = at[t.index_of("x")], py = at[t.index_of("y")], pu = at[t.index_of("u")],
                 pv = at[t.index_of("v")], force = at[t.index_of("lambda")];
    wall.position = std::max(wall.position, std::abs(px * px + py * py - 1.0));
    wall.velocity = std::max(wall.velocity, std::abs(px * pu + py * pv));
    wall.force = std::max(wall.force, std::abs(pu * pu + pv * pv - force - g * py) / g);
  };
  for (const EventInstant& instant : wall.solution.event_log.instants()) {
    note(instant.x_minus);
    note(instant.x_plus);
    for (const Side side : {Side::left, Side::right}) {
      t.at(instant.t, values, side);
      note(values);
    }
  }
  for (int k = 0; k <= 200; ++k) {
    t.at(4.0 * k / 200, values);
    note(values);
  }
  return wall;
}

TEST(PointsOnConstraints, BeforeAndAfterImpacts) {
  for (const EngineKind engine : engines) {
    for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
      const Wall wall = pendulum_at_wall({.rtol = tolerance, .atol = tolerance, .engine = engine});
      SCOPED_TRACE(std::string(name(engine)) + " at " + to_text(tolerance));
      EXPECT_TRUE(wall.solution.ok()) << wall.solution.report.message;
      EXPECT_GE(wall.solution.event_log.n_events(EventKind::action), 2U);
      EXPECT_LE(wall.position, allowed);
      EXPECT_LE(wall.velocity, allowed);
      EXPECT_LE(wall.force, allowed);
    }
  }
}

TEST(PointsOnConstraints, ReducedByRanks) {
  for (const double tolerance : {1e-4, 1e-6, 1e-9}) {
    const SeenResiduals seen = seen_residuals(pendulum(),
                                              {.rtol = tolerance,
                                               .atol = tolerance,
                                               .engine = EngineKind::radau,
                                               .reduction = ReductionKind::ranks},
                                              100);
    SCOPED_TRACE(tolerance);
    EXPECT_TRUE(seen.ok) << seen.message;
    EXPECT_LE(seen.rows, allowed);
    EXPECT_LE(seen.times, allowed);
    EXPECT_LE(seen.limits, allowed);
  }
}

/// In which order times are asked for does not matter, nor who asks. Rounding does: factors of matrices are used again.
TEST(PointsOnConstraints, DoNotDependOnTheOrder) {
  const Wall wall = pendulum_at_wall({.rtol = 1e-5, .atol = 1e-5, .engine = EngineKind::radau});
  const Trajectory& t = wall.solution.trajectory;
  const auto x = t.index_of("x"), lambda = t.index_of("lambda");
  constexpr int n = 400;
  std::vector<double> forward(n), force(n);
  for (int k = 0; k < n; ++k) {
    forward[k] = *t.at(x, 4.0 * k / n);
    force[k] = *t.at(lambda, 4.0 * k / n);
  }
  const auto look_back = [&] {
    for (int k = n - 1; k >= 0; --k) {
      EXPECT_NEAR(*t.at(x, 4.0 * k / n), forward[k], 1e-13);
      EXPECT_NEAR(*t.at(lambda, 4.0 * k / n), force[k], 1e-11);
    }
  };
  std::thread other(look_back);
  look_back();
  other.join();
}

/// Only some variables are recorded; those that constraints need are there all the same.
TEST(PointsOnConstraints, OfOneVariable) {
  Model model("pendulum");
  write_pendulum(model);
  RunOptions options{.t_end = 3.0, .rtol = 1e-5, .atol = 1e-5, .engine = EngineKind::radau};
  const Solution all = simulate(model, options);
  options.output.variables = {"rod, acceleration", "y"};
  const Solution some = simulate(model, options);
  for (int k = 1; k < 100; ++k) {
    const double t = 3.0 * k / 100;
    EXPECT_LE(std::abs(some.at("rod, acceleration", t)), allowed);
    EXPECT_NEAR(some.at("y", t), all.at("y", t), 1e-14);
  }
}

/// The solution outlives the model, the run and the systems they were made of, and so do copies of it.
TEST(PointsOnConstraints, OutliveTheModel) {
  std::optional<Solution> kept;
  {
    Model model("pendulum");
    write_pendulum(model);
    kept = simulate(model, {.t_end = 3.0, .rtol = 1e-5, .atol = 1e-5, .engine = EngineKind::radau});
  }
  const Trajectory copy = kept->trajectory;
  kept.reset();
  EXPECT_NEAR(std::hypot(copy.at("x", 1.234), copy.at("y", 1.234)), 1.0, 1e-14);
}

/// Inputs, parameters that an event changes, and branches belong to the stretch a time lies in.
TEST(PointsOnConstraints, OfTheStretchTheyLieIn) {
  Model m("a mass pulled along a line that turns");
  Expr length = m.discrete("length", 1.0);
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr lambda = m.algebraic("lambda");
  Expr g = where(m.time() < 0.7, 9.81, 1.62);
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -lambda * x);
  m.equation(der(v) == -lambda * y - g);
  m.equation("rod", x * x + y * y == length * length);
  m.when("longer", m.every("clock", 0.4, 10.0),
         {{length, 1.5}, reinit(x, 1.5 * pre(x)), reinit(y, 1.5 * pre(y))});
  const Solution s = simulate(m, {.t_end = 1.0, .rtol = 1e-5, .atol = 1e-5});
  ASSERT_TRUE(s.ok()) << s.report.message;
  // Later stretches first.
  for (const double t : {0.95, 0.75, 0.55, 0.35, 0.15, 0.85, 0.05}) {
    const double px = s.at("x", t), py = s.at("y", t), pu = s.at("u", t), pv = s.at("v", t);
    const double l = t < 0.4 ? 1.0 : 1.5, weight = t < 0.7 ? 9.81 : 1.62;
    EXPECT_NEAR(px * px + py * py, l * l, allowed) << t;
    EXPECT_NEAR(pu * pu + pv * pv - s.at("lambda", t) * l * l, weight * py, 100 * allowed) << t;
  }
}

/// An event that changes no equation begins no stretch, but outputs follow it.
TEST(PointsOnConstraints, OutputsFollowEventsThatChangeNothingElse) {
  for (const EngineKind engine : engines) {
    Model m("pendulum");
    const Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0);
    const Expr v = m.state("v", 0.0), force = m.algebraic("force");
    m.equation(der(x) == u);
    m.equation(der(y) == v);
    m.equation(der(u) == -force * x);
    m.equation(der(v) == -force * y - 9.81);
    m.equation(x * x + y * y == 1.0);
    const Expr ticks = m.discrete("ticks", 0.0);
    m.output("phase", where(m.time() > 1.0, Expr(1.0), Expr(0.0)));
    m.output("side", where(x > 0.0, Expr(1.0), Expr(-1.0)));
    m.output("twice", 2.0 * ticks);
    m.when("tick", m.every("clock", 0.5, 0.5), {{ticks, pre(ticks) + 1.0}});
    const Solution s = simulate(m, {.t_end = 2.2, .rtol = 1e-6, .atol = 1e-6, .engine = engine});
    ASSERT_TRUE(s.ok()) << s.report.message;
    for (const double t : {0.2, 0.7, 1.2, 1.7, 2.1, 0.9, 1.1}) {
      EXPECT_EQ(s.at("phase", t), t > 1.0 ? 1.0 : 0.0) << name(engine) << " " << t;
      EXPECT_EQ(s.at("twice", t), 2.0 * std::floor(t / 0.5)) << name(engine) << " " << t;
      EXPECT_EQ(s.at("side", t), s.at("x", t) > 0.0 ? 1.0 : -1.0) << name(engine) << " " << t;
    }
  }
}

}  // namespace
}  // namespace saltus
