#include <saltus/numerics/lemke.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace saltus {
namespace {

constexpr double lcp_eps = std::numeric_limits<double>::epsilon();

Matrix lcp_matrix(const std::vector<std::vector<double>>& rows) {
  Matrix m(static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      m(i, j) = rows[i][j];
    }
  }
  return m;
}

Matrix random_square(std::uint32_t n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Matrix m(n, n);
  for (double& x : m.values) {
    x = uniform(random);
  }
  return m;
}

/// A A^T + B - B^T + I/4: positive definite, not symmetric, hence a P-matrix and strictly copositive.
Matrix random_positive(std::uint32_t n, std::mt19937_64& random) {
  const Matrix a = random_square(n, random);
  const Matrix b = random_square(n, random);
  Matrix m(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      m(i, j) = b(i, j) - b(j, i) + (i == j ? 0.25 : 0.0);
      for (std::size_t l = 0; l < n; ++l) {
        m(i, j) += a(i, l) * a(j, l);
      }
    }
  }
  return m;
}

std::vector<double> random_right_side(std::uint32_t n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> q(n);
  for (double& x : q) {
    x = uniform(random);
  }
  return q;
}

/// The solution of basis `set`: z on it, w elsewhere. False if there is none with both >= 0.
bool basic_solution(std::span<const double> q, const Matrix& m, std::uint32_t set,
                    std::vector<double>& z) {
  const std::size_t n = q.size();
  // Gauss-Jordan on the system whose rows outside of the set say z_i = 0
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    if ((set >> i & 1U) == 0) {
      a[i][i] = 1.0;
      continue;
    }
    for (std::size_t j = 0; j < n; ++j) {
      a[i][j] = m(i, j);
    }
    a[i][n] = -q[i];
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t p = j;
    for (std::size_t i = j; i < n; ++i) {
      p = std::fabs(a[i][j]) > std::fabs(a[p][j]) ? i : p;
    }
    if (std::fabs(a[p][j]) < 64 * lcp_eps) {
      return false;
    }
    std::swap(a[p], a[j]);
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = i == j ? 0.0 : a[i][j] / a[j][j];
      for (std::size_t l = j; l <= n; ++l) {
        a[i][l] -= factor * a[j][l];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = (set >> i & 1U) == 0 ? 0.0 : a[i][n] / a[i][i];
    if (z[i] < 0.0) {
      return false;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    double w = q[i];
    for (std::size_t j = 0; j < n; ++j) {
      w += m(i, j) * z[j];
    }
    if ((set >> i & 1U) == 0 && w < 0.0) {
      return false;
    }
  }
  return true;
}

void expect_solution(std::span<const double> q, const Matrix& m, const LemkeResult& r) {
  ASSERT_EQ(r.outcome, LemkeOutcome::solved);
  for (std::size_t i = 0; i < q.size(); ++i) {
    EXPECT_GE(r.z[i], 0.0);
    EXPECT_GE(r.w[i], 0.0);
    EXPECT_EQ(r.z[i] * r.w[i], 0.0);
    double w = q[i];
    double size = std::fabs(q[i]);
    for (std::size_t j = 0; j < q.size(); ++j) {
      w += m(i, j) * r.z[j];
      size += std::fabs(m(i, j)) * r.z[j];
    }
    // Elimination with pivots: a residual of some n eps of what is summed up.
    EXPECT_NEAR(r.w[i], w, 16.0 * static_cast<double>(q.size()) * lcp_eps * size);
  }
}

TEST(Lemke, NothingToDoIsDoneWithoutAPivot) {
  const std::vector<double> q{1.0, 0.0};
  const LemkeResult r = lemke(q, lcp_matrix({{-1, 2}, {3, -4}}));
  EXPECT_EQ(r.outcome, LemkeOutcome::solved);
  EXPECT_EQ(r.n_pivots, 0U);
  EXPECT_EQ(r.z, (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(r.w, q);
}

TEST(Lemke, APMatrixHasTheOneSolutionThatEnumerationFinds) {
  std::mt19937_64 random(8101);
  for (int i = 0; i < 600; ++i) {
    const std::uint32_t n = 1 + static_cast<std::uint32_t>(i % 6);
    const Matrix m = random_positive(n, random);
    const std::vector<double> q = random_right_side(n, random);
    const LemkeResult r = lemke(q, m);
    expect_solution(q, m, r);
    int n_found = 0;
    std::vector<double> z(n);
    for (std::uint32_t set = 0; set < (1U << n); ++set) {
      if (basic_solution(q, m, set, z)) {
        ++n_found;
        for (std::uint32_t k = 0; k < n; ++k) {
          // two eliminations of matrices of norm up to n^2 whose inverse is at most 4
          EXPECT_NEAR(z[k], r.z[k], 64.0 * n * n * n * lcp_eps) << i;
        }
      }
    }
    EXPECT_EQ(n_found, 1) << i;
  }
}

TEST(Lemke, AStrictlyCopositiveMatrixIsAlwaysSolved) {
  // positive entries: copositive, in general neither definite nor a P-matrix
  std::mt19937_64 random(8102);
  std::uniform_real_distribution<double> positive(0.01, 1.0);
  for (int i = 0; i < 500; ++i) {
    const std::uint32_t n = 2 + static_cast<std::uint32_t>(i % 9);
    Matrix m(n, n);
    for (double& x : m.values) {
      x = positive(random);
    }
    const std::vector<double> q = random_right_side(n, random);
    expect_solution(q, m, lemke(q, m));
  }
}

TEST(Lemke, ARayOfACopositivePlusMatrixMeansThatThereIsNoSolution) {
  // M = A A^T of rank 2: positive semidefinite. Solved or a ray; a ray is checked by enumeration.
  std::mt19937_64 random(8103);
  int n_rays = 0;
  for (int i = 0; i < 500; ++i) {
    const std::uint32_t n = 4;
    const Matrix a = random_square(n, random);
    Matrix m(n, n);
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) {
        m(r, c) = a(r, 0) * a(c, 0) + a(r, 1) * a(c, 1);
      }
    }
    const std::vector<double> q = random_right_side(n, random);
    const LemkeResult result = lemke(q, m);
    std::vector<double> z(n);
    bool any = false;
    for (std::uint32_t set = 0; set < (1U << n); ++set) {
      any = any || basic_solution(q, m, set, z);
    }
    EXPECT_EQ(result.outcome, any ? LemkeOutcome::solved : LemkeOutcome::ray) << i;
    n_rays += any ? 0 : 1;
  }
  EXPECT_GT(n_rays, 20);
  EXPECT_LT(n_rays, 480);
}

TEST(Lemke, ARayIsSaidToBeOne) {
  // w = -1 - z has no solution.
  const LemkeResult r = lemke(std::vector<double>{-1.0}, lcp_matrix({{-1.0}}));
  EXPECT_EQ(r.outcome, LemkeOutcome::ray);
  EXPECT_TRUE(r.z.empty());
}

/// A row that nothing acts on, and whose entry of q is the rounding of the others.
TEST(Lemke, WhatIsRoundingInTheRightSideIsNoViolation) {
  const Matrix m = lcp_matrix({{2.0, -1.0, 0.0}, {-1.0, 1.0, 0.0}, {0.0, 0.0, 0.0}});
  const LemkeResult found = lemke(std::vector<double>{-1.0, 0.25, -1e-17}, m);
  ASSERT_EQ(found.outcome, LemkeOutcome::solved);
  EXPECT_NEAR(found.z[0], 0.75, 4 * lcp_eps);
  EXPECT_NEAR(found.z[1], 0.5, 4 * lcp_eps);
  EXPECT_EQ(found.w[2], 0.0);
  // more than rounding is one
  EXPECT_NE(lemke(std::vector<double>{-1.0, 0.25, -1e-12}, m).outcome, LemkeOutcome::solved);
}

TEST(Lemke, DoesNotCycle) {
  // Kostreva 1979: a P-matrix, all ratios tied at the beginning; z = (1, 1, 1)/3.
  const Matrix m = lcp_matrix({{1, 2, 0}, {0, 1, 2}, {2, 0, 1}});
  const std::vector<double> q{-1.0, -1.0, -1.0};
  const LemkeResult r = lemke(q, m);
  ASSERT_EQ(r.outcome, LemkeOutcome::solved);
  for (const double z : r.z) {
    EXPECT_NEAR(z, 1.0 / 3.0, 4 * lcp_eps);
  }
}

TEST(Lemke, CyclesIfTiesAreBrokenByTheFirstRow) {  // the twin
  const Matrix m = lcp_matrix({{1, 2, 0}, {0, 1, 2}, {2, 0, 1}});
  const std::vector<double> q{-1.0, -1.0, -1.0};
  const LemkeResult r =
      lemke(q, m, {.cover = {}, .max_pivots = 5000, .ties = LemkeTies::first_row});
  EXPECT_EQ(r.outcome, LemkeOutcome::limit);
  EXPECT_EQ(r.n_pivots, 5000U);
}

TEST(Lemke, EndsOnTiedIntegerProblems) {
  // Small integers: ties everywhere. Each ends with a solution or a ray; by first rows some do not.
  std::mt19937_64 random(8104);
  std::uniform_int_distribution<int> entry(-2, 2);
  int n_cycles = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint32_t n = 3 + static_cast<std::uint32_t>(i % 3);
    Matrix m(n, n);
    for (double& x : m.values) {
      x = entry(random);
    }
    const std::vector<double> q(n, -1.0);
    const LemkeResult r = lemke(q, m);
    EXPECT_NE(r.outcome, LemkeOutcome::limit) << i;
    if (r.outcome == LemkeOutcome::solved) {
      expect_solution(q, m, r);
    }
    const LemkeOptions naive{.cover = {}, .max_pivots = 0, .ties = LemkeTies::first_row};
    n_cycles += lemke(q, m, naive).outcome == LemkeOutcome::limit ? 1 : 0;
  }
  EXPECT_GT(n_cycles, 0);
}

