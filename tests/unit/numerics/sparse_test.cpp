#include <gtest/gtest.h>

#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/numerics/sparse.hpp>

#include "unit/numerics/random_cases.hpp"

namespace saltus::sparse_test {
namespace {

struct Triplets {
  std::vector<index_t> rows;
  std::vector<index_t> cols;
  std::vector<double> values;
};

// Small integers, so that sums in any order are exact and comparisons are for equality.
Triplets random_triplets(numerics_test::RandomCases& random, int n_rows, int n_cols, int n) {
  Triplets t;
  for (int k = 0; k < n; ++k) {
    t.rows.push_back(random.integer(0, n_rows - 1));
    t.cols.push_back(random.integer(0, n_cols - 1));
    t.values.push_back(random.integer(-9, 9));
  }
  return t;
}

std::vector<double> dense(const CscPattern& p, const std::vector<double>& values) {
  std::vector<double> d(static_cast<std::size_t>(p.n_rows * p.n_cols), 0.0);
  for (index_t j = 0; j < p.n_cols; ++j) {
    for (index_t s = p.column_start[static_cast<std::size_t>(j)];
         s < p.column_start[static_cast<std::size_t>(j) + 1]; ++s) {
      const auto slot = static_cast<std::size_t>(s);
      d[static_cast<std::size_t>(p.row[slot] + j * p.n_rows)] += values[slot];
    }
  }
  return d;
}

TEST(Sparse, AssemblyWithDuplicatesEqualsTheDenseSum) {
  constexpr std::uint64_t seed = 17;
  numerics_test::RandomCases random(seed);
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " case " << k);
    const int n_rows = random.integer(1, 12);
    const int n_cols = random.integer(1, 12);
    const Triplets t = random_triplets(random, n_rows, n_cols, random.integer(0, 60));
    const CscAssembly a = assemble(n_rows, n_cols, t.rows, t.cols);
    ASSERT_TRUE(a.pattern.validate()) << a.pattern.validate().message;
    std::vector<double> values(static_cast<std::size_t>(a.pattern.nnz()), 0.0);
    std::vector<double> expected(static_cast<std::size_t>(n_rows * n_cols), 0.0);
    std::vector<bool> present(expected.size(), false);
    for (std::size_t i = 0; i < t.rows.size(); ++i) {
      values[static_cast<std::size_t>(a.slot[i])] += t.values[i];
      const auto place = static_cast<std::size_t>(t.rows[i] + t.cols[i] * n_rows);
      expected[place] += t.values[i];
      present[place] = true;
    }
    ASSERT_EQ(dense(a.pattern, values), expected);
    ASSERT_EQ(a.pattern.nnz(), std::count(present.begin(), present.end(), true));
  }
}

TEST(Sparse, ProductsAndTransposeAgreeWithDense) {
  constexpr std::uint64_t seed = 18;
  numerics_test::RandomCases random(seed);
  for (int k = 0; k < 100; ++k) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " case " << k);
    const int m = random.integer(1, 9);
    const int n = random.integer(1, 9);
    const Triplets t = random_triplets(random, m, n, 30);
    const CscAssembly a = assemble(m, n, t.rows, t.cols);
    std::vector<double> values(static_cast<std::size_t>(a.pattern.nnz()), 0.0);
    for (double& v : values) v = random.integer(-9, 9);
    const std::vector<double> d = dense(a.pattern, values);
    std::vector<double> x(static_cast<std::size_t>(n));
    std::vector<double> z(static_cast<std::size_t>(m));
    for (double& v : x) v = random.integer(-9, 9);
    for (double& v : z) v = random.integer(-9, 9);

    std::vector<double> y(z.size(), 1.0);
    std::vector<double> w(x.size(), 1.0);
    std::vector<double> y_dense = y;
    std::vector<double> w_dense = w;
    for (std::size_t j = 0; j < x.size(); ++j) {
      for (std::size_t i = 0; i < z.size(); ++i) {
        y_dense[i] += d[i + j * z.size()] * x[j];
        w_dense[j] += d[i + j * z.size()] * z[i];
      }
    }
    const CscView<const double> view{&a.pattern, values};
    multiply<double>(view, x, y);
    multiply_transposed<double>(view, z, w);
    ASSERT_EQ(y, y_dense);
    ASSERT_EQ(w, w_dense);

    const CscAssembly at = transpose(a.pattern);
    ASSERT_TRUE(at.pattern.validate());
    std::vector<double> moved(values.size());
    for (std::size_t s = 0; s < values.size(); ++s) {
      moved[static_cast<std::size_t>(at.slot[s])] = values[s];
    }
    std::vector<double> v(x.size(), 1.0);
    multiply<double>(CscView<const double>{&at.pattern, moved}, z, v);
    ASSERT_EQ(v, w_dense);
    ASSERT_EQ(transpose(at.pattern).pattern, a.pattern);
  }
}

TEST(Sparse, ValidateNamesTheDefect) {
  CscPattern p{2, 2, {0, 1, 2}, {0, 1}};
  EXPECT_TRUE(p.validate());
  EXPECT_TRUE(CscPattern{}.validate());
  p.row = {0, 2};
  EXPECT_EQ(p.validate().message, "row 2 of column 1 is outside the matrix");
  p.row = {0};
  EXPECT_FALSE(p.validate());
  p = {2, 2, {0, 1}, {0}};
  EXPECT_FALSE(p.validate());
  p = {2, 1, {0, 2}, {1, 0}};
  EXPECT_EQ(p.validate().message, "rows of column 0 do not ascend strictly");
  p = {2, 1, {0, 2}, {1, 1}};
  EXPECT_FALSE(p.validate());
  p = {2, 2, {0, 2, 1}, {1, 1}};
  EXPECT_FALSE(p.validate());
  p = {-1, 0, {0}, {}};
  EXPECT_FALSE(p.validate());
}

TEST(Sparse, AssemblyRefusesForeignIndices) {
  const std::vector<index_t> good = {0, 1};
  const std::vector<index_t> high = {0, 2};
  const std::vector<index_t> negative = {0, -1};
  const std::vector<index_t> brief = {0};
  EXPECT_THROW(assemble(2, 2, good, high), InternalError);
  EXPECT_THROW(assemble(2, 2, negative, good), InternalError);
  EXPECT_THROW(assemble(2, 2, good, brief), InternalError);
  EXPECT_EQ(assemble(0, 0, {}, {}).pattern.nnz(), 0);
}

}  // namespace
}  // namespace saltus::sparse_test
