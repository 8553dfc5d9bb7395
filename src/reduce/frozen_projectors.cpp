#include "reduce/frozen_projectors.hpp"

#include <eigen3/Eigen/SVD>

#include <algorithm>

namespace saltus::detail {

namespace {

using ArrayMatrix = Eigen::MatrixXd;
using FullSvd = Eigen::BDCSVD<ArrayMatrix>;

constexpr unsigned both_sides = Eigen::ComputeFullU | Eigen::ComputeFullV;

double clearness_of(const FullSvd& svd, Eigen::Index rank) {
  const auto& sigma = svd.singularValues();
  if (rank == 0 || sigma.size() == 0 || sigma[0] == 0.0) return 1.0;
  return sigma[std::min(rank, sigma.size()) - 1] / sigma[0];
}

/// Of an SVD, with a prescribed rank.
ArrayMatrix inverse_of(const FullSvd& svd, Eigen::Index rank) {
  const Eigen::VectorXd inverse = svd.singularValues().head(rank).cwiseInverse();
  return svd.matrixV().leftCols(rank) * inverse.asDiagonal() *
         svd.matrixU().leftCols(rank).transpose();
}

/// The basis of the same space nearest to `other` (Procrustes).
void turn_towards(ArrayMatrix& basis, const ArrayMatrix& other) {
  if (basis.cols() == 0) return;
  const FullSvd svd(basis.transpose() * other, both_sides);
  basis = basis * (svd.matrixU() * svd.matrixV().transpose());
}

double smallest_cosine(const ArrayMatrix& a, const ArrayMatrix& b) {
  if (a.cols() == 0) return 1.0;
  const FullSvd svd(a.transpose() * b);
  return svd.singularValues()[svd.singularValues().size() - 1];
}

}  // namespace

ArrayMatrix pseudo_inverse(const ArrayMatrix& m, std::uint32_t rank) {
  return inverse_of(FullSvd(m, both_sides), static_cast<Eigen::Index>(rank));
}

FrozenProjectors projectors_at(const ReducedArray& array, const CharacteristicValues& values,
                               std::uint32_t rank_of_m) {
  FrozenProjectors p;
  const auto rank = static_cast<Eigen::Index>(rank_of_m);
  const auto a = static_cast<Eigen::Index>(values.a), d = static_cast<Eigen::Index>(values.d),
             u = static_cast<Eigen::Index>(values.u);
  const FullSvd of_m(array.by_higher(), both_sides);
  p.m_plus = inverse_of(of_m, rank);
  const ArrayMatrix z = of_m.matrixU().rightCols(array.n_rows() - rank);
  const FullSvd of_constraints(z.transpose() * array.by_x(), both_sides);
  p.z2 = z * of_constraints.matrixU().leftCols(a);
  const ArrayMatrix t2 = of_constraints.matrixV().rightCols(array.n() - a);
  const FullSvd of_e(array.by_xdot() * t2, both_sides);
  p.z1 = of_e.matrixU().leftCols(d);
  p.clearness = std::min(clearness_of(of_m, rank), clearness_of(of_constraints, a));
  if (d > 0) p.clearness = std::min(p.clearness, clearness_of(of_e, d));
  p.t3 = ArrayMatrix::Zero(array.n(), u);
  if (u > 0) {
    ArrayMatrix determined(d + a, array.n());
    determined << p.z1.transpose() * array.by_xdot(), p.z2.transpose() * array.by_x();
    for (Eigen::Index i = 0; i < determined.rows(); ++i) {
      const double size = determined.row(i).norm();
      if (size > 0) determined.row(i) /= size;
    }
    p.t3 = FullSvd(determined, both_sides).matrixV().rightCols(u);
  }
  return p;
}

void FrozenProjectors::align_with(const FrozenProjectors& other) {
  turn_towards(z1, other.z1);
  turn_towards(z2, other.z2);
  turn_towards(t3, other.t3);
}

double FrozenProjectors::agreement_with(const FrozenProjectors& other) const {
  return std::min({smallest_cosine(z1, other.z1), smallest_cosine(z2, other.z2),
                   smallest_cosine(t3, other.t3)});
}

}  // namespace saltus::detail
