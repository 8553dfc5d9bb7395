#include "reduce/reduced_workspace.hpp"

#include <eigen3/Eigen/QR>

#include <algorithm>
#include <cmath>

#include "reduce/reduced_system.hpp"

namespace saltus::detail {

namespace {

// The inner iteration: an inexact y degrades everything built on it.
constexpr double inner_tolerance = 1e-13;
constexpr int most_inner_iterations = 20;
constexpr double slow_contraction = 0.2;
// Projectors are renewed when a direction has turned by 37 degrees. They are looked at after every step
// where that is cheap: at loose tolerances a pendulum turns by a radian in two steps. Large arrays
// are looked at every so many steps, and whenever the inner iteration was slow.
constexpr double least_agreement = 0.8;
constexpr Eigen::Index cheap_rows = 80;
constexpr int steps_between_looks = 5;

}  // namespace

ReducedWorkspace::ReducedWorkspace(const ReducedSystem& system)
    : system_(system),
      raw_(system.raw().workspace()),
      levels_(*raw_->ability<DerivativeLevels<double>>()),
      array_(system.raw(), system.analysis().values.mu, system.analysis().scaling),
      projectors_(system.projectors()),
      row_space_(system.row_space()),
      x_reference_(system.start_values().x),
      y_(array_.scaled_higher(system.analysis().path)),
      y_good_(y_),
      t_y_(system.t_start()),
      t_good_(t_y_),
      f_array_(array_.n_rows()),
      f_scaled_(array_.n_equations()),
      step_(array_.n_higher()),
      f_raw_(static_cast<std::size_t>(array_.n_equations())),
      a_raw_(static_cast<std::size_t>(system.raw().pattern().nnz())),
      b_raw_(a_raw_.size()) {
  offer<StepRefresh>(*this);
  offer<OutputProjection>(*this);
  if (auto* scheduled = raw_->ability<ScheduledTimes>()) offer<ScheduledTimes>(*scheduled);
  if (auto* held = raw_->ability<HeldValues>()) offer<HeldValues>(*held);
}

/// y at another time, along its own series; then without what M does not see.
void ReducedWorkspace::shift_to(double t) {
  const double dt = t - t_y_;
  const int top = array_.level() + 1;
  const Eigen::Index n = array_.n();
  if (dt != 0.0) {
    // x_j(t + dt) = sum_i C(i, j) x_i dt^(i - j), in scaled coefficients.
    const double step = std::ldexp(dt, -system_.analysis().scaling.time_exponent);
    for (int j = 1; j <= top; ++j) {
      for (Eigen::Index k = 0; k < n; ++k) {
        double sum = 0.0, binomial = 1.0, power = 1.0;
        for (int i = j; i <= top; ++i) {
          sum += binomial * power * y_[(i - 1) * n + k];
          binomial = binomial * (i + 1) / (i + 1 - j);
          power *= step;
        }
        step_[(j - 1) * n + k] = sum;
      }
    }
    y_.swap(step_);
  }
  step_.noalias() = row_space_ * y_;
  y_.swap(step_);
  t_y_ = t;
}

Evaluation ReducedWorkspace::renew_inverse(double t, std::span<const double> x) {
  const Evaluation done = array_.linearize(levels_, t, x, y_);
  if (!done) return done;
  projectors_.m_plus = pseudo_inverse(array_.by_higher(), system_.rank_of_m());
  row_space_ = projectors_.m_plus * array_.by_higher();
  return done;
}

/// y <- y - M^+ F(t, x, y) with the frozen inverse. True once converged; false if it has to be tried
/// with another.
bool ReducedWorkspace::iterate(double t, std::span<const double> x, bool& out_of_domain) {
  double last = 0.0;
  for (int k = 0; k < most_inner_iterations; ++k) {
    if (!array_.residual(levels_, t, x, y_, f_array_)) {
      out_of_domain = true;
      return false;
    }
    step_.noalias() = projectors_.m_plus * f_array_;
    const double size = step_.norm();
    if (!std::isfinite(size)) return false;
    y_ -= step_;
    const double scale = 1.0 + y_.norm();
    if (size <= inner_tolerance * scale) return true;
    // Rounding: it does not get any smaller.
    if (k > 0 && size > 0.5 * last && size <= 100 * inner_tolerance * scale) return true;
    if (k > 0 && size > slow_contraction * last) return false;
    last = size;
  }
  return false;
}

Evaluation ReducedWorkspace::find_higher(double t, std::span<const double> x) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (attempt == 0) shift_to(t);
    bool out_of_domain = false;
    if (iterate(t, x, out_of_domain)) {
      // With the y converged to, f is what is left of the constraints.
      if (!array_.residual(levels_, t, x, y_, f_array_)) break;
      return Evaluation::ok();
    }
    slow_ = true;
    if (out_of_domain || !y_.allFinite()) {
      y_ = y_good_;
      t_y_ = t_good_;
      shift_to(t);
    }
    if (!renew_inverse(t, x)) break;
  }
  y_ = y_good_;
  t_y_ = t_good_;
  return Evaluation::out_of_domain(static_cast<std::uint32_t>(system_.analysis().values.d));
}

