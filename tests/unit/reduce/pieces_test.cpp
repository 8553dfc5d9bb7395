// Scaling, elimination and the array itself.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <saltus/numerics/quad.hpp>

#include "reduce/array/scaled_array.hpp"
#include "reduce/matrix/elimination.hpp"
#include "reduce/array/level_ranks.hpp"
#include "reduce/array/scaling.hpp"

#include "analysed_models.hpp"

namespace saltus {
namespace {

using detail::ArrayCoefficients;
using detail::basic_solution;
using detail::coarse_rank_tolerance;
using detail::curtis_reid_scaling;
using detail::DenseMatrix;
using detail::Elimination;
using detail::fine_rank_tolerance;
using detail::scaled_path;
using detail::ScaledArray;
using detail::unit_scaling;
using detail::unscaled_path;
using namespace testing_support;

/// A full pattern.
CscPattern full(index_t n_rows, index_t n_cols) {
  CscPattern p;
  p.n_rows = n_rows;
  p.n_cols = n_cols;
  for (index_t j = 0; j < n_cols; ++j) {
    for (index_t i = 0; i < n_rows; ++i) p.row.push_back(i);
    p.column_start.push_back(static_cast<index_t>(p.row.size()));
  }
  return p;
}

// (C.2)
TEST(CurtisReid, UndoesUnitsThatArePowersOfTwo) {
  constexpr int row[] = {-7, 3, 20}, column[] = {5, -11, 2}, time = 9;
  std::vector<double> a, b;
  for (const int c : column) {
    for (const int r : row) {
      a.push_back(std::ldexp(1.0, -r - c));
      b.push_back(-std::ldexp(1.0, -r - c + time));
    }
  }
  const ArrayScaling s = curtis_reid_scaling(full(3, 3), a, b);
  EXPECT_EQ(s.time_exponent, time);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // Rows and columns share a constant: after rounding their sum may be off by one.
      EXPECT_NEAR(s.row_exponent[static_cast<std::size_t>(i)] +
                      s.column_exponent[static_cast<std::size_t>(j)],
                  row[i] + column[j], 1);
    }
  }
}

// (C.2) with an order of two.
TEST(CurtisReid, UndoesUnitsOfSecondDerivatives) {
  constexpr int row[] = {-7, 3}, column[] = {5, -11}, time = 6;
  std::vector<detail::ScalingEntry> entries;
  for (std::uint32_t i = 0; i < 2; ++i) {
    for (std::uint32_t j = 0; j < 2; ++j) {
      for (const int order : {0, 2}) {
        entries.push_back({i, j, order, std::ldexp(1.0, -row[i] - column[j] + order * time)});
      }
    }
  }
  EXPECT_EQ(curtis_reid_scaling(2, 2, entries).time_exponent, time);
  // Twin: as first derivatives the same entries have another unit of time.
  for (detail::ScalingEntry& e : entries) e.order /= 2;
  EXPECT_EQ(curtis_reid_scaling(2, 2, entries).time_exponent, 2 * time);
}

TEST(CurtisReid, NoiseOfCancellationDoesNotCount) {
  const std::vector<double> clean = {1.0, 0.0, 0.0, 1.0}, noisy = {1.0, 1e-17, 0.0, 1.0},
                            leftover = {1.0, 1e-13, 0.0, 1.0}, real = {1.0, 1e-8, 0.0, 1.0};
  const auto scaling = [&](const std::vector<double>& a) {
    return curtis_reid_scaling(full(2, 2), a, std::vector<double>(4, 0.0)).row_exponent;
  };
  EXPECT_EQ(scaling(noisy), scaling(clean));
  EXPECT_EQ(scaling(leftover), scaling(clean));
  EXPECT_NE(scaling(real), scaling(clean));
}

TEST(CurtisReid, NothingToScaleIsLeftAlone) {
  const ArrayScaling s =
      curtis_reid_scaling(full(2, 3), std::vector<double>(6, 0.0), std::vector<double>(6, 0.0));
  EXPECT_EQ(s.row_exponent, (std::vector<int>{0, 0}));
  EXPECT_EQ(s.column_exponent, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(s.time_exponent, 0);
}

/// A product of random factors: rank `rank` but for rounding in T.
template <class T>
DenseMatrix<T> product_of_rank(std::size_t n, std::size_t rank) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  DenseMatrix<T> left(n, rank), right(rank, n), product(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < rank; ++k) {
      left(i, k) = T(uniform(random));
      right(k, i) = T(uniform(random));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < rank; ++k) product(i, j) += left(i, k) * right(k, j);
    }
  }
  return product;
}

