// Observed orders with fixed steps.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "unit/integrate/radau_problems.hpp"

namespace saltus::radau_test {
namespace {

// Orders are integers: what is nearer than a quarter is meant.
constexpr double order_slack = 0.25;

struct Orders {
  std::vector<double> h;
  std::vector<double> error;
  double observed() const { return observed_power(h, error); }
};

// error(run, h) after a run over the whole stretch with n fixed steps.
Orders orders(const RadauProblem& p, const std::vector<int>& n_steps,
              const std::function<double(RadauRun&, double)>& error) {
  Orders o;
  for (const int n : n_steps) {
    const double h = (p.t1 - p.t0) / n;
    RadauRun run(p, {.fixed_step = h});
    o.error.push_back(error(run, h));
    o.h.push_back(h);
    EXPECT_GT(o.error.back(), 1e-14) << "rounding, no tail to measure an order on";
  }
  return o;
}

Orders orders_at_end(const RadauProblem& p, const std::vector<int>& n_steps, std::size_t which) {
  return orders(p, n_steps, [&](RadauRun& run, double) {
    run.to(p.t1).value();
    return std::abs(run->x()[which] - p.x1[which]);
  });
}

TEST(RadauOrder, FiveOnAnOde) {
  const Orders o = orders_at_end(rational_ode(), {20, 40, 80, 160}, 0);
  EXPECT_NEAR(o.observed(), 5.0, order_slack);
}

TEST(RadauOrder, FiveOnADaeInBothKindsOfUnknowns) {
  EXPECT_NEAR(orders_at_end(index1_dae(), {20, 40, 80, 160}, 0).observed(), 5.0, order_slack);
  EXPECT_NEAR(orders_at_end(index1_dae(), {20, 40, 80, 160}, 1).observed(), 5.0, order_slack);
}

TEST(RadauOrder, FiveIfTheDerivativeEntersNonlinearly) {
  EXPECT_NEAR(orders_at_end(implicit_ode(), {20, 40, 80, 160}, 0).observed(), 5.0, order_slack);
}

TEST(RadauOrder, TwinThatLosesOneOrderIsSeen) {
  Orders o = orders_at_end(rational_ode(), {20, 40, 80, 160}, 0);
  for (std::size_t i = 0; i < o.h.size(); ++i) o.error[i] += 1e-2 * std::pow(o.h[i], 4);
  EXPECT_LT(o.observed(), 5.0 - order_slack);
}

// The largest error of the polynomial over all steps.
double interpolation_error(RadauRun& run, double t1) {
  double worst = 0.0;
  while (run->t() != t1) {
    run->step(t1).value();
    const StepPolynomial p = run->last_step();
    for (int k = 0; k <= 16; ++k) {
      const double t = p.t_left + (p.t_right - p.t_left) * k / 16.0;
      worst = std::max(worst, std::abs(p.value(0, t) - rational_solution(t)));
    }
  }
  return worst;
}

TEST(RadauOrder, FourInsideTheStep) {
  const RadauProblem p = rational_ode();
  const Orders o = orders(p, {40, 80, 160, 320},
                          [&](RadauRun& run, double) { return interpolation_error(run, p.t1); });
  EXPECT_NEAR(o.observed(), 4.0, order_slack);
}

// Steps past t = 1/4, where the fourth derivative is large, and comes back to 0.7 of the step after it.
// Not to 0.4: the leading term of the polynomial's error is s (s - 0.4) (s - 1)^2.
double error_after_shorten(RadauRun& run, double h, bool shorten) {
  while (run->t() < 0.25 + 0.9 * h) run->step(2.0).value();
  const double t = 0.25 + 0.7 * h;
  if (!shorten) return std::abs(run->last_step().value(0, t) - rational_solution(t));
  run->shorten(t).value();
  EXPECT_EQ(run->t(), t);
  return std::abs(run->x()[0] - rational_solution(t));
}

TEST(RadauOrder, FiveAfterShorten) {
  const RadauProblem p = rational_ode();
  const std::vector<int> n_steps = {16, 32, 64, 128};
  const Orders again =
      orders(p, n_steps, [](RadauRun& run, double h) { return error_after_shorten(run, h, true); });
  EXPECT_NEAR(again.observed(), 5.0, order_slack);
  // The twin reads the polynomial.
  const Orders read = orders(
      p, n_steps, [](RadauRun& run, double h) { return error_after_shorten(run, h, false); });
  EXPECT_LT(read.observed(), 5.0 - order_slack);
}

}  // namespace
}  // namespace saltus::radau_test