TEST(Lemke, TheCoveringVectorChoosesAmongSolutions) {
  // three solutions: (1, 0), (0, 1) and (1, 1)/3
  const Matrix m = lcp_matrix({{1, 2}, {2, 1}});
  const std::vector<double> q{-1.0, -1.0};
  const std::vector<double> first{1.0, 0.25};
  const std::vector<double> second{0.25, 1.0};
  const LemkeResult a = lemke(q, m, {.cover = first, .max_pivots = 0});
  const LemkeResult b = lemke(q, m, {.cover = second, .max_pivots = 0});
  expect_solution(q, m, a);
  expect_solution(q, m, b);
  EXPECT_NE(a.z, b.z);
}

TEST(Lemke, SolvesTwoHundred) {
  std::mt19937_64 random(8105);
  const Matrix m = random_positive(200, random);
  const std::vector<double> q = random_right_side(200, random);
  const LemkeResult r = lemke(q, m);
  expect_solution(q, m, r);
  EXPECT_LE(r.n_pivots, 1000U);
}

TEST(Lemke, WhatIsNotFiniteIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(lemke(std::vector<double>{nan}, lcp_matrix({{1.0}})).outcome, LemkeOutcome::limit);
  EXPECT_EQ(lemke(std::vector<double>{1.0}, lcp_matrix({{nan}})).outcome, LemkeOutcome::limit);
}

}  // namespace
}  // namespace saltus
