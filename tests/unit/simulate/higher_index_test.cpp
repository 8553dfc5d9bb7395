// Models of higher index, entered exactly as their equations stand.
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind implicit_engines[] = {EngineKind::ida, EngineKind::radau};

/// tests/reference/pendulum_index3.json.
constexpr double pendulum_x = 0.2750874625761168600543914493;
constexpr double pendulum_y = -0.9614192050991250642651350686;
constexpr double pendulum_lambda = 28.29456720606725064132292507;

/// `copies` of the rod, each with a multiplier of its own.
void write_pendulum(Model& m, int copies = 1) {
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr force = 0.0;
  for (int k = 0; k < copies; ++k) force += m.algebraic("lambda" + std::to_string(k));
  m.equation("x", der(x) == u);
  m.equation("y", der(y) == v);
  m.equation("u", der(u) == -force * x);
  m.equation("v", der(v) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  if (copies > 1) m.equation("rod again", 2.0 * x * x + 2.0 * y * y == 2.0);
  m.output("force", force);
}

struct PendulumRun {
  double error = 1e300;
  double constraints = 0.0;
  std::uint64_t n_evaluations = 0;
  std::string message;
};

PendulumRun run_pendulum(EngineKind engine, double tolerance, int copies = 1) {
  Model m("pendulum");
  write_pendulum(m, copies);
  const Solution s =
      simulate(m, {.t_end = 10.0, .rtol = tolerance, .atol = tolerance, .engine = engine});
  PendulumRun run;
  run.message = s.report.message;
  if (!s.ok()) return run;
  run.error = std::max({std::abs(s.final("x") - pendulum_x), std::abs(s.final("y") - pendulum_y)});
  run.n_evaluations = s.report.total_work().n_evaluations;
  const auto column = [&](const char* name) { return s.trajectory.index_of(name); };
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) {
    const auto row = s.trajectory.row(r);
    const double x = row[column("x")], y = row[column("y")], u = row[column("u")],
                 v = row[column("v")], force = row[column("force")];
    // Position, velocity and acceleration level; the force is of size 30.
    run.constraints =
        std::max({run.constraints, std::abs(x * x + y * y - 1), std::abs(x * u + y * v) / 5,
                  std::abs(u * u + v * v - force - 9.81 * y) / 30});
  }
  return run;
}

TEST(HigherIndex, ThePendulumRunsAsItsEquationsStand) {
  for (const EngineKind engine : implicit_engines) {
    const PendulumRun loose = run_pendulum(engine, 1e-6), tight = run_pendulum(engine, 1e-8);
    EXPECT_LT(tight.error, engine == EngineKind::ida ? 1e-5 : 5e-6) << tight.message;
    EXPECT_LT(tight.error, loose.error / 10) << loose.message;
    EXPECT_LT(loose.constraints, 1e-11);
    EXPECT_LT(tight.constraints, 1e-11);
    // Hand-made GGL form on IDA: 7,635 residuals.
    if (engine == EngineKind::ida) {
      EXPECT_LT(tight.n_evaluations, 8000u);
    }
  }
}

TEST(HigherIndex, TheReportSaysWhatWasFound) {
  Model m("pendulum");
  write_pendulum(m);
  const Solution s = simulate(m, {.t_end = 0.1});
  ASSERT_TRUE(s.ok()) << s.report.message;
  bool found = false;
  for (const DecisionRecord& d : s.report.choices) {
    found = found || (d.name == "characteristic values" && d.used == "(2, 2, 3, 0, 0)");
  }
  EXPECT_TRUE(found) << to_text(s.report);
}

TEST(HigherIndex, AVelocityKeepsItsPartAlongTheConstraint) {
  for (const ReductionKind reduction : {ReductionKind::structure, ReductionKind::ranks}) {
    Model m("pendulum");
    Expr x = m.state("x", 0.6), y = m.state("y", -0.8);
    // 1 along the tangent (0.8, 0.6), 1 along the rod.
    Expr u = m.state("u", 1.4), v = m.state("v", -0.2), f = m.algebraic("f");
    m.equation(der(x) == u);
    m.equation(der(y) == v);
    m.equation(der(u) == -f * x);
    m.equation(der(v) == -f * y - 9.81);
    m.equation("rod", x * x + y * y == 1.0);
    const Solution s = simulate(m, {.t_end = 0.1, .reduction = reduction});
    ASSERT_TRUE(s.ok()) << s.report.message;
    // Equations of velocities count 2^-20 against those of positions, squared.
    EXPECT_NEAR(s.at("u", 0.0), 0.8, 1e-5);
    EXPECT_NEAR(s.at("v", 0.0), 0.6, 1e-5);
    EXPECT_NEAR(s.at("x", 0.0), 0.6, 1e-5);
  }
}

