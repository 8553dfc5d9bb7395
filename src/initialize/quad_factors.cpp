#include "initialize/quad_factors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace saltus::detail {

namespace {

constexpr double smallest_pivot = 1e-30;

double size_of_entry(const Quad& value) { return std::abs(static_cast<double>(value)); }

/// A power of two near 1 / sqrt(largest): scaling rounds nothing.
double root_of_inverse(double largest) {
  if (!(largest > 0)) return 1.0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, -exponent / 2);
}

}  // namespace

/// h, 1/h and 1/h^2 must not decide what is a pivot.
void QuadFactors::equilibrate() {
  constexpr int rounds = 8;
  row_scale_.assign(n_rows_, 1.0);
  column_scale_.assign(n_cols_, 1.0);
  for (int k = 0; k < rounds; ++k) {
    std::vector<double> row(n_rows_, 0.0), column(n_cols_, 0.0);
    for (std::size_t i = 0; i < n_rows_; ++i) {
      for (std::size_t j = 0; j < n_cols_; ++j) {
        const double size = size_of_entry(at(i, j));
        row[i] = std::max(row[i], size);
        column[j] = std::max(column[j], size);
      }
    }
    std::transform(row.begin(), row.end(), row.begin(), root_of_inverse);
    std::transform(column.begin(), column.end(), column.begin(), root_of_inverse);
    for (std::size_t i = 0; i < n_rows_; ++i) {
      for (std::size_t j = 0; j < n_cols_; ++j) at(i, j) *= Quad(row[i] * column[j]);
    }
    for (std::size_t i = 0; i < n_rows_; ++i) row_scale_[i] *= row[i];
    for (std::size_t j = 0; j < n_cols_; ++j) column_scale_[j] *= column[j];
  }
}

void QuadFactors::factor(std::vector<Quad> matrix, std::size_t n_rows, std::size_t n_cols) {
  n_rows_ = n_rows;
  n_cols_ = n_cols;
  lu_ = std::move(matrix);
  equilibrate();
  row_.resize(n_rows_);
  column_.resize(n_cols_);
  std::iota(row_.begin(), row_.end(), std::size_t{0});
  std::iota(column_.begin(), column_.end(), std::size_t{0});
  rank_ = 0;
  double first_pivot = 0.0;
  for (std::size_t k = 0; k < std::min(n_rows_, n_cols_); ++k) {
    std::size_t pivot_row = k, pivot_column = k;
    double largest = 0.0;
    for (std::size_t i = k; i < n_rows_; ++i) {
      for (std::size_t j = k; j < n_cols_; ++j) {
        const double size = size_of_entry(at(i, j));
        if (size <= largest) continue;
        largest = size;
        pivot_row = i;
        pivot_column = j;
      }
    }
    if (k == 0) first_pivot = largest;
    if (!(largest > smallest_pivot * first_pivot)) break;
    for (std::size_t j = 0; j < n_cols_; ++j) std::swap(at(k, j), at(pivot_row, j));
    for (std::size_t i = 0; i < n_rows_; ++i) std::swap(at(i, k), at(i, pivot_column));
    std::swap(row_[k], row_[pivot_row]);
    std::swap(column_[k], column_[pivot_column]);
    for (std::size_t i = k + 1; i < n_rows_; ++i) {
      if (at(i, k) == Quad()) continue;
      const Quad factor = at(i, k) / at(k, k);
      at(i, k) = factor;
      for (std::size_t j = k + 1; j < n_cols_; ++j) at(i, j) -= factor * at(k, j);
    }
    ++rank_;
  }
}

std::vector<Quad> QuadFactors::solve(std::span<const Quad> b) const {
  std::vector<Quad> y(rank_), x(n_cols_);
  for (std::size_t i = 0; i < rank_; ++i) {
    y[i] = b[row_[i]] * Quad(row_scale_[row_[i]]);
    for (std::size_t j = 0; j < i; ++j) y[i] -= at(i, j) * y[j];
  }
  for (std::size_t i = rank_; i-- > 0;) {
    for (std::size_t j = i + 1; j < rank_; ++j) y[i] -= at(i, j) * y[j];
    y[i] /= at(i, i);
  }
  for (std::size_t i = 0; i < rank_; ++i) x[column_[i]] = y[i] * Quad(column_scale_[column_[i]]);
  return x;
}

}  // namespace saltus::detail
