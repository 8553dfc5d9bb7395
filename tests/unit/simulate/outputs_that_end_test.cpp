// Outputs that exist up to some time only: the solution does not need them, so a run ends there and not before.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr EngineKind engines_of_ends[] = {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau,
                                          EngineKind::ida};

/// x' = -x from 1 and an output that exists up to x = level.
struct EndingOutput {
  double level = 0.5;
  bool is_logarithm = false;

  double t_last() const { return -std::log(level); }
  double value(double x) const { return is_logarithm ? std::log(x - level) : std::sqrt(x - level); }
  void write(Model& m) const {
    const Expr x = m.state("x", 1.0);
    m.equation(der(x) == -x);
    m.output("y", is_logarithm ? log(x - level) : sqrt(x - level));
  }
};

RunOptions run_beyond(EngineKind engine, double tolerance) {
  RunOptions o;
  o.t_end = 5.0;
  o.rtol = o.atol = tolerance;
  o.engine = engine;
  return o;
}

// Where x passes its level: 50 tolerances of x, divided by its speed there (the level itself).
double end_bound(const EndingOutput& output, double tolerance) {
  return 50 * tolerance / output.level;
}

TEST(OutputsThatEnd, EndTheRunWhereTheyEnd) {
  constexpr std::uint32_t seed = 20260131;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> levels(0.1, 0.9);
  for (int k = 0; k < 40; ++k) {
    const EndingOutput output{levels(random), k % 2 == 1};
    for (const EngineKind engine : engines_of_ends) {
      for (const bool dense : {true, false}) {
        const double tolerance = k % 3 == 0 ? 1e-4 : 1e-7;
        Model m("ends");
        output.write(m);
        RunOptions o = run_beyond(engine, tolerance);
        o.output.dense = dense;
        const Solution s = simulate(m, o);
        const std::string what = std::string(name(engine)) + ", seed " + std::to_string(seed) +
                                 ", case " + std::to_string(k) + ": " + s.report.message;
        ASSERT_EQ(s.report.outcome, Outcome::failed) << what;
        EXPECT_NEAR(s.report.t_reached, output.t_last(), end_bound(output, tolerance)) << what;
        EXPECT_NE(s.report.message.find("output 'y' cannot be evaluated after t = " +
                                        to_text(s.report.t_reached)),
                  std::string::npos)
            << what;
        const Trajectory& rows = s.trajectory;
        ASSERT_GT(rows.n_rows(), 1U) << what;
        EXPECT_EQ(rows.times().back(), s.report.t_reached) << what;
        for (std::uint32_t i = 0; i < rows.n_rows(); ++i)
          EXPECT_EQ(rows.row(i)[1], output.value(rows.row(i)[0])) << what;
      }
    }
  }
}

TEST(OutputsThatEnd, GiveRowsOfAGridUpToThere) {
  for (const EngineKind engine : engines_of_ends) {
    for (const bool dense : {true, false}) {
      Model m("ends");
      const EndingOutput output{0.5, false};  // to ln 2 = 0.693
      output.write(m);
      RunOptions o = run_beyond(engine, 1e-6);
      o.output.dense = dense;
      o.output.points = OutputPoints::grid;
      o.output.interval = 0.1;
      const Solution s = simulate(m, o);
      EXPECT_EQ(s.report.outcome, Outcome::failed);
      ASSERT_EQ(s.trajectory.n_rows(), 7U) << name(engine);
      EXPECT_NE(s.report.message.find("output 'y' cannot be evaluated"), std::string::npos)
          << s.report.message;
    }
  }
}

// Rows are what outputs are asked for, and here all of them exist.
TEST(OutputsThatEnd, AreNotAskedForBetweenRowsWithoutDenseOutput) {
  for (const EngineKind engine : engines_of_ends) {
    Model m("gap");
    const Expr x = m.state("x", 0.0);
    m.equation(der(x) == 1.0);
    m.output("y", sqrt((x - 0.4) * (x - 0.6)));
    m.invariant("i", x - m.time());
    RunOptions o = run_beyond(engine, 1e-6);
    o.t_end = 1.0;
    o.max_step = 0.1;
    o.output.dense = false;
    o.output.points = OutputPoints::times;
    o.output.times = {0.0, 0.3, 0.7, 1.0};
    const Solution s = simulate(m, o);
    EXPECT_TRUE(s.ok()) << name(engine) << ": " << s.report.message;
    EXPECT_EQ(s.trajectory.n_rows(), 4U);
  }
}

}  // namespace
}  // namespace saltus
