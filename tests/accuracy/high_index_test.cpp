// Models of index 3 and 5, run as their equations stand: errors, constraints at delivered points.
#include <gtest/gtest.h>

#include "problems/index_five.hpp"
#include "problems/mechanisms.hpp"

namespace saltus::problems {
namespace {

constexpr EngineKind implicit_engines[] = {EngineKind::ida, EngineKind::radau};

void expect_on_constraints(const Solution& s, const std::string& where) {
  const auto levels = constraint_residuals(s.trajectory);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    EXPECT_LE(levels[level], 1e-11) << where << constraint_levels[level];
  }
}

void expect_convergence(const Mechanism& mechanism, double loose, double tight) {
  for (const EngineKind engine : implicit_engines) {
    const std::string where = mechanism.name + " with " + std::string(name(engine));
    const auto run = [&](double tolerance) {
      const Solution s =
          run_mechanism(mechanism, {.rtol = tolerance, .atol = tolerance, .engine = engine});
      EXPECT_TRUE(s.ok()) << where << ": " << s.report.message;
      expect_on_constraints(s, where);
      return reference_error(s, mechanism);
    };
    // A factor of ten per two decades, half of what proportionality means.
    EXPECT_LE(run(tight), std::sqrt(tight / loose) * run(loose)) << where;
  }
}

TEST(HighIndex, CompoundPendulum) { expect_convergence(compound_pendulum(), 1e-4, 1e-7); }
TEST(HighIndex, Pendulum) { expect_convergence(pendulum(), 1e-4, 1e-7); }
TEST(SlowHighIndex, RollingSpheres) { expect_convergence(rolling_spheres(), 1e-4, 1e-7); }
TEST(SlowHighIndex, CarAxis) { expect_convergence(car_axis(), 1e-6, 1e-8); }
TEST(SlowHighIndex, AndrewsSqueezer) {
  const Mechanism mechanism = andrews_squeezer();
  const Solution s =
      run_mechanism(mechanism, {.rtol = 1e-5, .atol = 1e-5, .engine = EngineKind::radau});
  ASSERT_TRUE(s.ok()) << s.report.message;
  expect_on_constraints(s, mechanism.name);
  EXPECT_LE(reference_error(s, mechanism, 7), 1e-5);
}

// Nothing is known of the multipliers: the analysis finds them.
TEST(HighIndex, AndrewsSqueezerStartsWithoutGuesses) {
  const std::vector<double> nothing(6, 0.0);
  Model m("Andrews squeezer");
  write_andrews_squeezer_from(m, andrews::starts, nothing);
  const Solution s = simulate(m, {.t_end = 1e-4, .engine = EngineKind::radau});
  ASSERT_TRUE(s.ok()) << s.report.message;
  // tests/reference/ivp_andrews_squeezer.json, "initial".
  EXPECT_NEAR(s.at("lambda1", 0.0), 98.5668703962410896057654982170, 1e-9);
  EXPECT_NEAR(s.at("lambda2", 0.0), -6.12268834425566265503114393122, 1e-9);
}

// Twin: what is between steps does not lie on the constraints, and is seen.
TEST(HighIndex, PointsOffTheConstraintsAreSeen) {
  const Solution s =
      run_mechanism(pendulum(), {.rtol = 1e-5, .atol = 1e-5, .engine = EngineKind::radau});
  ASSERT_TRUE(s.ok()) << s.report.message;
  const auto x = s.trajectory.index_of("x"), y = s.trajectory.index_of("y");
  double worst = 0.0;
  for (std::uint32_t k = 0; k < s.trajectory.n_steps(); ++k) {
    const StepPolynomial step = s.trajectory.step(k);
    const double t = 0.5 * (step.t_left + step.t_right);
    worst = std::max(worst, std::abs(std::hypot(step.value(x, t), step.value(y, t)) - 1.0));
  }
  EXPECT_GT(worst, 1e-9);
}

TEST(HighIndex, EnergyIsConserved) {
  for (const Mechanism& mechanism : {pendulum(), compound_pendulum()}) {
    const Solution s = run_mechanism(mechanism, {.rtol = 1e-9, .atol = 1e-9});
    ASSERT_TRUE(s.ok()) << s.report.message;
    ASSERT_EQ(s.report.invariants.size(), 1u);
    const InvariantRecord& energy = s.report.invariants[0];
    EXPECT_EQ(energy.name, "energy");
    EXPECT_LE(std::abs(energy.largest_deviation), 1e3 * 1e-9 * (1 + std::abs(energy.initial)));
  }
}

TEST(HighIndex, ChainsOfIndexFive) {
  for (const SmoothProblem& problem : {index_five_chain(), mixed_index_five_chain()}) {
    for (const EngineKind engine : implicit_engines) {
      const auto error = [&](double tolerance) {
        return relative_error(run_to(problem, problem.references[0],
                                     {.rtol = tolerance, .atol = tolerance, .engine = engine}),
                              problem.references[0]);
      };
      const std::string where = problem.name + " with " + std::string(name(engine));
      const double loose = error(1e-4), tight = error(1e-8);
      EXPECT_LE(tight, 1e3 * 1e-8) << where;
      EXPECT_LE(tight, loose / 100) << where;
    }
  }
}

}  // namespace
}  // namespace saltus::problems