TEST(HigherIndex, AnInputThatJumpsTakesAnImpulseUnlessNothingMayJump) {
  // x' = y, z' = y, x = input: z follows x, so a step of the input is one of z, by an impulse in y.
  for (const Interpolation kind : {Interpolation::step, Interpolation::spline}) {
    Model m("driven");
    Expr x = m.state("x", 0.0), z = m.state("z", 0.0), y = m.algebraic("y");
    const std::vector<double> times = {0.0, 0.5, 1.0, 1.5}, values = {0.0, 0.3, 0.4, 0.5};
    Expr in = m.input("in", table(times, values, kind));
    m.equation("rate", der(x) == y);
    m.equation("follower", der(z) == y);
    m.equation("track", x == in);
    const Solution s = simulate(m, {.t_end = 1.5});
    if (kind == Interpolation::spline) {
      ASSERT_TRUE(s.ok()) << s.report.message;
      EXPECT_NEAR(s.final("z"), 0.5, 1e-4);
      continue;
    }
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("z"), 0.4, 1e-9);  // the last jump is that of the end itself
    ASSERT_EQ(s.instants().size(), 2U);
    ASSERT_EQ(s.instants()[0].impulses.size(), 1U);
    EXPECT_EQ(s.instants()[0].impulses[0].variable, "y");
    EXPECT_NEAR(s.instants()[0].impulses[0].strength, 0.3, 1e-9);
    const Solution refused = simulate(m, {.t_end = 1.5, .restart = RestartPolicy::check});
    EXPECT_EQ(refused.report.outcome, Outcome::failed);
    EXPECT_NE(refused.report.message.find("'x'"), std::string::npos) << refused.report.message;
    EXPECT_EQ(refused.report.t_reached, 0.5);
  }
}

TEST(HigherIndex, OtherValuesThanExpectedAreRefused) {
  Model m("pendulum");
  write_pendulum(m);
  EXPECT_TRUE(simulate(m, {.t_end = 0.1, .expected_values = {2, 2, 3, 0, 0}}).ok());
  const Solution s = simulate(m, {.t_end = 0.1, .expected_values = {1, 2, 3, 0, 0}});
  EXPECT_EQ(s.report.outcome, Outcome::not_started);
  EXPECT_NE(s.report.message.find("(1, 2, 3, 0, 0)"), std::string::npos) << s.report.message;
  EXPECT_NE(s.report.message.find("(2, 2, 3, 0, 0)"), std::string::npos) << s.report.message;
  EXPECT_THROW(simulate(m, {.t_end = 0.1, .expected_values = {2, 2}}), OptionError);
  // A model of index 1 may be expected to have it.
  Model decay("decay");
  Expr x = decay.state("x", 1.0);
  decay.equation(der(x) == -x);
  EXPECT_TRUE(simulate(decay, {.t_end = 0.1, .expected_values = {0, 1, 0, 0, 0}}).ok());
  EXPECT_FALSE(simulate(decay, {.t_end = 0.1, .expected_values = {1, 1, 0, 0, 0}}).ok());
}

TEST(HigherIndex, ARedundantConstraintDoesNotMatter) {
  // Errors at one time scatter: the plain model's largest within a factor of two of the tolerance.
  PendulumRun plain = run_pendulum(EngineKind::radau, 1e-7, 1);
  for (const double tolerance : {0.5e-7, 0.7e-7, 1.4e-7, 2e-7}) {
    plain.error = std::max(plain.error, run_pendulum(EngineKind::radau, tolerance, 1).error);
  }
  const PendulumRun twice = run_pendulum(EngineKind::radau, 1e-7, 2);
  EXPECT_LT(twice.error, 5 * plain.error) << twice.message;
  EXPECT_LT(twice.constraints, 1e-11);
}

TEST(HigherIndex, AStartOffTheConstraintsIsMovedAndReported) {
  Model m("pendulum");
  Expr x = m.state("x", 1.0), y = m.state("y", 0.1), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr f = m.algebraic("f");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -f * x);
  m.equation(der(v) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  const Solution s = simulate(m, {.t_end = 0.5});
  ASSERT_TRUE(s.ok()) << s.report.message;
  const double x0 = s.at("x", 0.0), y0 = s.at("y", 0.0);
  EXPECT_NEAR(x0 * x0 + y0 * y0, 1.0, 1e-12);
  std::string reported;
  for (const DecisionRecord& d : s.report.choices) reported += d.name + ";";
  EXPECT_NE(reported.find("start value of"), std::string::npos) << reported;
}

