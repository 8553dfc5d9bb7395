#include "reduce/reduced_workspace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <saltus/system/directions.hpp>

namespace saltus::detail {

namespace {

// The inner iteration: an inexact y degrades everything built on it.
constexpr double inner_tolerance = 1e-13;
constexpr int most_inner_iterations = 20;
constexpr double slow_contraction = 0.2;

}  // namespace

ReducedWorkspace::ReducedWorkspace(const ReducedSystem& system)
    : system_(system),
      scaling_(system.analysis().scaling),
      raw_(system.raw().workspace()),
      level_(system.analysis().values.mu),
      n_(system.size()),
      m_(system.raw().n_equations()),
      array_(system.raw(), *raw_, system.t_start()),
      matrix_(array_.n_rows(level_) + array_.n_equations(), array_.n_columns(level_)),
      form_(system.start_form()),
      frozen_{FixedRankInverse(m_ * (level_ + 1), n_ * (level_ + 1), system.ranks().m),
              Matrix(n_, system.ranks().a), false},
      local_(frozen_),
      nominal_(n_),
      unit_(n_),
      row_unit_(m_),
      xi_(n_ * (level_ + 2)),
      t_y_(system.t_start()),
      t_good_(t_y_),
      phi_(array_.n_rows(level_)),
      f_raw_(static_cast<std::size_t>(m_)),
      a_raw_(static_cast<std::size_t>(system.raw().pattern().nnz())),
      b_raw_(a_raw_.size()),
      step_(n_ * (level_ + 1)),
      f_scaled_(m_),
      r2_(system.ranks().a),
      change_(n_),
      scaled_transposed_(n_, system.ranks().a),
      correction_rhs_(system.ranks().a, system.ranks().a),
      correction_q_(n_, system.ranks().a),
      qr_of_correction_(n_, system.ranks().a),
      z2_m_(system.ranks().a, n_ * (level_ + 1)),
      m_plus_n_(n_ * (level_ + 1), n_),
      by_constraints_(system.ranks().a, n_),
      of_x_(m_, n_),
      of_xdot_(m_, n_),
      left_over_(m_ * (level_ + 1)),
      tolerance_(xi_.size()),
      x_probe_(static_cast<std::size_t>(n_)),
      agreed_until_(t_y_),
      m_copy_(m_ * (level_ + 1), n_ * (level_ + 1)),
      projected_n_(m_ * (level_ + 1), n_),
      t2_(n_, n_ - system.ranks().a),
      e_t2_(m_, n_ - system.ranks().a),
      cosines_n_(system.ranks().a, system.ranks().a),
      rest_n_(m_ * (level_ + 1), system.ranks().a),
      cosines_e_(system.ranks().d, system.ranks().d),
      rest_e_(m_, system.ranks().d),
      work_(n_),
      of_n_(m_ * (level_ + 1), n_, system.ranks().a),
      of_e_(m_, n_ - system.ranks().a, system.ranks().d),
      complement_(n_, system.ranks().a),
      t_accepted_(std::numeric_limits<double>::quiet_NaN()) {
  const std::vector<double> xi = scaled_path<double>(system.analysis().path, scaling_);
  std::copy_n(xi.begin(), xi_.size(), xi_.data());
  y_good_ = y_before_projection_ = y();
  const StartValues start_values = system.start_values();
  const std::vector<double>& start = start_values.x;
  if (auto* locks = raw_->ability<Locks>()) {
    static_cast<void>(locks->decide(t_y_, start, start_values.xdot));
  }
  x_reference_ = Eigen::Map<const Vector>(start.data(), n_);
  for (Eigen::Index j = 0; j < n_; ++j) {
    nominal_[j] = system.nominal(static_cast<std::uint32_t>(j));
    unit_[j] = power_of_two<double>(scaling_.column_exponent[static_cast<std::size_t>(j)]);
  }
  for (Eigen::Index i = 0; i < m_; ++i) {
    row_unit_[i] = power_of_two<double>(scaling_.row_exponent[static_cast<std::size_t>(i)]);
  }
  // The consistent point of the analysis can be linearised: the reduction did so.
  (void)renew_inverse(t_y_, start);
  offer<StepRefresh>(*this);
  offer<OutputProjection>(*this);
  offer<RedundancyWatch>(*this);
  offer<Regularity>(*this);
  hand_on(*raw_, ReducedHanding::HandsOn{});
  if (auto* locks = raw_->ability<Locks>()) {
    locks_.emplace(*locks, [this] { locks_have_changed_ = true; });
    branches_.resize(locks->n_branches());
    branches_now_.resize(locks->n_branches());
    locks->branches(branches_);
    offer<Locks>(*locks_);
  }
}

// ---- the array at a point --------------------------------------------------------------------------

Evaluation ReducedWorkspace::evaluate_array(double t, std::span<const double> x) {
  xi_.head(n_) = Eigen::Map<const Vector>(x.data(), n_).cwiseQuotient(unit_);
  array_.move_to(t);
  return array_.residuals({xi_.data(), static_cast<std::size_t>(xi_.size())}, level_, scaling_,
                          phi_);
}

Evaluation ReducedWorkspace::linearize(double t, std::span<const double> x) {
  xi_.head(n_) = Eigen::Map<const Vector>(x.data(), n_).cwiseQuotient(unit_);
  array_.move_to(t);
  const Evaluation done = array_.coefficients({xi_.data(), static_cast<std::size_t>(xi_.size())},
                                              level_, scaling_, coefficients_);
  if (done) array_.write_jacobian(coefficients_, level_, scaling_, matrix_);
  return done;
}

// ---- the inner iteration -----------------------------------------------------------------------------

/// y at another time, along its own series; then without what M does not see.
void ReducedWorkspace::shift_to(double t) {
  const double dt = t - t_y_;
  const int top = level_ + 1;
  auto present = y();
  if (dt != 0.0) {
    // x_j(t + dt) = sum_i C(i, j) x_i dt^(i - j), in scaled coefficients.
    const double step = std::ldexp(dt, -scaling_.time_exponent);
    for (int j = 1; j <= top; ++j) {
      for (Eigen::Index k = 0; k < n_; ++k) {
        double sum = 0.0, binomial = 1.0, power = 1.0;
        for (int i = j; i <= top; ++i) {
          sum += binomial * power * present[(i - 1) * n_ + k];
          binomial = binomial * (i + 1) / (i + 1 - j);
          power *= step;
        }
        step_[(j - 1) * n_ + k] = sum;
      }
    }
    present = step_;
  }
  step_.noalias() = inverses_->m.row_space() * present;
  present = step_;
  t_y_ = t;
}

Evaluation ReducedWorkspace::renew_inverse(double t, std::span<const double> x) {
  const Evaluation done = linearize(t, x);
  if (!done) return done;
  m_copy_ = blocks().m;
  inverses_->m.compute(m_copy_);
  inverses_->has_correction = false;
  return done;
}

/// y <- y - M^+ F(t, x, y) with the frozen inverse. True once converged; false if it has to be tried
/// with another. The values of the array are those before the last step.
bool ReducedWorkspace::iterate(double t, std::span<const double> x, bool& out_of_domain) {
  double last = 0.0;
  auto present = y();
  for (int k = 0; k < most_inner_iterations; ++k) {
    if (!evaluate_array(t, x)) {
      out_of_domain = true;
      return false;
    }
    step_.noalias() = inverses_->m.inverse() * phi();
    const double size = step_.norm();
    if (!std::isfinite(size)) return false;
    present -= step_;
    const double scale = 1.0 + present.norm();
    if (size <= inner_tolerance * scale) return true;
    // Rounding: it does not get any smaller.
    if (k > 0 && size > 0.5 * last && size <= 100 * inner_tolerance * scale) return true;
    if (k > 0 && size > slow_contraction * last) return false;
    last = size;
  }
  return false;
}

Evaluation ReducedWorkspace::find_higher(double t, std::span<const double> x, Precision precision) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (attempt == 0) shift_to(t);
    bool out_of_domain = false;
    if (iterate(t, x, out_of_domain)) {
      // With the y converged to, what is left of the array is what is left of the constraints.
      if (precision == Precision::exact && !evaluate_array(t, x)) break;
      return Evaluation::ok();
    }
    slow_ = true;
    if (out_of_domain || !xi_.allFinite()) {
      y() = y_good_;
      t_y_ = t_good_;
      shift_to(t);
    }
    if (!renew_inverse(t, x)) break;
  }
  y() = y_good_;
  t_y_ = t_good_;
  return Evaluation::out_of_domain(static_cast<std::uint32_t>(system_.ranks().d));
}

