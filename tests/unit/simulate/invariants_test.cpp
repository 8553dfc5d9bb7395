// Declared invariants are watched, never corrected.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

/// x'' = -x; the energy 1/2 is constant, x is not.
void write_watched_oscillator(Model& m) {
  Expr x = m.state("x", 1.0), v = m.state("v", 0.0);
  m.equation(der(x) == v);
  m.equation(der(v) == -x);
  m.invariant("energy", 0.5 * (x * x + v * v), "J", "of the oscillator");
  m.invariant("no invariant", x);
}

RunOptions oscillator_options(OutputPoints points) {
  RunOptions o{.t_end = 20.0, .rtol = 1e-6, .atol = 1e-6, .engine = EngineKind::radau};
  o.output.points = points;
  if (points == OutputPoints::grid) o.output.interval = 7.0;
  o.output.dense = false;
  return o;
}

TEST(Invariants, AreWatchedAtTheEndsOfSteps) {
  Model m("oscillator");
  write_watched_oscillator(m);
  const Solution s = simulate(m, oscillator_options(OutputPoints::steps));
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.report.invariants.size(), 2u);
  const InvariantRecord& energy = s.report.invariants[0];
  EXPECT_EQ(energy.name, "energy");
  EXPECT_EQ(energy.unit, "J");
  EXPECT_EQ(energy.initial, 0.5);
  // Bit for bit what the rows hold.
  const auto rows = s.trajectory.column("energy");
  double largest = 0.0, when = 0.0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (std::abs(rows[r] - 0.5) <= std::abs(largest)) continue;
    largest = rows[r] - 0.5;
    when = s.trajectory.times()[r];
  }
  EXPECT_EQ(energy.largest_deviation, largest);
  EXPECT_EQ(energy.t_largest, when);
  EXPECT_EQ(energy.last, rows.back());
  // Nothing is corrected: the error of the method is there, and of the size of the tolerance.
  EXPECT_GT(std::abs(largest), 1e-9);
  EXPECT_LT(std::abs(largest), 1e-4);
  // What is no invariant shows: x reaches -1.
  EXPECT_NEAR(s.report.invariants[1].largest_deviation, -2.0, 0.01);
}

TEST(Invariants, DoNotDependOnWhatIsRecorded) {
  Model m("oscillator");
  write_watched_oscillator(m);
  const auto at_steps = simulate(m, oscillator_options(OutputPoints::steps)).report.invariants;
  RunOptions few = oscillator_options(OutputPoints::grid);
  few.output.variables = {"v"};
  const auto at_grid = simulate(m, few).report.invariants;
  ASSERT_EQ(at_grid.size(), at_steps.size());
  for (std::size_t k = 0; k < at_grid.size(); ++k) {
    EXPECT_EQ(at_grid[k].initial, at_steps[k].initial);
    EXPECT_EQ(at_grid[k].last, at_steps[k].last);
    EXPECT_EQ(at_grid[k].largest_deviation, at_steps[k].largest_deviation);
    EXPECT_EQ(at_grid[k].t_largest, at_steps[k].t_largest);
  }
}

TEST(Invariants, OfAReducedModelAreThoseOfDeliveredPoints) {
  Model m("pendulum");
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr f = m.algebraic("f");
  m.equation(der(x) == u);
  m.equation(der(y) == v);
  m.equation(der(u) == -f * x);
  m.equation(der(v) == -f * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  m.invariant("length", sqrt(x * x + y * y), "m");
  m.invariant("energy", 0.5 * (u * u + v * v) + 9.81 * y, "J");
  const Solution s = simulate(m, {.t_end = 2.0});
  ASSERT_TRUE(s.ok()) << s.report.message;
  ASSERT_EQ(s.report.invariants.size(), 2u);
  EXPECT_LE(std::abs(s.report.invariants[0].largest_deviation), 1e-14);
  EXPECT_LE(std::abs(s.report.invariants[1].largest_deviation), 1e-3);
  EXPECT_GT(std::abs(s.report.invariants[1].largest_deviation), 1e-9);
}

TEST(Invariants, AreShownInTheReport) {
  Model m("oscillator");
  write_watched_oscillator(m);
  const Solution s = simulate(m, oscillator_options(OutputPoints::steps));
  const std::string text = to_text(s.report);
  EXPECT_NE(text.find("Invariants:\n  energy: 0.5 J at the beginning, largest deviation "),
            std::string::npos)
      << text;
}

TEST(Invariants, AreNamedLikeOutputs) {
  Model m("oscillator");
  write_watched_oscillator(m);
  Expr c = m.parameter("c", 2.0);
  EXPECT_THROW(m.invariant("energy", c), ModelError);
  EXPECT_THROW(m.invariant("x", c), ModelError);
  EXPECT_THROW(m.invariant("", c), ModelError);
}

TEST(Invariants, AModelWithoutThemHasNoRecords) {
  Model m("decay");
  Expr x = m.state("x", 1.0);
  m.equation(der(x) == -x);
  m.output("twice", 2.0 * x);
  const Solution s = simulate(m, {.t_end = 1.0});
  EXPECT_TRUE(s.report.invariants.empty());
  EXPECT_EQ(to_text(s.report).find("Invariants"), std::string::npos);
}

}  // namespace
}  // namespace saltus