void ReducedWorkspace::write_scaled(std::span<const double> raw_f) {
  for (Eigen::Index i = 0; i < array_.n_equations(); ++i) {
    f_scaled_[i] = raw_f[static_cast<std::size_t>(i)] * array_.row_scale(i);
  }
}

Evaluation ReducedWorkspace::residual(double t, std::span<const double> x,
                                      std::span<const double> xdot, std::span<double> f) {
  const Evaluation direct = raw_->residual(t, x, xdot, f_raw_);
  if (!direct) return Evaluation::out_of_domain(0);
  write_scaled(f_raw_);
  const Evaluation inner = find_higher(t, x);
  if (!inner) return inner;
  const auto d = projectors_.z1.cols(), a = projectors_.z2.cols(), u = projectors_.t3.cols();
  Eigen::Map<Vector> out(f.data(), array_.n());
  out.head(d).noalias() = projectors_.z1.transpose() * f_scaled_;
  out.segment(d, a).noalias() = projectors_.z2.transpose() * f_array_;
  if (u > 0) {
    const Eigen::Map<const Vector> now(x.data(), array_.n());
    const Eigen::Map<const Vector> reference(x_reference_.data(), array_.n());
    out.tail(u).noalias() = projectors_.t3.transpose() * (now - reference);
  }
  if (!out.allFinite()) return Evaluation::out_of_domain(0);
  return Evaluation::ok();
}

ReducedWorkspace::Matrix ReducedWorkspace::constraint_jacobian() const {
  const Matrix along = array_.by_x() - array_.by_higher() * (projectors_.m_plus * array_.by_x());
  return projectors_.z2.transpose() * along;
}

Evaluation ReducedWorkspace::jacobian(double t, std::span<const double> x,
                                      std::span<const double> xdot, std::span<double> df_dx,
                                      std::span<double> df_dxdot) {
  if (!raw_->jacobian(t, x, xdot, a_raw_, b_raw_)) return Evaluation::out_of_domain(0);
  if (const Evaluation inner = find_higher(t, x); !inner) return inner;
  if (!renew_inverse(t, x)) return Evaluation::out_of_domain(0);
  const auto d = projectors_.z1.cols(), a = projectors_.z2.cols(), u = projectors_.t3.cols();
  const Eigen::Index n = array_.n();
  Matrix of_x = Matrix::Zero(array_.n_equations(), n), of_xdot = of_x;
  const CscPattern& p = system_.raw().pattern();
  for (Eigen::Index column = 0; column < n; ++column) {
    const auto c = static_cast<std::size_t>(column);
    const auto end = static_cast<std::size_t>(p.column_start[c + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[c]); s < end; ++s) {
      of_x(p.row[s], column) = array_.row_scale(p.row[s]) * a_raw_[s];
      of_xdot(p.row[s], column) = array_.row_scale(p.row[s]) * b_raw_[s];
    }
  }
  Eigen::Map<Matrix> by_x(df_dx.data(), n, n), by_xdot(df_dxdot.data(), n, n);
  by_xdot.setZero();
  by_x.topRows(d).noalias() = projectors_.z1.transpose() * of_x;
  by_xdot.topRows(d).noalias() = projectors_.z1.transpose() * of_xdot;
  by_x.middleRows(d, a) = constraint_jacobian();
  by_x.bottomRows(u) = projectors_.t3.transpose();
  if (!by_x.allFinite() || !by_xdot.allFinite()) return Evaluation::out_of_domain(0);
  return Evaluation::ok();
}