// ---- residual and Jacobian ---------------------------------------------------------------------------

Evaluation ReducedWorkspace::residual(double t, std::span<const double> x,
                                      std::span<const double> xdot, std::span<double> f) {
  if (locks_have_changed_) follow_locks(t, x);
  const Evaluation direct = raw_->residual(t, x, xdot, f_raw_);
  if (!direct) return Evaluation::out_of_domain(0);
  f_scaled_ = Eigen::Map<const Vector>(f_raw_.data(), m_).cwiseProduct(row_unit_);
  if (const Evaluation inner = find_higher(t, x, Precision::converged); !inner) return inner;
  const auto d = system_.ranks().d, a = system_.ranks().a, u = n_ - a - d;
  Eigen::Map<Vector> out(f.data(), n_);
  out.head(d).noalias() = form_.basis.z1.transpose() * f_scaled_;
  out.segment(d, a).noalias() = form_.basis.z2.transpose() * phi();
  if (u > 0) {
    out.tail(u).noalias() = form_.r3 * Eigen::Map<const Vector>(x.data(), n_);
    if (system_.options().undetermined == UndeterminedUnknowns::minimum_change) {
      out.tail(u).noalias() -= form_.r3 * x_reference_;
    }
  }
  if (!out.allFinite()) return Evaluation::out_of_domain(0);
  return Evaluation::ok();
}

