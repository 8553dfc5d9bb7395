#include "reduce/reduced_array.hpp"

#include <cmath>

namespace saltus::detail {

ReducedArray::ReducedArray(const System& system, int level, ArrayScaling scaling)
    : pattern_(system.pattern()),
      level_(level),
      n_(system.size()),
      m_(system.n_equations()),
      time_exponent_(scaling.time_exponent) {
  for (const int e : scaling.row_exponent) row_.push_back(std::ldexp(1.0, e));
  for (const int e : scaling.column_exponent) column_.push_back(std::ldexp(1.0, e));
  row_.resize(static_cast<std::size_t>(m_), 1.0);
  column_.resize(static_cast<std::size_t>(n_), 1.0);
  const auto n_levels = static_cast<std::size_t>(level) + 1;
  const auto nnz = static_cast<std::size_t>(pattern_.nnz());
  path_.resize((n_levels + 1) * static_cast<std::size_t>(n_));
  f_.resize(n_levels * static_cast<std::size_t>(m_));
  a_.resize(n_levels * nnz);
  b_.resize(n_levels * nnz);
  m_matrix_.resize(n_rows(), n_higher());
  n_matrix_.resize(n_rows(), n_);
  e_.resize(m_, n_);
}

double ReducedArray::time_power(int k) const { return std::ldexp(1.0, k * time_exponent_); }

double ReducedArray::coefficient(const Vector& y, int j, Eigen::Index unknown) const {
  return y[(j - 1) * n_ + unknown] * column_[static_cast<std::size_t>(unknown)] * time_power(-j);
}

ReducedArray::Vector ReducedArray::scaled_higher(std::span<const double> path) const {
  Vector y = Vector::Zero(n_higher());
  for (int j = 1; j <= level_ + 1; ++j) {
    for (Eigen::Index i = 0; i < n_; ++i) {
      const auto at = static_cast<std::size_t>(j * n_ + i);
      if (at >= path.size()) continue;
      y[(j - 1) * n_ + i] = path[at] / (column_[static_cast<std::size_t>(i)] * time_power(-j));
    }
  }
  return y;
}

void ReducedArray::write_path(std::span<const double> x, const Vector& y) {
  for (Eigen::Index i = 0; i < n_; ++i) {
    path_[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)];
    for (int j = 1; j <= level_ + 1; ++j) {
      path_[static_cast<std::size_t>(j * n_ + i)] = coefficient(y, j, i);
    }
  }
}

Evaluation ReducedArray::residual(DerivativeLevels<double>& levels, double t,
                                  std::span<const double> x, const Vector& y, Vector& f) {
  write_path(x, y);
  const Evaluation done = levels.residuals(t, path_, level_, f_);
  if (!done) return done;
  for (int k = 0; k <= level_; ++k) {
    const double power = time_power(k);
    for (Eigen::Index i = 0; i < m_; ++i) {
      f[k * m_ + i] =
          f_[static_cast<std::size_t>(k * m_ + i)] * power * row_[static_cast<std::size_t>(i)];
    }
  }
  return done;
}

Evaluation ReducedArray::linearize(DerivativeLevels<double>& levels, double t,
                                   std::span<const double> x, const Vector& y) {
  write_path(x, y);
  const Evaluation done = levels.jacobians(t, path_, level_, a_, b_);
  if (!done) return done;
  m_matrix_.setZero();
  n_matrix_.setZero();
  e_.setZero();
  const auto nnz = static_cast<std::size_t>(pattern_.nnz());
  for (Eigen::Index column = 0; column < n_; ++column) {
    const auto c = static_cast<std::size_t>(column);
    const auto end = static_cast<std::size_t>(pattern_.column_start[c + 1]);
    for (auto s = static_cast<std::size_t>(pattern_.column_start[c]); s < end; ++s) {
      const Eigen::Index i = pattern_.row[s];
      const double row = row_[static_cast<std::size_t>(i)];
      e_(i, column) = row * b_[s];
      for (int k = 0; k <= level_; ++k) {
        const double of_row = row * time_power(k);
        n_matrix_(k * m_ + i, column) = of_row * a_[static_cast<std::size_t>(k) * nnz + s];
        // dF_k/dx_j = A_{k-j} + j B_{k-j+1}
        for (int j = 1; j <= k + 1; ++j) {
          double value = j * b_[static_cast<std::size_t>(k + 1 - j) * nnz + s];
          if (j <= k) value += a_[static_cast<std::size_t>(k - j) * nnz + s];
          m_matrix_(k * m_ + i, (j - 1) * n_ + column) =
              of_row * value * column_[c] * time_power(-j);
        }
      }
    }
  }
  return done;
}

}  // namespace saltus::detail
