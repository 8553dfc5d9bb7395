#include <saltus/reduce/consistent_point.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include "analysed_models.hpp"
#include "reduce/start/differential_content.hpp"
#include "reduce/start/gauss_newton.hpp"

namespace saltus {
namespace {

using namespace testing_support;

CscPattern pattern_of(std::vector<std::vector<index_t>> rows_of_column, index_t n_rows) {
  CscPattern p;
  p.n_rows = n_rows;
  p.n_cols = static_cast<index_t>(rows_of_column.size());
  p.column_start = {0};
  p.row.clear();
  for (const auto& rows : rows_of_column) {
    p.row.insert(p.row.end(), rows.begin(), rows.end());
    p.column_start.push_back(static_cast<index_t>(p.row.size()));
  }
  return p;
}

TEST(DifferentialContent, OrdersCountFromTheConstraints) {
  // 0: x' = u, 1: u' = lambda, 2: x = 0. Unknowns x (rows 0, 2), u (0, 1), lambda (1).
  const CscPattern p = pattern_of({{0, 2}, {0, 1}, {1}}, 3);
  const std::vector<double> a = {0, 1, -1, 0, -1}, b = {1, 0, 0, 1, 0};
  EXPECT_EQ(detail::differentiation_orders(p, a, b), (std::vector<int>{0, 1, 2}));
  // With the constraint on u, u is what the constraints are about.
  const CscPattern q = pattern_of({{0}, {0, 1, 2}, {1}}, 3);
  const std::vector<double> a2 = {0, -1, 0, 1, -1}, b2 = {1, 0, 1, 0, 0};
  EXPECT_EQ(detail::differentiation_orders(q, a2, b2),
            (std::vector<int>{detail::unconstrained, 0, 1}));
}

/// atan(1e5 y) = 0 beside x' = 0: steps from y = 1 point 1.6e5 too far.
std::shared_ptr<const System> steep() {
  Model m("steep");
  Expr x = m.state("x", 1.0), y = m.algebraic("y", {.guess = 1.0});
  m.equation("rest", der(x) == 0.0);
  m.equation("steep", atan(1e5 * y) == 0.0);
  return compiled(m);
}

TEST(GaussNewton, HomotopyGetsThroughWhereDampingIsStuck) {
  const auto system = steep();
  auto workspace = system->workspace();
  detail::ScaledArray<double> array(*system, *workspace, 0.0);
  const ArrayScaling none = detail::unit_scaling(*system);
  const Eigen::MatrixXd nothing(0, 2);
  Eigen::VectorXd start(4);
  const StartValues guess = system->start_values();
  start << guess.x[0], guess.x[1], 0.0, 0.0;
  const detail::GaussNewtonProblem problem{array, 0, none, true, start.head(2), nothing, {}, 50};

  Eigen::VectorXd damped = start;
  const auto stuck = detail::gauss_newton(problem, damped);
  EXPECT_TRUE(stuck.stuck);
  EXPECT_FALSE(stuck.converged);

  Eigen::VectorXd by_homotopy = start;
  const auto end = detail::gauss_newton_by_homotopy(problem, by_homotopy);
  EXPECT_TRUE(end.converged);
  EXPECT_LE(std::abs(by_homotopy[1]), 1e-12);
}

TEST(ConsistentPoint, ConsistentWishesStayBitForBit) {
  Model m("pendulum");
  write_pendulum(m);
  const auto system = compiled(m);
  auto workspace = system->workspace();
  const auto known = analyze_index(*system, *workspace, 0.0, system->start_values());
  ASSERT_TRUE(known.has_value()) << known.failure().message;
  StartValues wish = system->start_values();
  std::copy(known->path.begin(), known->path.begin() + 5, wish.x.begin());
  const auto point = find_consistent_point(*system, *workspace, 0.0, wish, *known);
  ASSERT_TRUE(point.has_value()) << point.failure().message;
  EXPECT_TRUE(point->was_consistent);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(point->path[i], wish.x[i]);
  wish.x[0] += 1e-3;
  const auto moved = find_consistent_point(*system, *workspace, 0.0, wish, *known);
  ASSERT_TRUE(moved.has_value()) << moved.failure().message;
  EXPECT_FALSE(moved->was_consistent);
}

TEST(ConsistentPoint, AnInconsistentVelocityMovesNoPosition) {
  Model m("pendulum");
  write_pendulum(m);
  const auto system = compiled(m);
  auto workspace = system->workspace();
  const auto known = analyze_index(*system, *workspace, 0.0, system->start_values());
  ASSERT_TRUE(known.has_value()) << known.failure().message;
  StartValues wish = system->start_values();         // x, y, u, v, lambda
  wish.x = {0.8, -0.6, 1.6 + 0.3, -1.2 + 0.4, 1.0};  // twice the radius, and 0.5 along the circle
  const auto point = find_consistent_point(*system, *workspace, 0.0, wish, *known);
  ASSERT_TRUE(point.has_value()) << point.failure().message;
  // A coupling of 2^-20 remains.
  EXPECT_NEAR(point->path[0], 0.8, 1e-5);
  EXPECT_NEAR(point->path[1], -0.6, 1e-5);
  EXPECT_NEAR(point->path[2], 0.3, 1e-5);
  EXPECT_NEAR(point->path[3], 0.4, 1e-5);
  // The nearest point is elsewhere: the radial velocity pulls at the position.
  PointOptions nearest;
  nearest.kept = KeptContent::nothing;
  const auto other = find_consistent_point(*system, *workspace, 0.0, wish, *known, nearest);
  ASSERT_TRUE(other.has_value()) << other.failure().message;
  EXPECT_GT(std::hypot(other->path[0] - 0.8, other->path[1] + 0.6), 1e-2);
}

}  // namespace
}  // namespace saltus
