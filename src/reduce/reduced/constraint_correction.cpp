#include "reduce/reduced/constraint_correction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus::detail {

ConstraintCorrection::ConstraintCorrection(ArrayAtPoint& array, HigherDerivatives& higher,
                                           const ProjectorRanks& ranks)
    : array_(array),
      higher_(higher),
      z2_m_(ranks.a, array.n_unknowns() * (array.level() + 1)),
      m_plus_n_(array.n_unknowns() * (array.level() + 1), array.n_unknowns()),
      jacobian_(ranks.a, array.n_unknowns()),
      scaled_transposed_(array.n_unknowns(), ranks.a),
      rhs_(ranks.a, ranks.a),
      q_(array.n_unknowns(), ranks.a),
      qr_(array.n_unknowns(), ranks.a),
      work_(array.n_unknowns()),
      r2_(ranks.a),
      change_(array.n_unknowns()) {}

void ConstraintCorrection::write_jacobian(const Matrix& z2) {
  const ArrayBlocks b = array_.blocks();
  z2_m_.noalias() = z2.transpose() * b.m;
  m_plus_n_.noalias() = higher_.inverses().m.inverse() * b.n;
  jacobian_.noalias() = z2.transpose() * b.n;
  jacobian_.noalias() -= z2_m_ * m_plus_n_;
}

/// dR2/dx in nominal units is L Q^T; the smallest change that makes up for r is Q L^-1 r.
void ConstraintCorrection::write_correction() {
  Inverses& inverses = higher_.inverses();
  const Eigen::Index a = jacobian_.rows();
  inverses.has_correction = true;
  if (a == 0) return;
  scaled_transposed_ = jacobian_.transpose();
  for (Eigen::Index j = 0; j < scaled_transposed_.rows(); ++j)
    scaled_transposed_.row(j) *= array_.nominal()[j] / array_.unit()[j];
  qr_.compute(scaled_transposed_);
  rhs_.setIdentity();
  qr_.matrixQR().topRows(a).triangularView<Eigen::Upper>().transpose().solveInPlace(rhs_);
  q_.setIdentity();
  qr_.householderQ().applyThisOnTheLeft(q_, work_);
  inverses.correction.noalias() = q_ * rhs_;
}

Evaluation ConstraintCorrection::move_onto(const Matrix& z2, double t, std::span<double> x,
                                           double& moved) {
  using Precision = HigherDerivatives::Precision;
  constexpr int most_sweeps = 10;
  constexpr double settled = 1e-14;  // in nominal units
  constexpr double slow_contraction = 0.2;
  moved = 0.0;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_sweeps; ++k) {
    if (const Evaluation inner = higher_.find(t, x, Precision::exact); !inner) return inner;
    if (last <= settled) return Evaluation::ok();
    const bool is_fresh = !higher_.inverses().has_correction;
    if (is_fresh) {
      higher_.use_local();
      if (!higher_.renew(t, x)) return Evaluation::out_of_domain(0);
      write_jacobian(z2);
      write_correction();
    }
    r2_.noalias() = z2.transpose() * array_.phi();
    change_.noalias() = higher_.inverses().correction * r2_;
    const double size = change_.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return Evaluation::out_of_domain(0);
    for (Eigen::Index j = 0; j < change_.size(); ++j) {
      x[static_cast<std::size_t>(j)] -= array_.nominal()[j] * change_[j];
    }
    moved = std::max(moved, size);
    // Slow: with a matrix of this point. What does not shrink then is rounding.
    if (size > slow_contraction * last) {
      if (is_fresh && size > 0.5 * last) return higher_.find(t, x, Precision::exact);
      higher_.inverses().has_correction = false;
    }
    last = size;
  }
  return higher_.find(t, x, Precision::exact);
}

}  // namespace saltus::detail