TEST(Elimination, RankOfAProductIsThatOfItsFactors) {
  for (const std::size_t rank : {0u, 1u, 5u, 12u}) {
    Elimination<Quad> elimination(product_of_rank<Quad>(12, rank));
    const auto outcome = elimination.run({0, 12, 0, 12}, fine_rank_tolerance);
    EXPECT_EQ(outcome.pivots.size(), rank);
    // What is left of a zero: a few roundings of quad.
    EXPECT_LE(outcome.largest_left, 1e3 * static_cast<double>(Quad::epsilon()));
  }
  // Twin: computed in double the same product has full rank to quad's eyes.
  const DenseMatrix<double> rounded = product_of_rank<double>(12, 5);
  DenseMatrix<Quad> seen(12, 12);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 12; ++j) seen(i, j) = Quad(rounded(i, j));
  }
  EXPECT_EQ(Elimination<Quad>(seen).run({0, 12, 0, 12}, fine_rank_tolerance).pivots.size(), 12u);
  EXPECT_EQ(Elimination<Quad>(seen).run({0, 12, 0, 12}, coarse_rank_tolerance).pivots.size(), 5u);
}

TEST(Elimination, BasicSolutionSolves) {
  constexpr std::size_t n = 8;
  DenseMatrix<Quad> a = product_of_rank<Quad>(n, 5);
  std::vector<Quad> x(n), rhs(n, Quad(0.0));
  for (std::size_t j = 0; j < n; ++j) x[j] = Quad(static_cast<double>(j) - 2.5);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) rhs[i] += a(i, j) * x[j];
  }
  const auto residual = [&](const std::vector<Quad>& solution) {
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      Quad sum = rhs[i];
      for (std::size_t j = 0; j < n; ++j) sum -= a(i, j) * solution[j];
      largest = std::max(largest, std::abs(static_cast<double>(sum)));
    }
    return largest;
  };
  std::vector<Quad> solution = basic_solution(a, rhs, fine_rank_tolerance);
  // Backward stable: n^2 roundings of entries and solution of order ten.
  EXPECT_LE(residual(solution), 1e4 * static_cast<double>(Quad::epsilon()));
  EXPECT_EQ(std::count(solution.begin(), solution.end(), Quad(0.0)), 3);
  solution[0] += Quad(1e-20);
  EXPECT_GT(residual(solution), 1e-22);
}

/// Rank by an elimination of some columns alone, without stages.
std::size_t separate_rank(const DenseMatrix<Quad>& array, std::size_t n_rows,
                          std::size_t first_column) {
  DenseMatrix<Quad> part(n_rows, array.n_cols() - first_column);
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (std::size_t j = 0; j < part.n_cols(); ++j) part(i, j) = array(i, first_column + j);
  }
  const std::size_t n_cols = part.n_cols();
  return Elimination<Quad>(std::move(part))
      .run({0, n_rows, 0, n_cols}, fine_rank_tolerance)
      .pivots.size();
}

// (C.3): one elimination in stages counts what three separate ones do; (C.4): the counts close at
// level 4 of a chain of five and stay closed.
TEST(LevelRanks, StagesCountDifferencesOfRanks) {
  Model m("m");
  write_chain(m);
  const auto system = compiled(m);
  auto workspace = system->workspace();
  ScaledArray<Quad> array(*system, *workspace, 0.3);
  const ArrayScaling none = unit_scaling(*system);
  constexpr int highest = 5;
  // Linear: the array is the same at all points.
  const std::vector<Quad> xi(array.n_columns(highest), Quad(0.0));
  ArrayCoefficients<Quad> coefficients;
  ASSERT_TRUE(static_cast<bool>(array.coefficients(xi, highest, none, coefficients)));
  detail::Reading reading;
  for (int level = 0; level <= highest; ++level) {
    const DenseMatrix<Quad> j = array.jacobian(coefficients, level, none, true);
    const std::size_t n_rows = array.n_rows(level);
    const std::size_t of_m = separate_rank(j, n_rows, 7), of_j = separate_rank(j, n_rows, 0),
                      of_all = separate_rank(j, j.n_rows(), 0);
    const detail::LevelRanks ranks = detail::level_ranks(j, 7, 7, level, fine_rank_tolerance);
    EXPECT_EQ(ranks.m.rank, of_m) << level;
    EXPECT_EQ(ranks.a.rank, of_j - of_m) << level;
    EXPECT_EQ(ranks.d.rank, of_all - of_j) << level;
    EXPECT_EQ(ranks.corank, n_rows - of_j) << level;
    reading.levels.push_back(ranks);
    EXPECT_EQ(reading.closes(static_cast<std::size_t>(level), 7), level >= 4) << level;
  }
  EXPECT_TRUE(reading.same_counts(4, 5));
  EXPECT_FALSE(reading.same_counts(3, 4));
}

