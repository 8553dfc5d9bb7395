// The derivative array of a run at its present point.
#pragma once

#include <span>
#include <vector>

#include <saltus/system/system.hpp>

#include "numerics/eigen.hpp"
#include "reduce/array/projectors.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

/// Holds a point, x and its higher derivatives y, in scaled unknowns; the values of the array there, and its Jacobian
/// where it was linearised last.
class ArrayAtPoint {
 public:
  using Vector = Eigen::VectorXd;

  ArrayAtPoint(const System& raw, Workspace& workspace, const IndexAnalysis& analysis, double t);

  /// At the present y.
  Evaluation evaluate(double t, std::span<const double> x);
  Evaluation linearize(double t, std::span<const double> x);

  Eigen::VectorBlock<Vector> y() { return xi_.tail(xi_.size() - n_); }
  const Vector& xi() const { return xi_; }
  Eigen::Map<const Vector> phi() const {
    return {phi_.data(), static_cast<Eigen::Index>(phi_.size())};
  }
  const DenseMatrix<double>& matrix() const { return matrix_; }
  ArrayBlocks blocks() const {
    return blocks_of(matrix_, array_.n_equations(), array_.n_unknowns());
  }

  int level() const { return level_; }
  Eigen::Index n_unknowns() const { return n_; }
  Eigen::Index n_equations() const { return m_; }
  const ArrayScaling& scaling() const { return scaling_; }
  /// Of unknowns: their nominal values, and what one scaled unit is.
  const Vector& nominal() const { return nominal_; }
  const Vector& unit() const { return unit_; }
  const Vector& row_unit() const { return row_unit_; }

 private:
  const ArrayScaling& scaling_;
  int level_;
  Eigen::Index n_, m_;
  ScaledArray<double> array_;
  ArrayCoefficients<double> coefficients_;
  DenseMatrix<double> matrix_;
  Vector nominal_, unit_, row_unit_;
  Vector xi_;  // x_0 and y
  std::vector<double> phi_;
};

}  // namespace saltus::detail