void ReducedWorkspace::write_constraint_jacobian() {
  const ArrayBlocks b = blocks();
  z2_m_.noalias() = form_.basis.z2.transpose() * b.m;
  m_plus_n_.noalias() = inverses_->m.inverse() * b.n;
  by_constraints_.noalias() = form_.basis.z2.transpose() * b.n;
  by_constraints_.noalias() -= z2_m_ * m_plus_n_;
}

Evaluation ReducedWorkspace::jacobian(double t, std::span<const double> x,
                                      std::span<const double> xdot, std::span<double> df_dx,
                                      std::span<double> df_dxdot) {
  if (locks_have_changed_) follow_locks(t, x);
  if (!raw_->jacobian(t, x, xdot, a_raw_, b_raw_)) return Evaluation::out_of_domain(0);
  if (const Evaluation inner = find_higher(t, x, Precision::converged); !inner) return inner;
  if (!renew_inverse(t, x)) return Evaluation::out_of_domain(0);
  const auto d = system_.ranks().d, a = system_.ranks().a, u = n_ - a - d;
  of_x_.setZero();
  of_xdot_.setZero();
  const CscPattern& p = system_.raw().pattern();
  for (Eigen::Index column = 0; column < n_; ++column) {
    const auto c = static_cast<std::size_t>(column);
    const auto end = static_cast<std::size_t>(p.column_start[c + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[c]); s < end; ++s) {
      of_x_(p.row[s], column) = row_unit_[p.row[s]] * a_raw_[s];
      of_xdot_(p.row[s], column) = row_unit_[p.row[s]] * b_raw_[s];
    }
  }
  Eigen::Map<Matrix> by_x(df_dx.data(), n_, n_), by_xdot(df_dxdot.data(), n_, n_);
  by_xdot.setZero();
  by_x.topRows(d).noalias() = form_.basis.z1.transpose() * of_x_;
  by_xdot.topRows(d).noalias() = form_.basis.z1.transpose() * of_xdot_;
  write_constraint_jacobian();
  for (Eigen::Index j = 0; j < n_; ++j) {
    by_x.col(j).segment(d, a) = by_constraints_.col(j) / unit_[j];
  }
  by_x.bottomRows(u) = form_.r3;
  if (!by_x.allFinite() || !by_xdot.allFinite()) return Evaluation::out_of_domain(0);
  return Evaluation::ok();
}