// (C.1): the scaled array is the array of the system written in scaled units.
TEST(ScaledArray, ScalingIsExact) {
  Model m("m");
  write_pendulum(m);
  const auto system = compiled(m);
  auto workspace = system->workspace();
  ScaledArray<double> array(*system, *workspace, 0.3);
  constexpr int level = 2;
  const ArrayScaling none = unit_scaling(*system);
  const ArrayScaling scaling{{1, -2, 3, 0, 5}, {2, 0, -1, 4, -3}, 2};
  std::vector<double> path(array.n_columns(level));
  for (std::size_t k = 0; k < path.size(); ++k) path[k] = std::cos(static_cast<double>(k));
  const std::vector<double> xi = scaled_path<double>(path, scaling);
  EXPECT_EQ(unscaled_path<double>(xi, scaling), path);

  ArrayCoefficients<double> plain, scaled;
  ASSERT_TRUE(static_cast<bool>(array.coefficients(path, level, none, plain)));
  ASSERT_TRUE(static_cast<bool>(array.coefficients(xi, level, scaling, scaled)));
  EXPECT_EQ(plain.a, scaled.a);
  const DenseMatrix<double> j = array.jacobian(plain, level, none),
                            js = array.jacobian(scaled, level, scaling);
  for (std::size_t r = 0; r < j.n_rows(); ++r) {
    for (std::size_t c = 0; c < j.n_cols(); ++c) {
      const int exponent =
          scaling.row_exponent[r % 5] + scaling.column_exponent[c % 5] +
          scaling.time_exponent * (static_cast<int>(r / 5) - static_cast<int>(c / 5));
      EXPECT_EQ(js(r, c), std::ldexp(j(r, c), exponent)) << r << ", " << c;
    }
  }
}

TEST(ScaledArray, JacobianIsThatOfTheResiduals) {
  Model m("m");
  write_rods(m);
  const auto system = compiled(m);
  auto workspace = system->workspace();
  ScaledArray<Quad> array(*system, *workspace, 0.3);
  constexpr int level = 2;
  const ArrayScaling none = unit_scaling(*system);
  std::vector<Quad> xi(array.n_columns(level)), up, down;
  for (std::size_t k = 0; k < xi.size(); ++k) xi[k] = Quad(std::cos(static_cast<double>(k)));
  ArrayCoefficients<Quad> coefficients;
  ASSERT_TRUE(static_cast<bool>(array.coefficients(xi, level, none, coefficients)));
  const DenseMatrix<Quad> jacobian = array.jacobian(coefficients, level, none, true);
  const Quad h(1e-10);
  for (std::size_t c = 0; c < jacobian.n_cols(); ++c) {
    std::vector<Quad> moved = xi;
    moved[c] += h;
    ASSERT_TRUE(static_cast<bool>(array.residuals(moved, level, none, up)));
    moved[c] -= h + h;
    ASSERT_TRUE(static_cast<bool>(array.residuals(moved, level, none, down)));
    for (std::size_t r = 0; r < up.size(); ++r) {
      const double difference = static_cast<double>((up[r] - down[r]) / (h + h));
      // Error h^2 = 1e-20 times third derivatives; eps in the conversion to double.
      EXPECT_NEAR(static_cast<double>(jacobian(r, c)), difference, 64 * eps) << r << ", " << c;
    }
  }
  // The rows of E are the block of x_1 in the first equations.
  for (std::size_t r = 0; r < 9; ++r) {
    for (std::size_t c = 0; c < 9; ++c) EXPECT_EQ(jacobian(27 + r, c), jacobian(r, 9 + c));
  }
}

}  // namespace
}  // namespace saltus
