// Stores a dense matrix of results, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace saltus {

struct Matrix {
  Matrix() = default;
  Matrix(std::uint32_t rows, std::uint32_t cols)
      : n_rows(rows), n_cols(cols), values(static_cast<std::size_t>(rows) * cols, 0.0) {}

  double& operator()(std::size_t i, std::size_t j) { return values[i * n_cols + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * n_cols + j]; }
  bool empty() const { return values.empty(); }

  std::uint32_t n_rows = 0;
  std::uint32_t n_cols = 0;
  std::vector<double> values;

  friend bool operator==(const Matrix&, const Matrix&) = default;
};

}  // namespace saltus
