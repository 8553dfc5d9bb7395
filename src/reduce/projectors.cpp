#include "reduce/projectors.hpp"

namespace saltus::detail {

namespace {

using Svd = Eigen::BDCSVD<Eigen::MatrixXd>;

}  // namespace

Eigen::MatrixXd to_eigen(const DenseMatrix<double>& matrix) {
  Eigen::MatrixXd copy(matrix.n_rows(), matrix.n_cols());
  for (std::size_t i = 0; i < matrix.n_rows(); ++i) {
    for (std::size_t j = 0; j < matrix.n_cols(); ++j) {
      copy(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = matrix(i, j);
    }
  }
  return copy;
}

Projectors projectors(const DenseMatrix<double>& array, std::size_t n_unknowns,
                      const LevelRanks& ranks) {
  const Eigen::MatrixXd whole = to_eigen(array);
  const auto n = static_cast<Eigen::Index>(n_unknowns);
  const Eigen::Index n_rows = static_cast<Eigen::Index>(ranks.corank) + ranks.m.rank + ranks.a.rank;
  const Eigen::Index a = ranks.a.rank, d = ranks.d.rank;
  const auto e = whole.bottomLeftCorner(whole.rows() - n_rows, n);

  const Svd of_m(whole.block(0, n, n_rows, whole.cols() - n), Eigen::ComputeFullU);
  const Eigen::MatrixXd z = of_m.matrixU().rightCols(n_rows - ranks.m.rank);
  Projectors p;
  p.t2 = Eigen::MatrixXd::Identity(n, n);
  p.z2 = Eigen::MatrixXd::Zero(n_rows, 0);
  if (a > 0) {
    const Svd of_n(z.transpose() * whole.topLeftCorner(n_rows, n),
                   Eigen::ComputeFullU | Eigen::ComputeFullV);
    p.z2 = z * of_n.matrixU().leftCols(a);
    p.t2 = of_n.matrixV().rightCols(n - a);
  }
  p.z1 = Eigen::MatrixXd::Zero(e.rows(), 0);
  if (d > 0) {
    const Svd of_e(e * p.t2, Eigen::ComputeFullU);
    p.z1 = of_e.matrixU().leftCols(d);
  }
  p.w = p.z1.transpose() * e;
  return p;
}

}  // namespace saltus::detail