TEST(HigherIndex, ASecondOrderModelNeedsNoVelocities) {
  Model m("pendulum");
  Expr x = m.state("x", 1.0, {.derivative_start = 0.0});
  Expr y = m.state("y", 0.0, {.derivative_start = 0.0});
  Expr f = m.algebraic("f");
  m.equation(der(der(x)) == -f * x);
  m.equation(der(der(y)) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  const Solution s = simulate(m, {.t_end = 10.0, .rtol = 1e-8, .atol = 1e-8});
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_NEAR(s.final("x"), pendulum_x, 5e-6);
  EXPECT_NEAR(s.final("f"), pendulum_lambda, 1e-3);
}

// x1 = sin t, x_{k+1} = x_k', k = 1 … 4: index 5; and a state beside it.
TEST(HigherIndex, ErrorsOfAnIndexFiveChainFollowTheTolerance) {
  const auto error = [](EngineKind engine, double tolerance) {
    Model m("chain");
    std::vector<Expr> x;
    for (int k = 0; k < 5; ++k) x.push_back(m.algebraic("x" + std::to_string(k)));
    Expr z = m.state("z", 1.0);
    m.equation("given", x[0] == sin(m.time()));
    for (std::size_t k = 0; k + 1 < 5; ++k) m.equation(x[k + 1] == der(x[k]));
    m.equation(der(z) == -z + x[4]);
    const Solution s =
        simulate(m, {.t_end = 5.0, .rtol = tolerance, .atol = tolerance, .engine = engine});
    EXPECT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("x4"), std::sin(5.0), 1e-8);
    // z' = -z + sin t
    const double exact = 1.5 * std::exp(-5.0) + 0.5 * (std::sin(5.0) - std::cos(5.0));
    return std::abs(s.final("z") - exact);
  };
  for (const EngineKind engine : implicit_engines) {
    EXPECT_LT(error(engine, 1e-5), 1e-3) << name(engine);
    EXPECT_LT(error(engine, 1e-8), 1e-6) << name(engine);
  }
}

/// Test set for IVP solvers, "car axis"; tests/reference/ivp_car_axis.json.
void write_car_axis(Model& m) {
  const double k = 10 * 0.01 * 0.01 / 2, rest = 0.5;
  Expr yb = 0.1 * sin(10.0 * m.time()), xb = sqrt(1.0 - yb * yb);
  Expr xl = m.state("xl", 0.0, {.derivative_start = -0.5});
  Expr yl = m.state("yl", 0.5, {.derivative_start = 0.0});
  Expr xr = m.state("xr", 1.0, {.derivative_start = -0.5});
  Expr yr = m.state("yr", 0.5, {.derivative_start = 0.0});
  Expr f1 = m.algebraic("f1"), f2 = m.algebraic("f2");
  Expr left = sqrt(xl * xl + yl * yl);
  Expr right = sqrt((xr - xb) * (xr - xb) + (yr - yb) * (yr - yb));
  m.equation("xl", k * der(der(xl)) == (rest - left) * xl / left + f1 * xb + 2.0 * f2 * (xl - xr));
  m.equation("yl",
             k * der(der(yl)) == (rest - left) * yl / left + f1 * yb + 2.0 * f2 * (yl - yr) - k);
  m.equation("xr", k * der(der(xr)) == (rest - right) * (xr - xb) / right - 2.0 * f2 * (xl - xr));
  m.equation("yr",
             k * der(der(yr)) == (rest - right) * (yr - yb) / right - 2.0 * f2 * (yl - yr) - k);
  m.equation("axle", xl * xb + yl * yb == 0.0);
  m.equation("bar", (xl - xr) * (xl - xr) + (yl - yr) * (yl - yr) == 1.0);
}

TEST(SlowHigherIndex, TheCarAxisKeepsToItsReference) {
  for (const EngineKind engine : implicit_engines) {
    Model m("car axis");
    write_car_axis(m);
    RunOptions o{.t_end = 3.0, .rtol = 1e-6, .atol = 1e-6, .engine = engine};
    o.output.points = OutputPoints::times;
    o.output.times = {3.0};
    o.output.dense = false;
    const Solution s = simulate(m, o);
    ASSERT_TRUE(s.ok()) << s.report.message;
    EXPECT_NEAR(s.final("xl"), 0.049345578427524092131526793, 1e-6) << name(engine);
    EXPECT_NEAR(s.final("yl"), 0.49698946023000810676293397, 1e-6) << name(engine);
    // BDF errs by tens of tolerances here, Radau by less than ten.
    const double bound = (engine == EngineKind::ida ? 100 : 10) * o.rtol;
    EXPECT_NEAR(s.final("yr"), 0.37391102726536581935789770, bound) << name(engine);
  }
}

TEST(HigherIndex, WhatCannotBeDecidedIsRefusedInWords) {
  Model m("contradiction");
  Expr x = m.state("x", 1.0), y = m.algebraic("y");
  m.equation("motion", der(x) == y);
  m.equation("one", x == 1.0);
  m.equation("two", x == 2.0);
  m.allow_unequal_counts();
  const Solution s = simulate(m, {.t_end = 1.0});
  EXPECT_EQ(s.report.outcome, Outcome::not_started);
  EXPECT_FALSE(s.report.message.empty());
}

}  // namespace
}  // namespace saltus
