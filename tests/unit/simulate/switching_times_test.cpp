// Optimal switching by gradients through switches: the conditions of optimal control hold at the optimum, and
// nowhere else.
#include <gtest/gtest.h>

#include "problems/switched_lq.hpp"

namespace saltus {
namespace {

using problems::SwitchedLq;

const SwitchedLq::Choice near_the_optimum = {0.9, 2.4, -2.2, -0.3};

TEST(SlowSwitchingTimes, AreOptimalWhereTheConditionsHold) {
  const SwitchedLq problem = SwitchedLq::at_times();
  const auto best = problem.optimum(near_the_optimum);
  const auto missed = problem.conditions(best);
  EXPECT_LT(missed.end, 1e-5);
  EXPECT_LT(missed.costate, 1e-5);
  EXPECT_LT(missed.jump, 1e-5);
  EXPECT_LT(missed.hamiltonian, 1e-5);
  // a minimum
  for (std::size_t k = 0; k < 4; ++k) {
    for (const double by : {-0.05, 0.05}) {
      auto other = best;
      other[k] += by;
      EXPECT_GT(problem.cost(other).value, problem.cost(best).value) << k << " " << by;
    }
  }
}

TEST(SlowSwitchingTimesTwin, ConditionsFailBesideTheOptimum) {
  const SwitchedLq problem = SwitchedLq::at_times();
  auto best = problem.optimum(near_the_optimum);
  auto other = best;
  other[0] += 0.01;
  EXPECT_GT(problem.conditions(other).hamiltonian, 1e-3);
  other = best;
  other[2] += 0.01;
  EXPECT_GT(problem.conditions(other).end, 1e-3);
  EXPECT_GT(problem.conditions(other).costate, 1e-3);
}

TEST(SlowSwitchingTimes, AtASurfaceTheCostateJumpsByItsMultiplier) {
  // where the free time would switch eta is 0; elsewhere it is not
  const auto free = SwitchedLq::at_times().optimum(near_the_optimum);
  const double where_free =
      simulate(SwitchedLq::at_times().model(free), SwitchedLq::options()).at("x1", free[0]);
  for (const double beside : {0.0, 0.1}) {
    const SwitchedLq problem = SwitchedLq::at_surface(where_free + beside);
    const auto best = problem.optimum({0.0, free[1], free[2], free[3]});
    const auto missed = problem.conditions(best);
    EXPECT_LT(missed.worst(), 1e-5)
        << missed.end << " " << missed.costate << " " << missed.jump << " " << missed.hamiltonian;
    if (beside == 0)
      EXPECT_NEAR(best[0], 0.0, 1e-5);
    else
      EXPECT_GT(std::abs(best[0]), 0.01);
  }
}

}  // namespace
}  // namespace saltus
