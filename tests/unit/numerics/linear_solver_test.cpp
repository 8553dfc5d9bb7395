#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include <saltus/numerics/linear_solver.hpp>

#include "support/allocation_counter.hpp"
#include "unit/numerics/random_cases.hpp"

namespace saltus::linear_solver_test {
namespace {

using Complex = std::complex<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
struct Matrix {
  CscPattern pattern;
  std::vector<T> values;
  std::size_t n() const { return static_cast<std::size_t>(pattern.n_cols); }
  T& at(index_t row, index_t col) {
    for (index_t s = pattern.column_start[static_cast<std::size_t>(col)];; ++s) {
      if (pattern.row[static_cast<std::size_t>(s)] == row) {
        return values[static_cast<std::size_t>(s)];
      }
    }
  }
};

template <class T>
T random_entry(numerics_test::RandomCases& random) {
  if constexpr (std::is_same_v<T, double>) {
    return random.uniform(-1.0, 1.0);
  } else {
    return {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
  }
}

// Every diagonal entry and some others: structurally regular, no entry favoured as a pivot.
template <class T>
Matrix<T> random_matrix(numerics_test::RandomCases& random, index_t n, int others_per_column) {
  std::vector<index_t> rows;
  std::vector<index_t> cols;
  for (index_t j = 0; j < n; ++j) {
    rows.push_back(j);
    cols.push_back(j);
    for (int k = 0; k < others_per_column; ++k) {
      rows.push_back(random.integer(0, n - 1));
      cols.push_back(j);
    }
  }
  Matrix<T> m{assemble(n, n, rows, cols).pattern, {}};
  for (index_t s = 0; s < m.pattern.nnz(); ++s) m.values.push_back(random_entry<T>(random));
  return m;
}

template <class T>
Matrix<T> full_matrix(index_t n, const std::vector<T>& by_rows) {
  std::vector<index_t> rows;
  std::vector<index_t> cols;
  for (index_t j = 0; j < n; ++j) {
    for (index_t i = 0; i < n; ++i) {
      rows.push_back(i);
      cols.push_back(j);
    }
  }
  Matrix<T> m{assemble(n, n, rows, cols).pattern, {}};
  for (index_t j = 0; j < n; ++j) {
    for (index_t i = 0; i < n; ++i)
      m.values.push_back(by_rows[static_cast<std::size_t>(i * n + j)]);
  }
  return m;
}

template <class T>
double largest(const std::vector<T>& v) {
  double m = 0.0;
  for (const T& x : v) m = std::max(m, std::abs(x));
  return m;
}

template <class T>
std::vector<T> product(const Matrix<T>& a, const std::vector<T>& x) {
  std::vector<T> y(a.n(), T{});
  multiply<T>({&a.pattern, a.values}, x, y);
  return y;
}

template <class T>
double row_sum_norm(const Matrix<T>& a) {
  std::vector<double> sums(a.n(), 0.0);
  for (std::size_t s = 0; s < a.values.size(); ++s) {
    sums[static_cast<std::size_t>(a.pattern.row[s])] += std::abs(a.values[s]);
  }
  return largest(sums);
}

// Condition in the row sum norm, from the inverse column by column.
template <class T>
double condition(const Matrix<T>& a, LinearSolver<T>& solver) {
  std::vector<double> sums(a.n(), 0.0);
  for (std::size_t j = 0; j < a.n(); ++j) {
    std::vector<T> column(a.n(), T{});
    column[j] = 1.0;
    solver.solve(column);
    for (std::size_t i = 0; i < a.n(); ++i) sums[i] += std::abs(column[i]);
  }
  return largest(sums) * row_sum_norm(a);
}

// |A x - b| <= k eps |A| |x| for a stable elimination; k: n rounding errors per entry times the
// growth of pivots that may be ten times too small.
template <class T>
double residual_bound(const Matrix<T>& a, const std::vector<T>& x) {
  return 10.0 * static_cast<double>(a.n()) * eps * row_sum_norm(a) * largest(x);
}

template <class T>
double residual(const Matrix<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  std::vector<T> r = product(a, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= b[i];
  return largest(r);
}

template <class T>
class LinearSolvers : public ::testing::Test {};
using Entries = ::testing::Types<double, Complex>;
TYPED_TEST_SUITE(LinearSolvers, Entries);

TYPED_TEST(LinearSolvers, DenseAndSparseSolveRandomMatricesAndAgree) {
  using T = TypeParam;
  constexpr std::uint64_t seed = 23;
  numerics_test::RandomCases random(seed);
  int n_solved = 0;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " case " << k);
    const index_t n = random.integer(1, 40);
    const Matrix<T> a = random_matrix<T>(random, n, random.integer(0, 4));
    LinearSolver<T> dense(a.pattern, LinearSolverKind::dense);
    LinearSolver<T> sparse(a.pattern, LinearSolverKind::sparse);
    EXPECT_EQ(dense.kind(), LinearSolverKind::dense);
    EXPECT_EQ(sparse.kind(), LinearSolverKind::sparse);
    ASSERT_TRUE(dense.factor(a.values));
    ASSERT_TRUE(sparse.factor(a.values));
    std::vector<T> b;
    for (index_t i = 0; i < n; ++i) b.push_back(random_entry<T>(random));
    std::vector<T> x = b;
    std::vector<T> y = b;
    dense.solve(x);
    sparse.solve(y);
    EXPECT_LE(residual(a, x, b), residual_bound(a, x));
    EXPECT_LE(residual(a, y, b), residual_bound(a, y));
    const double cond = condition(a, dense);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LE(std::abs(x[i] - y[i]), 20.0 * static_cast<double>(n) * eps * cond * largest(x));
    }
    // A solution of the transposed problem, or of wrong values, is far away.
    if (n > 1) {
      std::vector<T> planted = x;
      planted[0] += 1e-6 * largest(x) + 1e-6;
      n_solved += residual(a, planted, b) > residual_bound(a, planted) ? 1 : 0;
    }
  }
  EXPECT_GT(n_solved, 180) << "the bound must see an error of 1e-6";
}

TYPED_TEST(LinearSolvers, SeveralRightHandSidesGiveWhatEachGives) {
  using T = TypeParam;
  numerics_test::RandomCases random(29);
  for (const LinearSolverKind kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    const Matrix<T> a = random_matrix<T>(random, 20, 3);
    LinearSolver<T> solver(a.pattern, kind);
    ASSERT_TRUE(solver.factor(a.values));
    std::vector<T> all;
    for (int i = 0; i < 20 * 7; ++i)
      all.push_back(random_entry<T>(random));  // KLU takes four at once
    std::vector<T> one_by_one = all;
    for (std::size_t side = 0; side < 7; ++side)
      solver.solve(std::span<T>(one_by_one).subspan(20 * side, 20));
    solver.solve(all);
    EXPECT_EQ(all, one_by_one);  // to the last bit
  }
}

TYPED_TEST(LinearSolvers, DeterminantsOfBothKindsAgree) {
  using T = TypeParam;
  numerics_test::RandomCases random(23);
  for (int k = 0; k < 200; ++k) {
    const index_t n = random.integer(1, 12);
    const Matrix<T> a = random_matrix<T>(random, n, random.integer(0, 3));
    LinearSolver<T> dense(a.pattern, LinearSolverKind::dense);
    LinearSolver<T> sparse(a.pattern, LinearSolverKind::sparse);
    if (!dense.factor(a.values) || !sparse.factor(a.values)) continue;
    EXPECT_EQ(dense.determinant().sign, sparse.determinant().sign);
    // Factors differ by rounding that the condition number magnifies.
    EXPECT_NEAR(dense.determinant().log_size, sparse.determinant().log_size, 1e-6);
  }
  // det [0 0 2; 3 0 0; 0 4 0] = 24, and -24 with two rows exchanged.
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    const CscPattern cycle{3, 3, {0, 1, 2, 3}, {1, 2, 0}};
    const CscPattern exchanged{3, 3, {0, 1, 2, 3}, {1, 0, 2}};
    const std::vector<T> values = {T(3.0), T(4.0), T(2.0)};
    LinearSolver<T> even(cycle, kind), odd(exchanged, kind);
    EXPECT_EQ(even.determinant().sign, 0);
    ASSERT_TRUE(even.factor(values) && odd.factor(values));
    EXPECT_EQ(even.determinant().sign, 1);
    EXPECT_EQ(odd.determinant().sign, (std::is_same_v<T, double> ? -1 : 1));
    EXPECT_NEAR(even.determinant().log_size, std::log(24.0), 1e-14);
    EXPECT_NEAR(odd.determinant().log_size, std::log(24.0), 1e-14);
  }
}

