// Gaussian elimination with complete pivoting, in stages: each stage takes its pivots from some rows
// and columns only, and goes on until nothing above the tolerance is left there.
#pragma once

#include <cmath>
#include <vector>

#include <saltus/core/error.hpp>

#include "reduce/matrix/dense_matrix.hpp"

namespace saltus::detail {

/// Half-open ranges.
struct PivotStage {
  std::size_t row_begin, row_end;
  std::size_t column_begin, column_end;
};

template <class T>
class Elimination {
 public:
  struct Pivot {
    std::size_t row, column;
    double size;  // over the largest entry of the matrix
  };
  struct StageOutcome {
    std::vector<Pivot> pivots;
    double largest_left = 0.0;  // over the largest entry of the matrix; 0 if all rows or columns
                                // are used up
  };

  explicit Elimination(DenseMatrix<T> matrix)
      : matrix_(std::move(matrix)),
        size_(matrix_.n_rows() * matrix_.n_cols()),
        row_used_(matrix_.n_rows(), 0),
        column_used_(matrix_.n_cols(), 0) {
    for (std::size_t i = 0; i < matrix_.n_rows(); ++i) {
      for (std::size_t j = 0; j < matrix_.n_cols(); ++j) {
        largest_ = std::max(largest_, note_size(i, j));
      }
    }
  }

  /// Rows and columns that are not of the stage are reduced too, so that a later one finds them ready.
  StageOutcome run(const PivotStage& stage, double tolerance) {
    StageOutcome outcome;
    if (largest_ == 0.0) return outcome;
    for (;;) {
      Pivot best{0, 0, 0.0};
      for (std::size_t i = stage.row_begin; i < stage.row_end; ++i) {
        if (row_used_[i]) continue;
        for (std::size_t j = stage.column_begin; j < stage.column_end; ++j) {
          const double size = size_[i * matrix_.n_cols() + j];
          if (size > best.size && !column_used_[j]) best = {i, j, size};
        }
      }
      best.size /= largest_;
      if (best.size <= tolerance) {
        outcome.largest_left = best.size;
        return outcome;
      }
      eliminate(best);
      outcome.pivots.push_back(best);
    }
  }

  const DenseMatrix<T>& matrix() const { return matrix_; }

 private:
  double note_size(std::size_t i, std::size_t j) {
    return size_[i * matrix_.n_cols() + j] = std::abs(static_cast<double>(matrix_(i, j)));
  }

  void eliminate(const Pivot& pivot) {
    row_used_[pivot.row] = column_used_[pivot.column] = 1;
    occupied_.clear();
    for (std::size_t j = 0; j < matrix_.n_cols(); ++j) {
      if (!column_used_[j] && matrix_(pivot.row, j) != T(0.0)) occupied_.push_back(j);
    }
    const T value = matrix_(pivot.row, pivot.column);
    for (std::size_t i = 0; i < matrix_.n_rows(); ++i) {
      if (row_used_[i] || matrix_(i, pivot.column) == T(0.0)) continue;
      const T factor = matrix_(i, pivot.column) / value;
      for (const std::size_t j : occupied_) {
        matrix_(i, j) -= factor * matrix_(pivot.row, j);
        note_size(i, j);
      }
      matrix_(i, pivot.column) = T(0.0);
    }
  }

  DenseMatrix<T> matrix_;
  std::vector<double> size_;  // of each entry: comparing doubles is cheap
  std::vector<char> row_used_, column_used_;
  std::vector<std::size_t> occupied_;
  double largest_ = 0.0;
};

/// Some x with matrix x = rhs, zero in all but rank-many unknowns; what cannot be met is ignored.
template <class T>
std::vector<T> basic_solution(const DenseMatrix<T>& matrix, const std::vector<T>& rhs,
                              double tolerance) {
  const std::size_t m = matrix.n_rows(), n = matrix.n_cols();
  SALTUS_ASSERT(rhs.size() == m);
  DenseMatrix<T> carried(m, n + 1);
  // The right-hand side must not set the scale of the pivots.
  T scale(0.0);
  for (const T& v : rhs) scale = std::max(scale, v < T(0.0) ? -v : v);
  if (scale == T(0.0)) return std::vector<T>(n, T(0.0));
  double largest = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      carried(i, j) = matrix(i, j);
      largest = std::max(largest, std::abs(static_cast<double>(matrix(i, j))));
    }
  }
  for (std::size_t i = 0; i < m; ++i) carried(i, n) = rhs[i] / scale * T(largest);
  Elimination<T> elimination(std::move(carried));
  const auto outcome = elimination.run({0, m, 0, n}, tolerance);
  const DenseMatrix<T>& u = elimination.matrix();
  std::vector<T> x(n, T(0.0));
  for (std::size_t k = outcome.pivots.size(); k-- > 0;) {
    const auto& pivot = outcome.pivots[k];
    T sum = u(pivot.row, n);
    for (std::size_t l = k + 1; l < outcome.pivots.size(); ++l) {
      const std::size_t j = outcome.pivots[l].column;
      sum -= u(pivot.row, j) * x[j];
    }
    x[pivot.column] = sum / u(pivot.row, pivot.column);
  }
  if (largest > 0.0) {
    for (T& v : x) v = v * scale / T(largest);
  }
  return x;
}

}  // namespace saltus::detail
