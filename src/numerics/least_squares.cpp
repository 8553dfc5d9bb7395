#include <saltus/numerics/least_squares.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/core/error.hpp>

#include "numerics/eigen.hpp"

namespace saltus {

LeastSquaresSolution solve_least_squares(const Matrix& a, std::span<const double> b,
                                         double accuracy) {
  SALTUS_ASSERT(a.n_rows >= a.n_cols && b.size() == a.n_rows);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(a.n_cols);
  Eigen::MatrixXd scaled = Eigen::Map<const Rows>(a.values.data(), a.n_rows, n);
  // Units of columns say nothing about their dependence.
  Eigen::VectorXd size = scaled.colwise().norm();
  for (Eigen::Index j = 0; j < n; ++j) {
    if (size[j] > 0)
      scaled.col(j) /= size[j];
    else
      size[j] = 1.0;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled);
  const double rounding = static_cast<double>(a.n_rows) * std::numeric_limits<double>::epsilon();
  qr.setThreshold(std::max(rounding, accuracy));  // for |r_jj| / |r_00|
  const Eigen::Index rank = qr.rank();
  const auto& order = qr.colsPermutation().indices();
  const Eigen::VectorXd qtb =
      qr.householderQ().transpose() *
      Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size()));
  const auto r = qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  const Eigen::VectorXd y = r.solve(qtb.head(rank));
  LeastSquaresSolution found;
  found.x.assign(a.n_cols, 0.0);
  for (Eigen::Index j = 0; j < rank; ++j)
    found.x[static_cast<std::size_t>(order[j])] = y[j] / size[order[j]];
  for (Eigen::Index j = rank; j < n; ++j)
    found.dependent.push_back(static_cast<std::uint32_t>(order[j]));
  if (rank < n) return found;
  const Eigen::MatrixXd inverse = r.solve(Eigen::MatrixXd::Identity(n, n));
  const Eigen::MatrixXd normal = inverse * inverse.transpose();
  found.inverse_normal = Matrix(a.n_cols, a.n_cols);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      found.inverse_normal(static_cast<std::size_t>(order[i]), static_cast<std::size_t>(order[j])) =
          normal(i, j) / (size[order[i]] * size[order[j]]);
  return found;
}

}  // namespace saltus