TYPED_TEST(LinearSolvers, FactorsFollowTheValuesAndNeedNoMemory) {
  using T = TypeParam;
  constexpr std::uint64_t seed = 5;
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    numerics_test::RandomCases random(seed);
    Matrix<T> a = random_matrix<T>(random, 30, 3);
    // Dominant diagonals: the first pivots stay good ones.
    for (index_t i = 0; i < 30; ++i) a.at(i, i) += 8.0;
    LinearSolver<T> solver(a.pattern, kind);
    ASSERT_TRUE(solver.factor(a.values));
    std::vector<T> x(30);
    const std::vector<T> b(30, T(1.0));
    for (int k = 0; k < 20; ++k) {
      for (T& v : a.values) v *= random.uniform(0.8, 1.2);
      const long before = test::allocations();
      ASSERT_TRUE(solver.factor(a.values));
      x = b;
      solver.solve(x);
      EXPECT_EQ(test::allocations(), before);
      EXPECT_LE(residual(a, x, b), residual_bound(a, x)) << "seed " << seed;
    }
  }
}

TYPED_TEST(LinearSolvers, OldPivotsThatBecomeBadAreReplaced) {
  using T = TypeParam;
  // First the diagonal is large, then the other diagonal: with the old pivots all digits are lost.
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    constexpr double small = 1e-18;
    Matrix<T> a = full_matrix<T>(3, {4.0, 1.0, 1.0, 1.0, 5.0, 2.0, 1.0, 2.0, 6.0});
    LinearSolver<T> solver(a.pattern, kind);
    ASSERT_TRUE(solver.factor(a.values));
    a = full_matrix<T>(3, {small, 1.0, 3.0, 1.0, small, 1.0, 2.0, 1.0, small});
    ASSERT_TRUE(solver.factor(a.values));
    const std::vector<T> b = {1.0, 2.0, 4.0};
    std::vector<T> x = b;
    solver.solve(x);
    EXPECT_LE(residual(a, x, b), residual_bound(a, x));
    // And a zero where a pivot was.
    a = full_matrix<T>(3, {0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0});
    ASSERT_TRUE(solver.factor(a.values));
    x = b;
    solver.solve(x);
    EXPECT_LE(residual(a, x, b), residual_bound(a, x));
  }
}

