// The pseudo-inverse of a matrix whose rank is known, by two orthogonal decompositions.
#pragma once

#include <eigen3/Eigen/Dense>

#include "reduce/projectors.hpp"

namespace saltus::detail {

/// M P = Q1 [R11 R12] with pivoted columns, [R11 R12] = S^T Q2^T, so that M^+ = P Q2 S^-T Q1^T: what a
/// singular value decomposition would give, at a tenth of its price. Allocates once.
class FixedRankInverse {
 public:
  FixedRankInverse(Eigen::Index rows, Eigen::Index cols, Eigen::Index rank);

  void compute(const ArrayBlock& m);
  const Eigen::MatrixXd& inverse() const { return inverse_; }
  /// M^+ M: the part of a vector that M sees.
  const Eigen::MatrixXd& row_space() const { return row_space_; }

 private:
  Eigen::Index rank_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> columns_;
  Eigen::HouseholderQR<Eigen::MatrixXd> rows_;
  Eigen::MatrixXd copy_, top_, q1_, q2_, permuted_, solved_, work_;
  Eigen::MatrixXd inverse_, row_space_;
};

}  // namespace saltus::detail
