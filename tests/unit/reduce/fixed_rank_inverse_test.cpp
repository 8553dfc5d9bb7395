#include "reduce/matrix/fixed_rank_inverse.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace saltus::detail {
namespace {

using Matrix = Eigen::MatrixXd;

/// Product of random factors: rank as wished.
Matrix of_rank(Eigen::Index rows, Eigen::Index cols, Eigen::Index rank) {
  std::srand(7);
  return Matrix::Random(rows, rank) * Matrix::Random(rank, cols);
}

/// How far X is from meeting Penrose's four conditions.
double penrose_error(const Matrix& m, const Matrix& x) {
  const Matrix mx = m * x, xm = x * m;
  return (mx * m - m).norm() + (xm * x - x).norm() + (mx - mx.transpose()).norm() +
         (xm - xm.transpose()).norm();
}

TEST(FixedRankInverse, MeetsPenrosesConditions) {
  for (const auto [rows, cols, rank] : {std::array{8, 8, 8}, {8, 8, 5}, {6, 9, 4}, {9, 6, 6}}) {
    const Matrix m = of_rank(rows, cols, rank);
    FixedRankInverse inverse(rows, cols, rank);
    for (int repeat = 0; repeat < 2; ++repeat) {
      inverse.compute(m);
      const double size = (1 + m.norm()) * (1 + inverse.inverse().norm());
      const double rounding = 50 * std::numeric_limits<double>::epsilon() * size * size;
      EXPECT_LT(penrose_error(m, inverse.inverse()), rounding);
      // The volume is the product of the singular values.
      const Eigen::VectorXd sigma = Eigen::JacobiSVD<Matrix>(m).singularValues().head(rank);
      EXPECT_NEAR(inverse.log_volume(), sigma.array().log().sum(), rounding);
      EXPECT_LT((inverse.row_space() - inverse.inverse() * m).norm(), rounding);
    }
    if (rank == 5) {  // twin: a wrong rank is no inverse
      FixedRankInverse other(rows, cols, rank - 1);
      other.compute(m);
      EXPECT_GT(penrose_error(m, other.inverse()), 1e-3);
    }
  }
}

TEST(FixedRankInverse, OfRankZeroIsZero) {
  FixedRankInverse inverse(3, 4, 0);
  inverse.compute(Matrix::Ones(3, 4));
  EXPECT_EQ(inverse.inverse().norm(), 0.0);
  EXPECT_EQ(inverse.row_space().norm(), 0.0);
}

}  // namespace
}  // namespace saltus::detail