TYPED_TEST(LinearSolvers, SingularMatricesAreRefusedWithAColumn) {
  using T = TypeParam;
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    // Column 2 is the sum of columns 0 and 1, exactly.
    const Matrix<T> a = full_matrix<T>(3, {1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 7.0, 9.0, 16.0});
    LinearSolver<T> solver(a.pattern, kind);
    EXPECT_FALSE(solver.factor(a.values));
    EXPECT_GE(solver.singular_column(), 0);
    EXPECT_LT(solver.singular_column(), 3);
    EXPECT_EQ(solver.reciprocal_condition(), 0.0);
    if (kind == LinearSolverKind::dense) {
      EXPECT_EQ(solver.singular_column(), 2);
    }
    // The twin: one entry changed by far more than rounding.
    std::vector<T> regular = a.values;
    regular.back() += 1e-6;
    EXPECT_TRUE(solver.factor(regular));
    EXPECT_GT(solver.reciprocal_condition(), 0.0);
    // And back.
    EXPECT_FALSE(solver.factor(a.values));
  }
}

TYPED_TEST(LinearSolvers, DependentColumnsWithRoundingErrorsAreRefused) {
  using T = TypeParam;
  constexpr std::uint64_t seed = 71;
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    numerics_test::RandomCases random(seed);
    for (int k = 0; k < 50; ++k) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " case " << k);
      const index_t n = random.integer(2, 25);
      Matrix<T> a = full_matrix<T>(n, std::vector<T>(static_cast<std::size_t>(n * n)));
      for (T& v : a.values) v = random_entry<T>(random);
      // The other columns are well conditioned, else their condition multiplies the noise.
      for (index_t i = 0; i < n; ++i) a.at(i, i) += static_cast<double>(n);
      const T factor = random_entry<T>(random);
      for (index_t i = 0; i < n; ++i) {
        a.at(i, n - 1) = 0.0;
        for (index_t j = 0; j + 1 < n; ++j) a.at(i, n - 1) += a.at(i, j) * factor;
      }
      LinearSolver<T> solver(a.pattern, kind);
      EXPECT_FALSE(solver.factor(a.values));
    }
  }
}