// ---- points on their way to the user -------------------------------------------------------------------

Evaluation ReducedWorkspace::project(double t, std::span<double> x, std::span<double> xdot,
                                     double& moved) {
  if (locks_have_changed_) follow_locks(t, x);
  // The engine goes on with what it had.
  y_before_projection_ = y();
  const double t_y = t_y_;
  const bool slow = slow_;
  const Evaluation done = move_onto_constraints(t, x, moved);
  if (done) {
    for (Eigen::Index j = 0; j < n_; ++j) {
      xdot[static_cast<std::size_t>(j)] =
          y()[j] * unit_[j] * power_of_two<double>(-scaling_.time_exponent);
    }
  }
  inverses_ = &frozen_;
  y() = y_before_projection_;
  t_y_ = t_y;
  slow_ = slow;
  return done;
}

/// dR2/dx in nominal units is L Q^T; the smallest change that makes up for r is Q L^-1 r.
void ReducedWorkspace::write_correction() {
  const auto a = system_.ranks().a;
  inverses_->has_correction = true;
  if (a == 0) return;
  scaled_transposed_ = by_constraints_.transpose();
  for (Eigen::Index j = 0; j < n_; ++j) scaled_transposed_.row(j) *= nominal_[j] / unit_[j];
  qr_of_correction_.compute(scaled_transposed_);
  correction_rhs_.setIdentity();
  qr_of_correction_.matrixQR().topRows(a).triangularView<Eigen::Upper>().transpose().solveInPlace(
      correction_rhs_);
  correction_q_.setIdentity();
  qr_of_correction_.householderQ().applyThisOnTheLeft(correction_q_, work_);
  inverses_->correction.noalias() = correction_q_ * correction_rhs_;
}

/// Newton on R2 with the smallest change of x; y follows.
Evaluation ReducedWorkspace::move_onto_constraints(double t, std::span<double> x, double& moved) {
  constexpr int most_sweeps = 10;
  constexpr double settled = 1e-14;  // in nominal units
  moved = 0.0;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_sweeps; ++k) {
    if (const Evaluation inner = find_higher(t, x, Precision::exact); !inner) return inner;
    if (last <= settled) return Evaluation::ok();
    const bool is_fresh = !inverses_->has_correction;
    if (is_fresh) {
      inverses_ = &local_;
      if (!renew_inverse(t, x)) return Evaluation::out_of_domain(0);
      write_constraint_jacobian();
      write_correction();
    }
    r2_.noalias() = form_.basis.z2.transpose() * phi();
    change_.noalias() = inverses_->correction * r2_;
    const double size = change_.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return Evaluation::out_of_domain(0);
    for (Eigen::Index j = 0; j < n_; ++j) {
      x[static_cast<std::size_t>(j)] -= nominal_[j] * change_[j];
    }
    moved = std::max(moved, size);
    // Slow: with a matrix of this point. What does not shrink then is rounding.
    if (size > slow_contraction * last) {
      if (is_fresh && size > 0.5 * last) return find_higher(t, x, Precision::exact);
      inverses_->has_correction = false;
    }
    last = size;
  }
  return find_higher(t, x, Precision::exact);
}

}  // namespace saltus::detail
