#include "reduce/differential_content.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reduce/jacobi_svd.hpp"
#include "reduce/projectors.hpp"

namespace saltus::detail {

namespace {

constexpr int unreached = std::numeric_limits<int>::max();

/// Entries of a matrix on a pattern, by rows.
struct RowEntries {
  std::vector<std::vector<std::size_t>> values, derivatives;  // unknowns in each equation
};

RowEntries entries_by_row(const CscPattern& p, const std::vector<double>& a,
                          const std::vector<double>& b) {
  RowEntries rows;
  rows.values.resize(static_cast<std::size_t>(p.n_rows));
  rows.derivatives.resize(static_cast<std::size_t>(p.n_rows));
  for (std::size_t j = 0; j < static_cast<std::size_t>(p.n_cols); ++j) {
    const auto end = static_cast<std::size_t>(p.column_start[j + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[j]); s < end; ++s) {
      const auto row = static_cast<std::size_t>(p.row[s]);
      if (b[s] != 0.0) {
        rows.derivatives[row].push_back(j);
      } else if (a[s] != 0.0) {
        rows.values[row].push_back(j);
      }
    }
  }
  return rows;
}

}  // namespace

std::vector<int> differentiation_orders(const CscPattern& pattern, const std::vector<double>& a,
                                        const std::vector<double>& b) {
  const RowEntries rows = entries_by_row(pattern, a, b);
  const std::size_t n_rows = rows.values.size();
  std::vector<int> of_unknown(static_cast<std::size_t>(pattern.n_cols), unreached);
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (!rows.derivatives[i].empty()) continue;
    for (const std::size_t j : rows.values[i]) of_unknown[j] = 0;
  }
  const auto of_row = [&](std::size_t i) {
    int order = unreached;
    for (const std::size_t j : rows.derivatives[i]) order = std::min(order, of_unknown[j]);
    return order;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const int order = of_row(i);
      if (rows.derivatives[i].empty() || order == unreached) continue;
      for (const std::size_t j : rows.values[i]) {
        if (of_unknown[j] <= order + 1) continue;
        of_unknown[j] = order + 1;
        changed = true;
      }
    }
  }
  std::vector<int> orders(n_rows, 0);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const int order = of_row(i);
    if (!rows.derivatives[i].empty() && order != unreached) orders[i] = order;
  }
  return orders;
}

Eigen::MatrixXd differential_content(const DenseMatrix<double>& array, std::size_t n_unknowns,
                                     const LevelRanks& ranks, const std::vector<int>& orders,
                                     const std::vector<int>& row_exponent) {
  constexpr int bits_per_order = 10, most_orders = 3;
  const auto n = static_cast<Eigen::Index>(n_unknowns);
  const auto m = static_cast<Eigen::Index>(orders.size());
  Eigen::MatrixXd e = to_eigen(array).bottomLeftCorner(m, n);
  // Equations of one order are weighed against each other as they were written.
  double mean = 0.0;
  for (const int exponent : row_exponent) mean += exponent;
  mean /= static_cast<double>(std::max<std::size_t>(row_exponent.size(), 1));
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int written = static_cast<int>(std::lround(mean)) - row_exponent[at];
    const int by_order = -bits_per_order * std::min(orders[at], most_orders);
    e.row(i) *= std::ldexp(1.0, written + by_order);
  }
  const Projectors basis = projectors(array, n_unknowns, ranks);
  const auto d = static_cast<Eigen::Index>(ranks.d.rank);
  if (d == 0) return Eigen::MatrixXd::Zero(0, n);
  const RealSvd svd(e * basis.t2, Eigen::ComputeFullU);
  Eigen::MatrixXd w = svd.matrixU().leftCols(d).transpose() * e;
  for (Eigen::Index i = 0; i < d; ++i) {
    const double size = w.row(i).norm();
    if (size > 0) w.row(i) /= size;
  }
  return w;
}

}  // namespace saltus::detail