TYPED_TEST(LinearSolvers, EmptyAndStructurallyDependentColumns) {
  using T = TypeParam;
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    // Columns 1 and 2 have one row between them.
    const CscPattern pattern =
        assemble(3, 3, std::vector<index_t>{0, 1, 2, 2, 2}, std::vector<index_t>{0, 0, 0, 1, 2})
            .pattern;
    LinearSolver<T> solver(pattern, kind);
    EXPECT_FALSE(solver.factor(std::vector<T>(5, T(1.0))));
    EXPECT_GE(solver.singular_column(), 0);
    EXPECT_LT(solver.singular_column(), 3);
    const CscPattern hole =
        assemble(2, 2, std::vector<index_t>{0, 1}, std::vector<index_t>{0, 0}).pattern;
    LinearSolver<T> empty_column(hole, kind);
    EXPECT_FALSE(empty_column.factor(std::vector<T>(2, T(1.0))));
    EXPECT_EQ(empty_column.singular_column(), 1);
  }
}

TYPED_TEST(LinearSolvers, UnitsOfEquationsAndUnknownsDoNotMatter) {
  using T = TypeParam;
  // diag(1, 1e-90, 1e60) B diag(1e-40, 1, 1e80) is as regular as B.
  const double row_unit[] = {1.0, 1e-90, 1e60};
  const double col_unit[] = {1e-40, 1.0, 1e80};
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    Matrix<T> a = full_matrix<T>(3, {4.0, 1.0, 1.0, 1.0, 5.0, 2.0, 1.0, 2.0, 6.0});
    std::vector<T> b = {6.0, 8.0, 9.0};  // B (1, 1, 1)
    for (index_t i = 0; i < 3; ++i) {
      b[static_cast<std::size_t>(i)] *= row_unit[i];
      for (index_t j = 0; j < 3; ++j) a.at(i, j) *= row_unit[i] * col_unit[j];
    }
    LinearSolver<T> solver(a.pattern, kind);
    ASSERT_TRUE(solver.factor(a.values));
    solver.solve(b);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(std::abs(b[i] * col_unit[i] - 1.0), 100 * eps);
  }
}

TYPED_TEST(LinearSolvers, NumbersThatAreNotFiniteAreRefused) {
  using T = TypeParam;
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    Matrix<T> a = full_matrix<T>(2, {4.0, 1.0, 1.0, 5.0});
    LinearSolver<T> solver(a.pattern, kind);
    for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
      Matrix<T> broken = a;
      broken.at(0, 1) = bad;
      EXPECT_FALSE(solver.factor(broken.values));
      EXPECT_EQ(solver.singular_column(), 1);
      EXPECT_TRUE(solver.factor(a.values));
    }
  }
}

TYPED_TEST(LinearSolvers, MovedSolversKeepTheirFactors) {
  using T = TypeParam;
  for (const auto kind : {LinearSolverKind::dense, LinearSolverKind::sparse}) {
    Matrix<T> a = full_matrix<T>(2, {4.0, 1.0, 1.0, 5.0});
    LinearSolver<T> first(a.pattern, kind);
    ASSERT_TRUE(first.factor(a.values));
    LinearSolver<T> second(std::move(first));
    std::vector<T> x = {5.0, 6.0};
    second.solve(x);
    EXPECT_LE(std::abs(x[0] - 1.0) + std::abs(x[1] - 1.0), 10 * eps);
    LinearSolver<T> third(CscPattern{1, 1, {0, 1}, {0}}, kind);
    third = std::move(second);
    a.at(0, 0) = 9.0;
    ASSERT_TRUE(third.factor(a.values));
    x = {10.0, 6.0};
    third.solve(x);
    EXPECT_LE(std::abs(x[0] - 1.0) + std::abs(x[1] - 1.0), 10 * eps);
  }
}

TYPED_TEST(LinearSolvers, NoUnknownsAreNoTrouble) {
  using T = TypeParam;
  for (const auto kind :
       {LinearSolverKind::automatic, LinearSolverKind::dense, LinearSolverKind::sparse}) {
    LinearSolver<T> solver(CscPattern{}, kind);
    EXPECT_TRUE(solver.factor({}));
    solver.solve({});
    EXPECT_EQ(solver.reciprocal_condition(), 1.0);
  }
}

TEST(LinearSolver, AutomaticIsDenseForSmallAndForFullMatrices) {
  numerics_test::RandomCases random(3);
  const auto kind_of = [&](index_t n, int others) {
    const CscPattern p = random_matrix<double>(random, n, others).pattern;
    return LinearSolver<double>(p, LinearSolverKind::automatic).kind();
  };
  EXPECT_EQ(kind_of(12, 0), LinearSolverKind::dense);
  EXPECT_EQ(kind_of(13, 0), LinearSolverKind::sparse);
  EXPECT_EQ(kind_of(200, 3), LinearSolverKind::sparse);
  EXPECT_EQ(kind_of(200, 150), LinearSolverKind::dense);
}

}  // namespace
}  // namespace saltus::linear_solver_test
