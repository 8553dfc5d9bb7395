// Small dense linear equations whose rank is part of the answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/matrix.hpp>

namespace saltus::detail {

/// Singular values below this times the largest are 0. Matrices here are scaled to diagonals of about 1 and are
/// squares of kinematics (H M^-1 H^T): rows that differ by an angle of 3e-6 are still independent.
constexpr double contact_rank_tolerance = 1e-11;

/// A solution of A x = b of least norm, all others are x + null y.
struct RankedSolution {
  std::vector<double> x;
  /// Columns are orthonormal.
  Matrix null;
  /// Rows that follow from the others, as many as `null` has columns.
  std::vector<std::uint32_t> dependent_rows;
  /// The largest |A x - b|, over the largest term in its row.
  double residual = 0.0;
};
RankedSolution solve_ranked(const Matrix& a, std::span<const double> b);

/// Solutions of least norm for all columns of b; `residual` as above, the largest of all.
Matrix solve_ranked(const Matrix& a, const Matrix& b, double& residual);

/// Columns become orthonormal with the same span; they must be independent.
void orthonormalize(Matrix& columns);

}  // namespace saltus::detail
