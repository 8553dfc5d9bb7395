#include "reduce/matrix/fixed_rank_inverse.hpp"

#include <cmath>

namespace saltus::detail {

FixedRankInverse::FixedRankInverse(Eigen::Index rows, Eigen::Index cols, Eigen::Index rank)
    : rank_(rank),
      columns_(rows, cols),
      rows_(cols, rank),
      work_(rank),
      top_(cols, rank),
      q1_(rows, rank),
      q2_(cols, rank),
      permuted_(cols, rank),
      solved_(rank, rows),
      inverse_(Eigen::MatrixXd::Zero(cols, rows)),
      row_space_(Eigen::MatrixXd::Zero(cols, cols)) {}

void FixedRankInverse::decompose(const Eigen::Ref<const Eigen::MatrixXd>& a) {
  if (rank_ == 0) return;
  columns_.compute(a);
  top_.setZero();
  for (Eigen::Index i = 0; i < rank_; ++i) {
    top_.col(i).tail(top_.rows() - i) =
        columns_.matrixQR().row(i).tail(top_.rows() - i).transpose();
  }
  rows_.compute(top_);
  q1_.setIdentity();
  columns_.householderQ().setLength(rank_).applyThisOnTheLeft(q1_, work_);
  q2_.setIdentity();
  rows_.householderQ().applyThisOnTheLeft(q2_, work_);
  permuted_.noalias() = columns_.colsPermutation() * q2_;
}

void FixedRankInverse::invert() {
  if (rank_ == 0) return;
  solved_ = q1_.transpose();
  rows_.matrixQR().topRows(rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(solved_);
  inverse_.noalias() = permuted_ * solved_;
  row_space_.noalias() = permuted_ * permuted_.transpose();
}

double FixedRankInverse::log_volume() const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < rank_; ++i) sum += std::log(std::abs(rows_.matrixQR()(i, i)));
  return sum;
}

}  // namespace saltus::detail
