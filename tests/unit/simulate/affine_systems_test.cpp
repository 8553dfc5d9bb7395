// Systems that are affine between events: one correction of Newton's method is the solution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <saltus/simulate.hpp>

namespace saltus {
namespace {

constexpr double affine_tol = 1e-7;

/// A rectifier with a smoothing capacitor. With `curved` the resistor's equation has a term that is zero and shows in
/// its derivative: nothing is known of the Jacobian then.
Solution rectified(bool curved, double tolerance = affine_tol) {
  Model m("rectifier");
  const Expr u = m.state("u", 0.0), i = m.algebraic("i"), zero = m.parameter("zero", 0.0);
  const Expr supply = 10.0 * sin(5.0 * m.time());
  m.equation("diode", i == where(supply > u, (supply - u) / 0.1, 0.0));
  m.equation("capacitor", 2.0 * der(u) == i - u / 3.0 - (curved ? zero * u * u : Expr(0.0)));
  RunOptions o;
  o.t_end = 6.0;
  o.rtol = o.atol = tolerance;
  o.engine = EngineKind::radau;
  return simulate(m, o);
}

TEST(AffineSystems, TakeOneCorrectionPerStep) {
  const Solution affine = rectified(false), other = rectified(true);
  ASSERT_TRUE(affine.ok() && other.ok());
  const WorkCounts by_one = affine.report.total_work(), by_two = other.report.total_work();
  // The controller is told the same, so that steps are the same but for rounding.
  EXPECT_NEAR(static_cast<double>(by_one.n_steps), static_cast<double>(by_two.n_steps), 3.0);
  // The first correction after each start is followed by another one, which measures.
  const std::uint64_t n_attempts = by_one.n_steps + by_one.n_error_failures;
  EXPECT_LT(by_one.n_newton_iterations, n_attempts + 3 * by_one.n_starts);
  EXPECT_GE(by_two.n_newton_iterations, 2 * (by_two.n_steps + by_two.n_error_failures));
}

TEST(AffineSystems, AreAsAccurateWithIt) {
  const Solution truth = rectified(true, 1e-4 * affine_tol);
  const auto largest_error = [&](const Solution& s) {
    double error = 0.0;
    for (int k = 1; k <= 600; ++k) {
      const double t = 0.01 * k, u = truth.at("u", t);
      error = std::max(error, std::abs(s.at("u", t) - u) / (1.0 + std::abs(u)));
    }
    return error;
  };
  const Solution affine = rectified(false), other = rectified(true);
  EXPECT_EQ(affine.events().size(), other.events().size());
  // Nearly the same steps, so nearly the same errors.
  EXPECT_LT(largest_error(affine), 1.5 * largest_error(other));
}

}  // namespace
}  // namespace saltus
