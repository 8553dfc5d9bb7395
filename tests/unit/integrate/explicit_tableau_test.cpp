// The coefficients of the explicit methods against the conditions they solve.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "explicit_systems.hpp"
#include "integrate/explicit/tableau.hpp"
#include "rooted_trees.hpp"

namespace saltus::explicit_test {
namespace {

using detail::ExplicitTableau;
using test::order_met;
using test::rooted_trees;
using Row = ExplicitTableau::Row;

// A rounded coefficient is off by half an ulp, and a sum of up to 16 of them adds as many roundings.
constexpr double sum_ulps = 32.0;

bool row_sums_are_nodes(const ExplicitTableau& tableau) {
  for (std::size_t i = 0; i < tableau.a.size(); ++i) {
    double sum = 0.0;
    double scale = 1.0;
    for (const double a : tableau.a[i]) sum += a, scale += std::abs(a);
    if (std::abs(sum - tableau.c[i]) > sum_ulps * 0x1p-53 * scale) return false;
  }
  return true;
}

const Row& weights(const ExplicitTableau& tableau) {
  return tableau.a[static_cast<std::size_t>(tableau.new_point())];
}

// Weights of the embedded method: b - e.
Row embedded(const ExplicitTableau& tableau, std::size_t row) {
  Row b = weights(tableau);
  const Row& e = tableau.error[row];
  b.resize(std::max(b.size(), e.size()));
  for (std::size_t j = 0; j < e.size(); ++j) b[j] -= e[j];
  return b;
}

// Weights b_j(s) of the continuous extension as tableau.hpp defines it.
Row extension(const ExplicitTableau& tableau, double s) {
  const std::size_t n = tableau.a.size();
  const auto last = static_cast<std::size_t>(tableau.new_point());
  std::vector<Row> f(3, Row(n));
  for (std::size_t j = 0; j < last; ++j) f[0][j] = weights(tableau)[j];
  for (std::size_t j = 0; j < n; ++j) {
    f[1][j] = (j == 0 ? 1.0 : 0.0) - f[0][j];
    f[2][j] = f[0][j] - (j == last ? 1.0 : 0.0) - f[1][j];
  }
  f.insert(f.end(), tableau.dense.begin(), tableau.dense.end());
  Row b(n);
  for (std::size_t m = f.size(); m-- > 0;) {
    for (std::size_t j = 0; j < n; ++j) b[j] = (b[j] + f[m][j]) * (m % 2 == 0 ? s : 1.0 - s);
  }
  return b;
}

int order_of_extension(const ExplicitTableau& tableau, int up_to) {
  const auto trees = rooted_trees(up_to);
  int order = up_to;
  // A condition is a polynomial in s of degree up to 7: eight places see all of it.
  for (int i = 1; i <= 8; ++i) {
    const double s = i / 8.0;
    order = std::min(order, order_met(trees, tableau.a, extension(tableau, s), s));
  }
  return order;
}

TEST(ExplicitTableau, CountsOfRootedTrees) {
  const auto trees = rooted_trees(8);
  std::vector<int> count(9);
  for (const auto& tree : trees) ++count[static_cast<std::size_t>(tree.order)];
  EXPECT_EQ(count, (std::vector<int>{0, 1, 1, 2, 4, 9, 20, 48, 115}));
}

TEST(ExplicitTableau, Dopri5MeetsItsConditions) {
  const ExplicitTableau tableau = detail::dopri5_tableau();
  const auto trees = rooted_trees(6);
  EXPECT_TRUE(row_sums_are_nodes(tableau));
  EXPECT_EQ(order_met(trees, tableau.a, weights(tableau)), 5);
  EXPECT_EQ(order_met(trees, tableau.a, embedded(tableau, 0)), 4);
  EXPECT_EQ(order_of_extension(tableau, 6), 4);
}

TEST(ExplicitTableau, Dop853MeetsItsConditions) {
  const ExplicitTableau tableau = detail::dop853_tableau();
  const auto trees = rooted_trees(9);
  EXPECT_TRUE(row_sums_are_nodes(tableau));
  EXPECT_EQ(order_met(trees, tableau.a, weights(tableau)), 8);
  EXPECT_EQ(order_met(trees, tableau.a, embedded(tableau, 0)), 5);
  EXPECT_EQ(order_met(trees, tableau.a, embedded(tableau, 1)), 3);
  EXPECT_EQ(order_of_extension(tableau, 8), 7);
}

// Twin: no single coefficient of a step or of an estimator may be off by 1e-9 of itself.
TEST(ExplicitTableau, EveryChangedCoefficientIsSeen) {
  for (const ExplicitTableau& right : {detail::dopri5_tableau(), detail::dop853_tableau()}) {
    const auto trees = rooted_trees(5);
    const auto extension_trees = rooted_trees(4);
    for (std::size_t i = 1; i < right.a.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        ExplicitTableau wrong = right;
        wrong.a[i][j] += 1e-9 * std::max(1.0, std::abs(wrong.a[i][j]));
        EXPECT_FALSE(row_sums_are_nodes(wrong)) << i << ' ' << j;
      }
    }
    for (std::size_t row = 0; row < right.error.size(); ++row) {
      for (std::size_t j = 0; j < right.error[row].size(); ++j) {
        ExplicitTableau wrong = right;
        wrong.error[row][j] += 1e-9;
        EXPECT_EQ(order_met(trees, wrong.a, embedded(wrong, row)), 0) << row << ' ' << j;
      }
    }
    for (std::size_t row = 0; row < right.dense.size(); ++row) {
      for (std::size_t j = 0; j < right.dense[row].size(); ++j) {
        ExplicitTableau wrong = right;
        wrong.dense[row][j] += 1e-9;
        EXPECT_LT(order_of_extension(wrong, 4), 4) << row << ' ' << j;
      }
    }
  }
}

// Twin: two changes that leave the row sum alone are caught by the order conditions.
TEST(ExplicitTableau, ChangesThatKeepRowSumsAreSeen) {
  for (const ExplicitTableau& right : {detail::dopri5_tableau(), detail::dop853_tableau()}) {
    const auto trees = rooted_trees(right.order);
    for (std::size_t i = 2; i <= static_cast<std::size_t>(right.n_stages); ++i) {
      ExplicitTableau wrong = right;
      wrong.a[i][i - 1] += 1e-6;
      wrong.a[i][0] -= 1e-6;
      EXPECT_TRUE(row_sums_are_nodes(wrong));
      EXPECT_LT(order_met(trees, wrong.a, weights(wrong)), right.order) << i;
    }
  }
}

TEST(ExplicitTableau, ExtensionMeetsBothEndsAndTheirSlopes) {
  for (const ExplicitTableau& tableau : {detail::dopri5_tableau(), detail::dop853_tableau()}) {
    const auto last = static_cast<std::size_t>(tableau.new_point());
    // The factors s and 1 - s vanish exactly at the ends.
    EXPECT_EQ(extension(tableau, 0.0), Row(tableau.a.size()));
    Row at_end = weights(tableau);
    at_end.resize(tableau.a.size());
    EXPECT_EQ(extension(tableau, 1.0), at_end);
    // Slopes are those of stage 0 and of the new point; a difference over d is off by O(d).
    const double d = 0x1p-30;
    double largest = 1.0;
    for (const Row& row : tableau.dense) {
      for (const double value : row) largest = std::max(largest, std::abs(value));
    }
    const Row near_left = extension(tableau, d);
    const Row near_right = extension(tableau, 1.0 - d);
    for (std::size_t j = 0; j < tableau.a.size(); ++j) {
      EXPECT_NEAR(near_left[j] / d, j == 0 ? 1.0 : 0.0, 32 * largest * d) << j;
      EXPECT_NEAR((at_end[j] - near_right[j]) / d, j == last ? 1.0 : 0.0, 32 * largest * d) << j;
    }
  }
}

}  // namespace
}  // namespace saltus::explicit_test
