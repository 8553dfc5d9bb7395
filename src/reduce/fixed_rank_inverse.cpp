#include "reduce/fixed_rank_inverse.hpp"

namespace saltus::detail {

FixedRankInverse::FixedRankInverse(Eigen::Index rows, Eigen::Index cols, Eigen::Index rank)
    : rank_(rank),
      columns_(rows, cols),
      rows_(cols, rank),
      copy_(rows, cols),
      top_(cols, rank),
      q1_(rows, rank),
      q2_(cols, rank),
      permuted_(cols, rank),
      solved_(rank, rows),
      work_(std::max(rows, cols), 1),
      inverse_(cols, rows),
      row_space_(cols, cols) {}

void FixedRankInverse::compute(const ArrayBlock& m) {
  if (rank_ == 0) {
    inverse_.setZero();
    row_space_.setZero();
    return;
  }
  copy_ = m;
  columns_.compute(copy_);
  top_.setZero();
  for (Eigen::Index i = 0; i < rank_; ++i) {
    top_.col(i).tail(top_.rows() - i) =
        columns_.matrixQR().row(i).tail(top_.rows() - i).transpose();
  }
  rows_.compute(top_);
  q1_.setIdentity();
  columns_.householderQ().setLength(rank_).applyThisOnTheLeft(q1_);
  q2_.setIdentity();
  rows_.householderQ().applyThisOnTheLeft(q2_);
  permuted_.noalias() = columns_.colsPermutation() * q2_;
  solved_ = q1_.transpose();
  rows_.matrixQR().topRows(rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(solved_);
  inverse_.noalias() = permuted_ * solved_;
  row_space_.noalias() = permuted_ * permuted_.transpose();
}

}  // namespace saltus::detail
