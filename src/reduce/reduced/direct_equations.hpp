// The equations of the raw system themselves, scaled: the differential equations of a reduced one are among them.
#pragma once

#include <span>
#include <vector>

#include <saltus/system/system.hpp>

#include "numerics/eigen.hpp"

namespace saltus::detail {

class DirectEquations {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  /// `row_unit`: what a row is multiplied by.
  DirectEquations(const System& raw, Workspace& workspace, const Vector& row_unit)
      : raw_(raw),
        workspace_(workspace),
        row_unit_(row_unit),
        f_raw_(raw.n_equations()),
        a_raw_(static_cast<std::size_t>(raw.pattern().nnz())),
        b_raw_(a_raw_.size()),
        f_(row_unit.size()),
        of_x_(row_unit.size(), raw.size()),
        of_xdot_(row_unit.size(), raw.size()) {}

  Evaluation evaluate(double t, std::span<const double> x, std::span<const double> xdot) {
    const Evaluation done = workspace_.residual(t, x, xdot, f_raw_);
    if (done) f_ = Eigen::Map<const Vector>(f_raw_.data(), f_.size()).cwiseProduct(row_unit_);
    return done;
  }
  Evaluation linearize(double t, std::span<const double> x, std::span<const double> xdot);

  const Vector& f() const { return f_; }
  const Matrix& of_x() const { return of_x_; }
  const Matrix& of_xdot() const { return of_xdot_; }

 private:
  const System& raw_;
  Workspace& workspace_;
  const Vector& row_unit_;
  std::vector<double> f_raw_, a_raw_, b_raw_;
  Vector f_;
  Matrix of_x_, of_xdot_;
};

inline Evaluation DirectEquations::linearize(double t, std::span<const double> x,
                                             std::span<const double> xdot) {
  const Evaluation done = workspace_.jacobian(t, x, xdot, a_raw_, b_raw_);
  if (!done) return done;
  of_x_.setZero();
  of_xdot_.setZero();
  const CscPattern& p = raw_.pattern();
  for (Eigen::Index column = 0; column < of_x_.cols(); ++column) {
    const auto c = static_cast<std::size_t>(column);
    const auto end = static_cast<std::size_t>(p.column_start[c + 1]);
    for (auto s = static_cast<std::size_t>(p.column_start[c]); s < end; ++s) {
      of_x_(p.row[s], column) = row_unit_[p.row[s]] * a_raw_[s];
      of_xdot_(p.row[s], column) = row_unit_[p.row[s]] * b_raw_[s];
    }
  }
  return done;
}

}  // namespace saltus::detail
