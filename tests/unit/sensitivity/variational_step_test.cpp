// Steps (Z.2) of the variational equations (Z.1) with their estimate (Z.3), against exponentials.
#include "sensitivity/variational_step.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <saltus/lower/compile_model.hpp>
#include <saltus/model/model.hpp>

namespace saltus {
namespace {

/// x' = -2 x + u, 0 = u - x^2 / 4 with x = 1: along a constant solution F_x is constant, and the reduced equation is
/// s' = (-2 + x / 2) s.
std::shared_ptr<const System> relaxation() {
  Model m("relaxation");
  const Expr x = m.state("x", 1.0), u = m.algebraic("u");
  m.equation(der(x) == -2.0 * x + u);
  m.equation(u == 0.25 * x * x);
  return compile_model(m.build())->system({}).value();
}

struct StepError {
  double end, estimate, algebraic;
};
StepError error_of_step(double h) {
  const auto system = relaxation();
  const auto workspace = system->workspace();
  const std::vector<double> constant = {1.0, 0.25};
  detail::FollowedPath along;  // in two pieces
  along.add({0.0, 0.3 * h, 0, 2, constant});
  along.add({0.3 * h, h, 0, 2, constant});
  SensitivityWork work;
  detail::VariationalStep step(*system, 1, work);
  const std::vector<double> s = {1.0, 0.0};
  EXPECT_TRUE(step.take(*workspace, along, 0.0, h, s));
  return {step.end()[0] - std::exp(-1.5 * h), step.error()[0], step.end()[1] - 0.5 * step.end()[0]};
}

TEST(FollowedPath, AnswersFromThePieceThatHoldsATimeAndForgets) {
  for (const double direction : {1.0, -1.0}) {
    detail::FollowedPath path;
    for (const double value : {1.0, 2.0, 3.0})
      path.add({direction * (value - 1), direction * value, 0, 1, std::vector<double>{value}});
    const auto at = [&](double t) {
      double x = 0.0;
      path.state_at(direction * t, {&x, 1});
      return x;
    };
    EXPECT_EQ(at(0.5), 1.0);
    EXPECT_EQ(at(1.5), 2.0);
    EXPECT_EQ(at(3.0), 3.0);
    path.forget_before(direction * 1.5);
    EXPECT_EQ(path.n_pieces(), 2u);
    EXPECT_EQ(path.t_begin(), direction);
    EXPECT_EQ(at(1.5), 2.0);
    path.add({direction * 3, direction * 4, 0, 1, std::vector<double>{4.0}});
    EXPECT_EQ(at(2.5), 3.0);
    EXPECT_EQ(at(3.5), 4.0);
    path.forget_before(direction * 4);
    EXPECT_TRUE(path.empty());
  }
}

TEST(VariationalStep, IsOfOrderFive) {
  const double ratio = error_of_step(0.05).end / error_of_step(0.025).end;
  // 2^6 locally; the next order is a few per cent of it at these lengths
  EXPECT_NEAR(std::log2(std::abs(ratio)), 6.0, 0.1);
}

TEST(VariationalStep, EstimatesWithOrderThree) {
  const double ratio = error_of_step(0.2).estimate / error_of_step(0.1).estimate;
  EXPECT_NEAR(std::log2(std::abs(ratio)), 4.0, 0.3);
  EXPECT_GT(std::abs(error_of_step(0.2).estimate), std::abs(error_of_step(0.2).end));
}

TEST(VariationalStep, UnknownsWithoutDerivativeFollow) {
  EXPECT_NEAR(error_of_step(0.1).algebraic, 0.0, 1e-15);
}

TEST(VariationalStep, IsExactForPolynomialsOfItsDegree) {
  // x' = t^2 p with p' = 0 and t' = 1: dx/dp = t^3 / 3, also inside.
  Model m("cubic");
  const Expr x = m.state("x", 0.0), p = m.state("p", 1.0);
  m.equation(der(x) == m.time() * m.time() * p);
  m.equation(der(p) == 0.0);
  const auto system = compile_model(m.build())->system({}).value();
  const auto workspace = system->workspace();
  const std::vector<double> coefficients = {0, 1, 0, 0, 0, 0, 8.0 / 3, 0};
  detail::FollowedPath along;
  along.add({0.0, 2.0, 3, 2, coefficients});
  SensitivityWork work;
  detail::VariationalStep step(*system, 1, work);
  const std::vector<double> s = {0.0, 1.0};
  ASSERT_TRUE(step.take(*workspace, along, 0.0, 2.0, s));
  const double expected[] = {0.0, 0.0, 0.0, 8.0 / 3};
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(step.coefficients()[k * 2], expected[k], 1e-14) << k;
  EXPECT_NEAR(step.error()[0], 0.0, 1e-14);
}

TEST(VariationalStep, ColumnsWithoutInfluenceStayAndTheOthersDoNotNotice) {
  // x' = -p x with q' = 0 that occurs nowhere.
  Model m("idle");
  const Expr x = m.state("x", 1.0), p = m.state("p", 1.0), q = m.state("q", 1.0);
  m.equation(der(x) == -p * x);
  m.equation(der(p) == 0.0);
  m.equation(der(q) == 0.0);
  const auto system = compile_model(m.build())->system({}).value();
  const auto workspace = system->workspace();
  detail::FollowedPath along;
  const std::vector<double> constant = {1.0, 1.0, 1.0};
  along.add({0.0, 0.1, 0, 3, constant});
  SensitivityWork of_both, of_idle, of_moving;
  detail::VariationalStep both(*system, 2, of_both), idle(*system, 1, of_idle),
      moving(*system, 1, of_moving);
  ASSERT_TRUE(both.take(*workspace, along, 0.0, 0.1, std::vector<double>{0, 0, 1, 0, 0, 1}));
  ASSERT_TRUE(idle.take(*workspace, along, 0.0, 0.1, std::vector<double>{0, 0, 1}));
  ASSERT_TRUE(moving.take(*workspace, along, 0.0, 0.1, std::vector<double>{0, 1, 0}));
  EXPECT_EQ(of_idle.n_factorizations, 0u);
  EXPECT_EQ(of_moving.n_factorizations, 2u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(both.end()[2 * i], moving.end()[i]);
    EXPECT_EQ(both.error()[2 * i], moving.error()[i]);
    EXPECT_EQ(both.end()[2 * i + 1], idle.end()[i]);
    EXPECT_EQ(both.error()[2 * i + 1], 0.0);
  }
  EXPECT_EQ(idle.end()[2], 1.0);
}

}  // namespace
}  // namespace saltus
