// A matrix whose rank is known, by two orthogonal decompositions.
#pragma once

#include "numerics/eigen.hpp"

namespace saltus::detail {

/// A P = Q1 [R11 R12] with pivoted columns, [R11 R12] = S^T Q2^T, so that A^+ = P Q2 S^-T Q1^T: what a
/// singular value decomposition would give, without its iteration. Allocates once.
class FixedRankInverse {
 public:
  FixedRankInverse(Eigen::Index rows, Eigen::Index cols, Eigen::Index rank);

  /// Everything but the inverse.
  void decompose(const Eigen::Ref<const Eigen::MatrixXd>& a);
  void invert();
  void compute(const Eigen::Ref<const Eigen::MatrixXd>& a) {
    decompose(a);
    invert();
  }

  Eigen::Index rank() const { return rank_; }
  const Eigen::MatrixXd& inverse() const { return inverse_; }
  /// Orthonormal columns: A x, and A^T y.
  const Eigen::MatrixXd& range() const { return q1_; }
  const Eigen::MatrixXd& row_range() const { return permuted_; }
  /// A^+ A: the part of a vector that A sees.
  const Eigen::MatrixXd& row_space() const { return row_space_; }
  /// Logarithm of the product of all singular values that count.
  double log_volume() const;

 private:
  Eigen::Index rank_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> columns_;
  Eigen::HouseholderQR<Eigen::MatrixXd> rows_;
  Eigen::RowVectorXd work_;
  Eigen::MatrixXd top_, q1_, q2_, permuted_, solved_, inverse_, row_space_;
};

}  // namespace saltus::detail
