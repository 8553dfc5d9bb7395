// Closed gaps and joints are kept on the level of accelerations, and put back between steps where they have drifted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr double drift_tol = 1e-6;

RunOptions drift_run(EngineKind engine, double t_end) {
  RunOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = drift_tol;
  options.engine = engine;
  options.output.points = OutputPoints::steps;
  return options;
}

/// Largest value of a function of the rows, in tolerances.
double drift_of(const Solution& s,
                const std::function<double(double, std::span<const double>)>& gap) {
  double worst = 0.0;
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r)
    worst = std::max(worst, std::abs(gap(s.trajectory.times()[r], s.trajectory.row(r))));
  return worst / drift_tol;
}

/// How often the run has put something back, as its report tells: "put back 51 times".
int drift_count(const Solution& s) {
  for (const DecisionRecord& choice : s.report.choices) {
    if (choice.name == "drift of closed gaps and joints")
      return std::stoi(choice.used.substr(std::string("put back ").size()));
  }
  return 0;
}

/// A table shaken by 2 cm at 20 rad/s, which never throws off what lies on it.
struct ShakenTable {
  Model m{"ball on a shaken table"};
  Expr y = m.state("y", 0.0), v = m.state("v", 0.4);
  Expr table() { return 0.02 * sin(20.0 * m.time()); }
  ShakenTable() { m.equation(der(y) == v); }
  static double drift(const Solution& s) {
    const std::uint32_t y = s.trajectory.index_of("y");
    return drift_of(s, [&](double t, auto row) { return row[y] - 0.02 * std::sin(20.0 * t); });
  }
};

void check_shaken_table(EngineKind engine, double t_end) {
  ShakenTable shaken;
  const Expr force = shaken.m.unilateral("table", shaken.y - shaken.table());
  shaken.m.equation(der(shaken.v) == force - 9.81);
  const Solution s = simulate(shaken.m, drift_run(engine, t_end));
  ASSERT_TRUE(s.ok()) << s.report.message;
  // It is put back from 5 tolerances on, at the end of a step.
  EXPECT_LT(ShakenTable::drift(s), 10.0);
  EXPECT_GT(drift_count(s), 0);
  EXPECT_TRUE(s.report.warnings.empty());
  // Nothing of it is an event: the decision at the start is the only one.
  EXPECT_EQ(s.events().size(), 1U);
  EXPECT_EQ(s.final("table.closed"), 1.0);
}

/// A pendulum, whose rod is a joint, above a floor that it never touches.
struct JointedPendulum {
  Model m{"pendulum"};
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), w = m.state("w", 0.0);
  JointedPendulum() {
    const Expr length = sqrt(x * x + y * y);
    const Expr rod = m.joint("rod", length - 1.0), floor = m.unilateral("floor", y + 2.0);
    m.equation(der(x) == u);
    m.equation(der(y) == w);
    m.equation(der(u) == rod * x / length);
    m.equation(der(w) == rod * y / length - 9.81 + floor);
  }
};

double pendulum_energy(const Solution& s, std::span<const double> row) {
  const auto of = [&](const char* name) { return row[s.trajectory.index_of(name)]; };
  return (of("u") * of("u") + of("w") * of("w")) / 2 + 9.81 * of("y");
}

void check_pendulum(EngineKind engine, double t_end) {
  JointedPendulum pendulum;
  const Solution s = simulate(pendulum.m, drift_run(engine, t_end));
  ASSERT_TRUE(s.ok()) << s.report.message;
  const std::uint32_t x = s.trajectory.index_of("x"), y = s.trajectory.index_of("y");
  const double drift =
      drift_of(s, [&](double, auto row) { return std::hypot(row[x], row[y]) - 1.0; });
  // Both positions have a tolerance of 1e-6 (1 + |.|): the length may be off by 2.8e-6, and is put back from 5 times
  // that on.
  EXPECT_LT(drift, 5 * 2.8 * 1.2);
  EXPECT_GT(drift_count(s), 0);
  EXPECT_EQ(s.events().size(), 1U);
  // What is put back neither drives nor brakes it: energy is off by less than g times one such length per time.
  const double most = 9.81 * 5 * 2.8 * drift_tol;
  double highest = -1.0;
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r)
    highest = std::max(highest, pendulum_energy(s, s.trajectory.row(r)));
  EXPECT_LT(highest, most);
}

TEST(ContactDrift, AClosedGapIsPutBack) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    SCOPED_TRACE(std::string(name(engine)));
    check_shaken_table(engine, 100.0);
  }
}

TEST(ContactDrift, AJointIsPutBack) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    SCOPED_TRACE(std::string(name(engine)));
    check_pendulum(engine, 100.0);
  }
}

TEST(SlowContactDrift, GapsAndJointsStayClosedForAThousandSeconds) {
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    SCOPED_TRACE(std::string(name(engine)));
    check_shaken_table(engine, 1000.0);
    check_pendulum(engine, 1000.0);
  }
}

TEST(ContactDrift, AccelerationsAloneDrift) {
  // The twin: the same acceleration, written by hand, which nobody puts back. Measured 130 tolerances.
  ShakenTable shaken;
  const Expr force = shaken.m.algebraic("force");
  shaken.m.equation(force - 9.81 == -8.0 * sin(20.0 * shaken.m.time()));
  shaken.m.equation(der(shaken.v) == force - 9.81);
  const Solution s = simulate(shaken.m, drift_run(EngineKind::radau, 100.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_GT(ShakenTable::drift(s), 50.0);
  EXPECT_EQ(drift_count(s), 0);
}

TEST(ContactDrift, WhatIsWithinTolerancesIsLeftAlone) {
  // After 10 s the gap is off by 1.4 tolerances.
  ShakenTable shaken;
  const Expr force = shaken.m.unilateral("table", shaken.y - shaken.table());
  shaken.m.equation(der(shaken.v) == force - 9.81);
  const Solution s = simulate(shaken.m, drift_run(EngineKind::radau, 10.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(drift_count(s), 0);
  EXPECT_LT(ShakenTable::drift(s), 5.0);
  EXPECT_GT(ShakenTable::drift(s), 0.5);
}

TEST(ContactDrift, TheSameToTheLastBit) {
  JointedPendulum pendulum;
  const RunOptions options = drift_run(EngineKind::radau, 100.0);
  const Solution one = simulate(pendulum.m, options), other = simulate(pendulum.m, options);
  ASSERT_EQ(one.trajectory.n_rows(), other.trajectory.n_rows());
  for (std::uint32_t r = 0; r < one.trajectory.n_rows(); ++r)
    ASSERT_TRUE(std::ranges::equal(one.trajectory.row(r), other.trajectory.row(r))) << r;
}

TEST(ContactDrift, SamplesDoNotKeepGapsFromBeingPutBack) {
  ShakenTable shaken;
  const Expr count = shaken.m.discrete("count", 0.0);
  shaken.m.when("sample", shaken.m.every("samples", 0.0, 0.005), {{count, pre(count) + 1.0}});
  const Expr force = shaken.m.unilateral("table", shaken.y - shaken.table());
  shaken.m.equation(der(shaken.v) == force - 9.81);
  const Solution s = simulate(shaken.m, drift_run(EngineKind::ida, 5.0));
  ASSERT_TRUE(s.ok()) << s.report.message;
  EXPECT_EQ(s.final("count"), 1000.0);
  EXPECT_GT(drift_count(s), 0);
  EXPECT_LT(ShakenTable::drift(s), 10.0);
}

}  // namespace
}  // namespace saltus
