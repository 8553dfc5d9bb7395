#include "reduce/array/projectors.hpp"

#include <algorithm>

#include "reduce/matrix/jacobi_svd.hpp"

namespace saltus::detail {

namespace {

constexpr unsigned both_sides = Eigen::ComputeFullU | Eigen::ComputeFullV;

double clearness_of(const RealSvd& svd, Eigen::Index rank) {
  const auto& sigma = svd.singularValues();
  if (rank == 0 || sigma.size() == 0 || sigma[0] == 0.0) return 1.0;
  return sigma[std::min(rank, sigma.size()) - 1] / sigma[0];
}

/// The basis of the same space nearest to `other` (Procrustes).
void turn_towards(Eigen::MatrixXd& basis, const Eigen::MatrixXd& other) {
  if (basis.cols() == 0) return;
  const RealSvd svd(basis.transpose() * other, both_sides);
  basis = basis * (svd.matrixU() * svd.matrixV().transpose());
}

}  // namespace

Eigen::MatrixXd to_eigen(const DenseMatrix<double>& matrix) {
  return Eigen::Map<const RowMajorMatrix>(matrix.data(), static_cast<Eigen::Index>(matrix.n_rows()),
                                          static_cast<Eigen::Index>(matrix.n_cols()));
}

ArrayBlocks blocks_of(const DenseMatrix<double>& array, std::size_t n_equations,
                      std::size_t n_unknowns) {
  const auto cols = static_cast<Eigen::Index>(array.n_cols());
  const auto m = static_cast<Eigen::Index>(n_equations), n = static_cast<Eigen::Index>(n_unknowns);
  const Eigen::Index n_rows = static_cast<Eigen::Index>(array.n_rows()) - m;
  const Eigen::Map<const RowMajorMatrix> whole(array.data(), n_rows + m, cols);
  return {whole.block(0, 0, n_rows, n), whole.block(0, n, n_rows, cols - n),
          whole.block(n_rows, 0, m, n)};
}

Projectors projectors(const ArrayBlocks& array, const ProjectorRanks& ranks) {
  const Eigen::Index n = array.n.cols(), n_rows = array.m.rows();
  const RealSvd of_m(array.m, Eigen::ComputeFullU);
  const Eigen::MatrixXd z = of_m.matrixU().rightCols(n_rows - ranks.m);
  Projectors p;
  p.clearness = clearness_of(of_m, ranks.m);
  p.t2 = Eigen::MatrixXd::Identity(n, n);
  p.z2 = Eigen::MatrixXd::Zero(n_rows, 0);
  if (ranks.a > 0) {
    const RealSvd of_n(z.transpose() * array.n, both_sides);
    p.z2 = z * of_n.matrixU().leftCols(ranks.a);
    p.t2 = of_n.matrixV().rightCols(n - ranks.a);
    p.clearness = std::min(p.clearness, clearness_of(of_n, ranks.a));
  }
  p.z1 = Eigen::MatrixXd::Zero(array.e.rows(), 0);
  if (ranks.d > 0) {
    const RealSvd of_e(array.e * p.t2, Eigen::ComputeFullU);
    p.z1 = of_e.matrixU().leftCols(ranks.d);
    p.clearness = std::min(p.clearness, clearness_of(of_e, ranks.d));
  }
  p.w = p.z1.transpose() * array.e;
  return p;
}

Projectors projectors(const DenseMatrix<double>& array, std::size_t n_unknowns,
                      const LevelRanks& ranks) {
  const std::size_t n_rows = std::size_t{ranks.corank} + ranks.m.rank + ranks.a.rank;
  return projectors(blocks_of(array, array.n_rows() - n_rows, n_unknowns),
                    {ranks.m.rank, ranks.a.rank, ranks.d.rank});
}

Eigen::MatrixXd unseen_directions(Eigen::MatrixXd rows) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double size = rows.row(i).norm();
    if (size > 0) rows.row(i) /= size;
  }
  return RealSvd(rows, Eigen::ComputeFullV).matrixV().rightCols(rows.cols() - rows.rows());
}

void Projectors::align_with(const Projectors& other) {
  turn_towards(z1, other.z1);
  turn_towards(z2, other.z2);
  w = {};
}

}  // namespace saltus::detail