StepRefresh::Answer ReducedWorkspace::step_accepted(double t, std::span<const double> x,
                                                    std::span<const double>) {
  if (!find_higher(t, x)) return Answer::unchanged;
  y_good_ = y_;
  t_good_ = t_y_;
  const bool cheap = array_.n_rows() <= cheap_rows;
  if (++steps_since_look_ < steps_between_looks && !slow_ && !cheap) return Answer::unchanged;
  steps_since_look_ = 0;
  slow_ = false;
  if (!array_.linearize(levels_, t, x, y_)) return Answer::unchanged;
  FrozenProjectors now = projectors_at(array_, system_.analysis().values, system_.rank_of_m());
  if (now.agreement_with(projectors_) >= least_agreement) return Answer::unchanged;
  now.align_with(projectors_);
  projectors_ = std::move(now);
  row_space_ = projectors_.m_plus * array_.by_higher();
  x_reference_.assign(x.begin(), x.end());
  return Answer::new_jacobian;
}

Evaluation ReducedWorkspace::project(double t, std::span<double> x, std::span<double> xdot,
                                     double& moved) {
  // The engine goes on with what it had frozen.
  const Matrix inverse = projectors_.m_plus, row_space = row_space_;
  const Vector y = y_;
  const double t_y = t_y_;
  const bool slow = slow_;
  const Evaluation done = move_onto_constraints(t, x, xdot, moved);
  projectors_.m_plus = inverse;
  row_space_ = row_space;
  y_ = y;
  t_y_ = t_y;
  slow_ = slow;
  return done;
}

/// Gauss-Newton on R2, the smallest change of x; then x' as the array has it.
Evaluation ReducedWorkspace::move_onto_constraints(double t, std::span<double> x,
                                                   std::span<double> xdot, double& moved) {
  constexpr int most_sweeps = 6;
  constexpr double settled = 1e-14;  // in nominal units
  const Eigen::Index n = array_.n();
  moved = 0.0;
  double last = 1.0;
  for (int k = 0; k < most_sweeps && last > settled; ++k) {
    if (const Evaluation inner = find_higher(t, x); !inner) return inner;
    if (!renew_inverse(t, x)) return Evaluation::out_of_domain(0);
    last = 0.0;
    Matrix by_x = constraint_jacobian();
    // The smallest change in units of each unknown.
    for (Eigen::Index j = 0; j < n; ++j) {
      by_x.col(j) *= system_.nominal(static_cast<std::uint32_t>(j));
    }
    const Vector r2 = projectors_.z2.transpose() * f_array_;
    const Vector change = by_x.completeOrthogonalDecomposition().solve(-r2);
    for (Eigen::Index j = 0; j < n; ++j) {
      const double nominal = system_.nominal(static_cast<std::uint32_t>(j));
      x[static_cast<std::size_t>(j)] += nominal * change[j];
      last = std::max(last, std::abs(change[j]));
    }
    moved = std::max(moved, last);
  }
  if (const Evaluation inner = find_higher(t, x); !inner) return inner;
  for (Eigen::Index j = 0; j < n; ++j) {
    xdot[static_cast<std::size_t>(j)] = array_.coefficient(y_, 1, j);
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
