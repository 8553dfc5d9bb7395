// The derivative array of a level in scaled double precision, as dense matrices.
#pragma once

#include <eigen3/Eigen/Core>

#include <span>
#include <vector>

#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/abilities.hpp>
#include <saltus/system/system.hpp>

namespace saltus::detail {

/// Rows are F_k of equation i times 2^row 2^(k time); higher coefficients x_j, j >= 1, are
/// 2^(column - j time) times what the matrices see. x_0 and x' stay in their own units.
class ReducedArray {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  ReducedArray(const System& system, int level, ArrayScaling scaling);

  int level() const { return level_; }
  Eigen::Index n() const { return n_; }
  Eigen::Index n_equations() const { return m_; }
  Eigen::Index n_rows() const { return m_ * (level_ + 1); }
  Eigen::Index n_higher() const { return n_ * (level_ + 1); }

  /// f of the array at (x, y), y scaled.
  Evaluation residual(DerivativeLevels<double>& levels, double t, std::span<const double> x,
                      const Vector& y, Vector& f);
  /// The matrices below at (x, y).
  Evaluation linearize(DerivativeLevels<double>& levels, double t, std::span<const double> x,
                       const Vector& y);
  const Matrix& by_higher() const { return m_matrix_; }  // M
  const Matrix& by_x() const { return n_matrix_; }       // N
  const Matrix& by_xdot() const { return e_; }           // dF/dx' of level 0, rows scaled

  /// x_j, j >= 1, in their own units.
  double coefficient(const Vector& y, int j, Eigen::Index unknown) const;
  Vector scaled_higher(std::span<const double> path) const;
  double row_scale(Eigen::Index equation) const { return row_[static_cast<std::size_t>(equation)]; }

 private:
  double time_power(int k) const;
  void write_path(std::span<const double> x, const Vector& y);

  const CscPattern& pattern_;
  int level_;
  Eigen::Index n_, m_;
  std::vector<double> row_, column_;
  int time_exponent_;
  std::vector<double> path_, f_, a_, b_;
  Matrix m_matrix_, n_matrix_, e_;
};

}  // namespace saltus::detail
