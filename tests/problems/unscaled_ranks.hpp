// Characteristic values as one would first try to find them: ranks of the derivative array as it is,
// in double precision. The control of the analysis; shares no code with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <saltus/reduce.hpp>
#include <saltus/system/abilities.hpp>

namespace saltus::problems {

class UnscaledRanks {
 public:
  /// path: x_0, x_1, … in Taylor coefficients; what is missing is zero.
  UnscaledRanks(const System& system, Workspace& workspace, double t, std::vector<double> path,
                int max_level)
      : system_(system), m_(system.n_equations()), n_(system.size()), max_level_(max_level) {
    const std::size_t n_levels = static_cast<std::size_t>(max_level) + 1;
    path.resize((n_levels + 1) * n_, 0.0);
    a_.resize(n_levels * nnz());
    b_.resize(n_levels * nnz());
    usable_ = static_cast<bool>(
        workspace.ability<DerivativeLevels<double>>()->jacobians(t, path, max_level, a_, b_));
  }

  /// At the first level whose counts close, if pivots count from `tolerance` times the largest
  /// entry on.
  std::optional<CharacteristicValues> values(double tolerance) const {
    if (!usable_) return std::nullopt;
    std::size_t last_corank = 0;
    for (int level = 0; level <= max_level_; ++level) {
      const std::size_t n_rows = (static_cast<std::size_t>(level) + 1) * m_;
      const std::size_t of_m = rank(array(level, n_, false), tolerance);
      const std::size_t of_j = rank(array(level, 0, false), tolerance);
      const std::size_t of_all = rank(array(level, 0, true), tolerance);
      if (of_j < of_m || of_all < of_j || n_rows < of_j + last_corank) return std::nullopt;
      const std::size_t a = of_j - of_m, d = of_all - of_j, v = n_rows - of_j - last_corank;
      last_corank = n_rows - of_j;
      if (d + a + v != m_ || d + a > n_) continue;
      const auto count = [](std::size_t k) { return static_cast<std::uint32_t>(k); };
      return CharacteristicValues{level, count(d), count(a), count(v), count(n_ - d - a)};
    }
    return std::nullopt;
  }

 private:
  using Matrix = std::vector<std::vector<double>>;

  std::size_t nnz() const { return static_cast<std::size_t>(system_.pattern().nnz()); }

  /// dF_k / dx_j = A_{k-j} + j B_{k-j+1} without its first columns; below it, if wanted, [E 0].
  Matrix array(int level, std::size_t first_column, bool with_e) const {
    const std::size_t n_levels = static_cast<std::size_t>(level) + 1;
    Matrix matrix(n_levels * m_ + (with_e ? m_ : 0), std::vector<double>((n_levels + 1) * n_));
    const CscPattern& pattern = system_.pattern();
    for (std::size_t column = 0; column < n_; ++column) {
      for (auto s = static_cast<std::size_t>(pattern.column_start[column]);
           s < static_cast<std::size_t>(pattern.column_start[column + 1]); ++s) {
        const auto row = static_cast<std::size_t>(pattern.row[s]);
        for (std::size_t k = 0; k < n_levels; ++k) {
          auto& entries = matrix[k * m_ + row];
          for (std::size_t j = 0; j <= k; ++j) entries[j * n_ + column] += a_[(k - j) * nnz() + s];
          for (std::size_t j = 1; j <= k + 1; ++j) {
            entries[j * n_ + column] += static_cast<double>(j) * b_[(k + 1 - j) * nnz() + s];
          }
        }
        if (with_e) matrix[n_levels * m_ + row][column] = b_[s];
      }
    }
    for (auto& row : matrix) {
      row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(first_column));
    }
    return matrix;
  }

  /// By elimination with complete pivoting.
  static std::size_t rank(Matrix matrix, double tolerance) {
    const std::size_t n_rows = matrix.size(), n_columns = matrix[0].size();
    double largest = 0.0;
    for (std::size_t k = 0; k < std::min(n_rows, n_columns); ++k) {
      std::size_t row = k, column = k;
      for (std::size_t i = k; i < n_rows; ++i) {
        for (std::size_t j = k; j < n_columns; ++j) {
          if (std::abs(matrix[i][j]) > std::abs(matrix[row][column])) row = i, column = j;
        }
      }
      const double pivot = matrix[row][column];
      largest = std::max(largest, std::abs(pivot));
      if (!(std::abs(pivot) > tolerance * largest)) return k;
      std::swap(matrix[k], matrix[row]);
      for (auto& entries : matrix) std::swap(entries[k], entries[column]);
      for (std::size_t i = k + 1; i < n_rows; ++i) {
        const double factor = matrix[i][k] / pivot;
        if (factor == 0.0) continue;
        for (std::size_t j = k; j < n_columns; ++j) matrix[i][j] -= factor * matrix[k][j];
      }
    }
    return std::min(n_rows, n_columns);
  }

  const System& system_;
  std::size_t m_, n_;
  int max_level_;
  std::vector<double> a_, b_;
  bool usable_ = false;
};

}  // namespace saltus::problems
