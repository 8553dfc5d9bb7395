// A dense matrix over any scalar, row by row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace saltus::detail {

template <class T>
class DenseMatrix {
 public:
  DenseMatrix(std::size_t n_rows, std::size_t n_cols)
      : n_rows_(n_rows), n_cols_(n_cols), values_(n_rows * n_cols, T(0.0)) {}

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_cols() const { return n_cols_; }
  T& operator()(std::size_t i, std::size_t j) { return values_[i * n_cols_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return values_[i * n_cols_ + j]; }
  void set_zero() { std::fill(values_.begin(), values_.end(), T(0.0)); }
  const T* data() const { return values_.data(); }
  std::span<T> row(std::size_t i) { return std::span(values_).subspan(i * n_cols_, n_cols_); }

 private:
  std::size_t n_rows_;
  std::size_t n_cols_;
  std::vector<T> values_;
};

}  // namespace saltus::detail
