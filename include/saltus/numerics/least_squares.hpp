// Solves linear least-squares problems with a few columns and any number of rows by QR factors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/matrix.hpp>

namespace saltus {

struct LeastSquaresSolution {
  std::vector<double> x;
  /// Columns that are combinations of others to within their accuracy: their x is 0.
  std::vector<std::uint32_t> dependent;
  /// (A^T A)^-1; empty if columns are dependent.
  Matrix inverse_normal;
};

/// Returns the x for which |A x - b| is smallest. A has at least as many rows as columns. Columns
/// are accurate to this fraction of their lengths, or to rounding.
LeastSquaresSolution solve_least_squares(const Matrix& a, std::span<const double> b,
                                         double accuracy = 0.0);

}  // namespace saltus
