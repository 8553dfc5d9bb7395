#include "contact/ranked_solve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace saltus::detail {
namespace {

constexpr double ranked_ulp = std::numeric_limits<double>::epsilon();

/// H H^T of random rows, the last of which are sums of the first ones.
struct RankedCase {
  Matrix a;
  std::vector<double> b;
};
RankedCase ranked_case(std::uint32_t n, std::uint32_t rank, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Matrix h(n, rank);
  for (double& x : h.values) x = uniform(random);
  RankedCase c{Matrix(n, n), std::vector<double>(n, 0.0)};
  std::vector<double> y(rank);
  for (double& x : y) x = uniform(random);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l < rank; ++l) {
      c.b[i] += h(i, l) * y[l];
      for (std::size_t j = 0; j < n; ++j) c.a(i, j) += h(i, l) * h(j, l);
    }
  }
  return c;
}

TEST(ContactRankedSolve, FindsRankLeastNormAndDependentRows) {
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (std::uint32_t n = 1; n <= 12; ++n) {
    for (std::uint32_t rank = 1; rank <= n; ++rank) {
      const RankedCase c = ranked_case(n, rank, random);
      const RankedSolution s = solve_ranked(c.a, c.b);
      ASSERT_EQ(s.null.n_cols, n - rank);
      ASSERT_EQ(s.dependent_rows.size(), n - rank);
      EXPECT_LE(s.residual, 64 * n * ranked_ulp);
      double size = 0.0;
      for (const double x : s.x) size = std::max(size, std::abs(x));
      for (std::size_t l = 0; l < s.null.n_cols; ++l) {
        double along = 0.0;
        for (std::size_t i = 0; i < n; ++i) along += s.null(i, l) * s.x[i];
        // null vectors are known up to roundings over the least singular value that counts
        EXPECT_LE(std::abs(along), 1e-9 * size);
        for (std::size_t i = 0; i < n; ++i) {
          double row = 0.0;
          for (std::size_t j = 0; j < n; ++j) row += c.a(i, j) * s.null(j, l);
          EXPECT_LE(std::abs(row), 64 * n * n * ranked_ulp);
        }
      }
    }
  }
}

TEST(ContactRankedSolve, ContradictionsShowInTheResidual) {
  Matrix a(2, 2);
  a(0, 0) = a(0, 1) = a(1, 0) = a(1, 1) = 1.0;
  const std::vector<double> agree{2.0, 2.0}, differ{2.0, 2.5};
  EXPECT_LE(solve_ranked(a, agree).residual, 8 * ranked_ulp);
  EXPECT_GT(solve_ranked(a, differ).residual, 0.05);
}

}  // namespace
}  // namespace saltus::detail
