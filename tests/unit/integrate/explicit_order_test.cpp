// Observed orders of the explicit engines with fixed steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "explicit_systems.hpp"

namespace saltus::explicit_test {
namespace {

using detail::ExplicitTableau;

constexpr double t_end = 4.0;

struct Errors {
  double at_end = 0.0;     // error of the point reached
  double inside = 0.0;     // largest error of the polynomials, all along
  double shortened = 0.0;  // largest error after steps shortened to 0.3 and 0.7 of their length
};

Errors errors_of(const ExplicitTableau& tableau, double h) {
  const PlainOde ode = turning();
  EngineRun run(ode, tableau, fixed_steps(h));
  EngineRun cut(ode, tableau, fixed_steps(h));
  EXPECT_TRUE(run.start(0.0, t_end));
  Errors errors;
  Vector x(3);
  while (run.engine->t() != t_end) {
    const double t_left = run.engine->t();
    const Vector x_left = run.x();
    EXPECT_TRUE(run.engine->step(t_end));
    const StepPolynomial step = run.engine->last_step();
    for (const double s : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      const double t = t_left + s * (step.t_right - t_left);
      step.state_at(t, x);
      errors.inside = std::max(errors.inside, turning_error(t, x));
    }
    EXPECT_TRUE(cut.start(t_left, x_left, t_end));
    EXPECT_TRUE(cut.engine->step(t_end));
    for (const double s : {0.3, 0.7}) {
      const double t = t_left + s * (step.t_right - t_left);
      EXPECT_TRUE(cut.engine->shorten(t));
      EXPECT_EQ(cut.engine->t(), t);
      errors.shortened = std::max(errors.shortened, turning_error(t, cut.engine->x()));
    }
  }
  errors.at_end = turning_error(t_end, run.engine->x());
  return errors;
}

struct Orders {
  double at_end;
  double inside;
  double shortened;
};

Orders orders_of(const ExplicitTableau& tableau, const std::vector<int>& n_steps) {
  Vector h, at_end, inside, shortened;
  for (const int n : n_steps) {
    h.push_back(t_end / n);
    const Errors errors = errors_of(tableau, h.back());
    at_end.push_back(errors.at_end);
    inside.push_back(errors.inside);
    shortened.push_back(errors.shortened);
  }
  return {observed_order(h, at_end), observed_order(h, inside), observed_order(h, shortened)};
}

// Errors between 1e-6 and 1e-11: small enough to be asymptotic, far above rounding.
const std::vector<int> steps5 = {64, 96, 128, 192, 256};
// Between 1e-6 and 1e-12.
const std::vector<int> steps8 = {16, 20, 24, 32, 40, 48};

TEST(ExplicitOrder, Dopri5IsOfOrderFiveEverywhere) {
  const Orders orders = orders_of(detail::dopri5_tableau(), steps5);
  EXPECT_NEAR(orders.at_end, 5.0, 0.15);
  EXPECT_NEAR(orders.inside, 5.0, 0.15);
  EXPECT_NEAR(orders.shortened, 5.0, 0.15);
}

TEST(ExplicitOrder, Dop853IsOfOrderEightAndItsExtensionOfSeven) {
  const Orders orders = orders_of(detail::dop853_tableau(), steps8);
  EXPECT_NEAR(orders.at_end, 8.0, 0.3);
  // Its local error is O(h^8): order 8 as long as steps have one length, 7 is what is promised.
  EXPECT_GE(orders.inside, 6.85);
  EXPECT_NEAR(orders.shortened, 8.0, 0.3);
}

TEST(ExplicitOrder, SpoiledCoefficientsAreOfLowerOrder) {
  ExplicitTableau tableau = detail::dopri5_tableau();
  tableau.a[4][1] += 1e-2;
  tableau.a[4][2] -= 1e-2;  // the row sum stays: orders 1 and 2 are kept
  EXPECT_LT(orders_of(tableau, steps5).at_end, 4.5);

  tableau = detail::dopri5_tableau();
  tableau.dense[0][3] += 1e-2;
  tableau.dense[0][4] -= 1e-2;
  const Orders dense = orders_of(tableau, steps5);
  EXPECT_NEAR(dense.at_end, 5.0, 0.15);
  EXPECT_LT(dense.inside, 4.5);

  tableau = detail::dop853_tableau();
  tableau.a[10][8] += 1e-3;
  tableau.a[10][9] -= 1e-3;
  EXPECT_LT(orders_of(tableau, steps8).at_end, 7.5);

  tableau = detail::dop853_tableau();
  tableau.dense[2][8] += 1e-2;
  tableau.dense[2][9] -= 1e-2;
  EXPECT_LT(orders_of(tableau, steps8).inside, 6.5);
}

}  // namespace
}  // namespace saltus::explicit_test
