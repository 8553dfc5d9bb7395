#include "slide/dae/sliding_pivots.hpp"

#include <algorithm>
#include <cmath>

namespace saltus::detail {

namespace {

/// Takes the column out of all later rows.
void eliminate_column(std::span<double> rows, std::size_t n, std::size_t k, std::size_t column,
                      std::size_t z) {
  for (std::size_t i = k + 1; i < z; ++i) {
    const double factor = rows[i * n + column] / rows[k * n + column];
    for (std::size_t j = 0; j < n; ++j) rows[i * n + j] -= factor * rows[k * n + j];
    rows[i * n + column] = 0.0;
  }
}

std::size_t largest_of_row(std::span<const double> row) {
  std::size_t best = 0;
  for (std::size_t j = 1; j < row.size(); ++j) {
    if (std::abs(row[j]) > std::abs(row[best])) best = j;
  }
  return best;
}

}  // namespace

StateGradients::StateGradients(const System& base)
    : base_(base),
      transposed_(transpose(base.pattern())),
      solver_(transposed_.pattern, LinearSolverKind::automatic),
      df_dx_(static_cast<std::size_t>(base.pattern().nnz())),
      df_dxdot_(df_dx_.size()),
      values_(df_dx_.size()),
      lambda_(base.size()) {
  for (std::uint32_t j = 0; j < base.size(); ++j) nominal_.push_back(base.nominal(j));
}

void StateGradients::set_jacobian(std::span<const double> df_dx, std::span<const double> df_dxdot) {
  std::copy(df_dx.begin(), df_dx.end(), df_dx_.begin());
  std::copy(df_dxdot.begin(), df_dxdot.end(), df_dxdot_.begin());
  is_factored_ = false;
}

bool StateGradients::factor(std::span<const std::uint8_t> is_state) {
  if (is_factored_) return true;
  const CscPattern& p = base_.pattern();
  for (std::size_t j = 0; j < lambda_.size(); ++j) {
    const std::vector<double>& part = is_state[j] != 0 ? df_dxdot_ : df_dx_;
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      values_[static_cast<std::size_t>(transposed_.slot[s])] = part[s] * nominal_[j];
    }
  }
  is_factored_ = solver_.factor(values_);
  return is_factored_;
}

bool StateGradients::reduce(std::span<const std::uint8_t> is_state, std::span<double> gradient) {
  bool reads_others = false;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const bool other = is_state[j] == 0 && gradient[j] != 0.0;
    reads_others = reads_others || other;
    lambda_[j] = other ? gradient[j] * nominal_[j] : 0.0;
    gradient[j] = is_state[j] != 0 ? gradient[j] * nominal_[j] : 0.0;
  }
  if (!reads_others) return true;
  if (!factor(is_state)) return false;
  solver_.solve(lambda_);
  const CscPattern& p = base_.pattern();
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    if (is_state[j] == 0) continue;
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      gradient[j] -= lambda_[static_cast<std::size_t>(p.row[s])] * df_dx_[s] * nominal_[j];
    }
  }
  return true;
}

std::vector<std::uint32_t> choose_pivots(std::span<double> rows, std::uint32_t n_surfaces) {
  const std::size_t n = rows.size() / n_surfaces;
  std::vector<std::uint32_t> pivots;
  for (std::size_t k = 0; k < n_surfaces; ++k) {
    const std::size_t best = largest_of_row(rows.subspan(k * n, n));
    // Written such that NaN is no pivot.
    if (!(std::abs(rows[k * n + best]) > 0.0)) return {};
    pivots.push_back(static_cast<std::uint32_t>(best));
    eliminate_column(rows, n, k, best, n_surfaces);
  }
  return pivots;
}

double pivot_quality(std::span<double> rows, std::span<const std::uint32_t> pivots) {
  const std::size_t n = rows.size() / pivots.size();
  double worst = 1.0;
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    const double largest = std::abs(rows[k * n + largest_of_row(rows.subspan(k * n, n))]);
    const double pivot = std::abs(rows[k * n + pivots[k]]);
    if (!(pivot > 0.0)) return 0.0;
    worst = std::min(worst, pivot / largest);
    eliminate_column(rows, n, k, pivots[k], pivots.size());
  }
  return worst;
}

}  // namespace saltus::detail
