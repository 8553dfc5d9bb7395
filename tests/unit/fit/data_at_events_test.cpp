// Measurements at the times of events.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <saltus/fit.hpp>
#include <saltus/simulate.hpp>

namespace saltus {
namespace {

// x' = -k x, x := x + D at 1, 2, 3, 4; measured right after each dose, the last one at the end of the run.
TEST(DataAtEvents, AreThoseAfterTheEventAlsoAtTheEnd) {
  Model m("doses");
  const Expr x = m.state("x", 0.0), k = m.parameter("k", 0.7), dose = m.parameter("D", 1.0);
  m.equation(der(x) == -k * x);
  m.when("dose", m.every("clock", 1.0, 1.0), {{x, x + dose}});
  // with the derivatives of what is left of earlier doses
  const double k_true = 0.5, d_true = 2.0, rest = std::exp(-k_true);
  std::vector<double> t, v, of_k, of_d;
  double level = 0, by_k = 0, by_d = 0;
  for (int i = 1; i <= 4; ++i) {
    by_k = (by_k - level) * rest;
    by_d = by_d * rest + 1;
    level = level * rest + d_true;
    t.push_back(i), v.push_back(level), of_k.push_back(by_k), of_d.push_back(by_d);
  }
  RunOptions o;
  o.rtol = o.atol = 1e-9;
  const FitProblem problem(m, {{"k", 0.7}, {"D", 1.0}}, {{"x", t, v, {1.0}}}, o);
  const std::vector<double> p = {k_true, d_true};
  const auto found = problem.evaluate(p);
  ASSERT_TRUE(found) << found.failure().message;
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found->residuals[i], 0.0, 1e-7) << i;
    EXPECT_NEAR(found->jacobian(i, 0), of_k[i], 1e-7) << i;
    EXPECT_NEAR(found->jacobian(i, 1), of_d[i], 1e-7) << i;
  }
}

// x := 5 at tau, measured at tau: before or after, with another tau.
TEST(DataAtEvents, ThatMoveHaveNoDerivative) {
  Model m("step");
  const Expr x = m.state("x", 0.0), tau = m.parameter("tau", 1.0);
  m.equation(der(x) == 1.0);
  m.when("step", m.time() > tau, {{x, 5.0}});
  RunOptions o;
  const FitProblem problem(m, {{"tau", 1.0}}, {{"x", {0.5, 1.0, 2.0}, {0.5, 3.0, 6.0}, {0.1}}}, o);
  const std::vector<double> p = {1.0};
  const auto found = problem.evaluate(p);
  ASSERT_FALSE(found);
  EXPECT_NE(found.failure().message.find("'x' was measured"), std::string::npos)
      << found.failure().message;
  const std::vector<double> elsewhere = {1.1};
  EXPECT_TRUE(problem.evaluate(elsewhere));
}

}  // namespace
}  // namespace saltus
