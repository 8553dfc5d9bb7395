// Gaussian elimination with complete pivoting in quad precision, for small matrices of any shape.
#pragma once

#include <span>
#include <vector>

#include <saltus/numerics/quad.hpp>

namespace saltus::detail {

class QuadFactors {
 public:
  /// `matrix` row by row. Rows and columns are scaled to size one first. Pivots below 1e-30 of the
  /// largest do not count: rounding in quad precision leaves less.
  void factor(std::vector<Quad> matrix, std::size_t n_rows, std::size_t n_cols);
  /// x with A x = b in as many rows as the rank; unknowns without a pivot are zero.
  std::vector<Quad> solve(std::span<const Quad> b) const;
  std::size_t rank() const { return rank_; }

 private:
  void equilibrate();
  Quad& at(std::size_t i, std::size_t j) { return lu_[i * n_cols_ + j]; }
  const Quad& at(std::size_t i, std::size_t j) const { return lu_[i * n_cols_ + j]; }

  std::size_t n_rows_ = 0, n_cols_ = 0, rank_ = 0;
  std::vector<Quad> lu_;
  std::vector<double> row_scale_, column_scale_;
  std::vector<std::size_t> row_, column_;  // of the original matrix, in the order of elimination
};

}  // namespace saltus::detail
