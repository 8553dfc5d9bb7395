// Linear least squares by QR factors: a few columns, any number of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <saltus/numerics/matrix.hpp>

namespace saltus {

struct LeastSquaresSolution {
  std::vector<double> x;
  /// Columns that are combinations of others, as far as their accuracy tells: their x is 0.
  std::vector<std::uint32_t> dependent;
  /// (A^T A)^-1; empty if columns are dependent.
  Matrix inverse_normal;
};

/// The x for which |A x - b| is smallest. A has at least as many rows as columns, which are accurate to this part of their
/// lengths, or to rounding.
LeastSquaresSolution solve_least_squares(const Matrix& a, std::span<const double> b,
                                         double accuracy = 0.0);

}  // namespace saltus
