#include <saltus/reduce/dependence.hpp>

#include <algorithm>
#include <cmath>

#include "reduce/matrix/rank_cut.hpp"

namespace saltus {

namespace {

// Rows (columns) whose part in a vanishing combination is below this are there by rounding.
constexpr double noticeable_part = 1e-6;

/// Brings the largest entry of every row and column to about one. What is below 1e-14 of the largest of
/// its row is rounding: a column of nothing else must not be brought to size one.
void equilibrate(Eigen::MatrixXd& m) {
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    const double noise = 1e-14 * m.row(i).cwiseAbs().maxCoeff();
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      if (std::abs(m(i, j)) <= noise) m(i, j) = 0.0;
    }
  }
  const auto to_one = [](auto&& line) {
    const double largest = line.cwiseAbs().maxCoeff();
    if (largest > 0.0) line *= std::ldexp(1.0, -std::ilogb(largest));
  };
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (Eigen::Index i = 0; i < m.rows(); ++i) to_one(m.row(i));
    for (Eigen::Index j = 0; j < m.cols(); ++j) to_one(m.col(j));
  }
}

std::vector<std::uint32_t> lines_in(const Eigen::MatrixXd& basis) {
  std::vector<std::uint32_t> lines;
  for (Eigen::Index i = 0; i < basis.rows(); ++i) {
    if (basis.row(i).norm() > noticeable_part) lines.push_back(static_cast<std::uint32_t>(i));
  }
  return lines;
}

}  // namespace

Dependence find_dependence(const Matrix& m) {
  Eigen::MatrixXd scaled = detail::to_eigen(m);
  if (scaled.size() > 0) equilibrate(scaled);
  const detail::RankedSvd svd = detail::ranked_svd(scaled);
  Dependence found;
  found.rank = static_cast<std::uint32_t>(svd.rank);
  found.gap = svd.gap;
  found.rows = lines_in(svd.u.rightCols(svd.u.cols() - svd.rank));
  found.columns = lines_in(svd.v.rightCols(svd.v.cols() - svd.rank));
  return found;
}

std::vector<std::uint32_t> independent_columns(const Matrix& m) {
  Eigen::MatrixXd scaled = detail::to_eigen(m);
  if (scaled.size() == 0) return {};
  for (Eigen::Index i = 0; i < scaled.rows(); ++i) {
    const double largest = scaled.row(i).cwiseAbs().maxCoeff();
    if (largest > 0.0) scaled.row(i) /= largest;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(detail::rank_tolerance);
  qr.compute(scaled);
  std::vector<std::uint32_t> columns;
  for (Eigen::Index k = 0; k < qr.rank(); ++k) {
    columns.push_back(static_cast<std::uint32_t>(qr.colsPermutation().indices()[k]));
  }
  std::ranges::sort(columns);
  return columns;
}

}  // namespace saltus
