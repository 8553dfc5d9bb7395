// The way back onto the constraints of a reduced system.
#pragma once

#include <span>

#include "reduce/reduced/higher_derivatives.hpp"

namespace saltus::detail {

/// The constraints R2(t, x) = Z2^T F(t, x, y(x)): their Jacobian, and the smallest change of x that meets them.
class ConstraintCorrection {
 public:
  using Matrix = Eigen::MatrixXd;

  ConstraintCorrection(ArrayAtPoint& array, HigherDerivatives& higher, const ProjectorRanks& ranks);

  /// dR2/dx where the array was linearised last, scaled columns; exact on the solution set.
  void write_jacobian(const Matrix& z2);
  const Matrix& jacobian() const { return jacobian_; }
  /// M^+ N there.
  const Matrix& m_plus_n() const { return m_plus_n_; }
  /// The correction that belongs to the Jacobian, into the inverses in use.
  void write_correction();

  /// Newton's method on R2 with the smallest change of x; y follows. `moved`: the largest change, in nominal units.
  Evaluation move_onto(const Matrix& z2, double t, std::span<double> x, double& moved);

 private:
  ArrayAtPoint& array_;
  HigherDerivatives& higher_;
  Matrix z2_m_, m_plus_n_, jacobian_;
  Matrix scaled_transposed_, rhs_, q_;
  Eigen::HouseholderQR<Matrix> qr_;
  Eigen::RowVectorXd work_;
  Eigen::VectorXd r2_, change_;
};

}  // namespace saltus::detail
