// Damped Gauss-Newton with steps of smallest norm on a derivative array.
#pragma once

#include <vector>

#include "numerics/eigen.hpp"
#include "reduce/start/limit_rows.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

struct GaussNewtonProblem {
  ScaledArray<double>& array;
  int level;
  const ArrayScaling& scaling;
  bool x_moves;
  Eigen::VectorXd wish;             // of xi_0
  const Eigen::MatrixXd& kept;      // rows that hold kept (xi_0 - wish) at zero
  std::vector<std::uint8_t> fixed;  // or empty
  int max_iterations;
  Eigen::VectorXd shift = {};  // Phi - shift is brought to zero; empty: Phi, and what is kept
  LimitRows* limit = nullptr;  // rows below those of the array, counted as part of Phi
};

struct GaussNewtonEnd {
  bool converged = false;
  Evaluation trouble = Evaluation::ok();  // at the first point
  int n_iterations = 0;
  /// |Phi_i| / (1 + sum_j |dPhi_i/dxi_j xi_j|) at the end.
  std::vector<double> relative_residual;
  /// No step that the monotonicity test allows was left.
  bool stuck = false;
  double worst() const;
};

/// Improves xi. Steps are damped by the natural monotonicity test: with the pseudoinverse of the
/// step, |J+ Phi(xi + lambda dxi)| <= (1 - lambda / 4) |dxi|, lambda >= 2^-12. Near a solution a matrix that
/// contracts by 100 serves the next step too: a linear array takes one step, and one residual that shows it.
GaussNewtonEnd gauss_newton(const GaussNewtonProblem& problem, Eigen::VectorXd& xi);

/// Along Phi(xi) = (1 - s) Phi(xi_0) from s = 0, where xi_0 is a solution, to s = 1: for starts from which
/// damped steps get stuck. The last equation solved is that of s = 1, from the last point reached.
GaussNewtonEnd gauss_newton_by_homotopy(GaussNewtonProblem problem, Eigen::VectorXd& xi);

/// Phi: the rows of the array, then those of the limits. `row` of a failed evaluation counts the limits
/// from n_equations() on.
Evaluation stacked_residual(const GaussNewtonProblem& problem, const Eigen::VectorXd& xi,
                            Eigen::VectorXd& phi);
/// dPhi/dxi.
Evaluation stacked_jacobian(const GaussNewtonProblem& problem, const Eigen::VectorXd& xi,
                            Eigen::MatrixXd& jacobian);

/// The matrix of a step: the Jacobian with the rows of what is kept below it; columns of unknowns that
/// must not move are zero, and so is their part of a solution of smallest norm.
Eigen::MatrixXd step_matrix(const GaussNewtonProblem& problem, const Eigen::MatrixXd& jacobian);

/// The decomposition that all steps use: singular directions below 1e-11 of the largest are left
/// alone.
Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> step_decomposition(
    const Eigen::MatrixXd& matrix);

/// 1 + sum_j |J_ij xi_j| for the rows of a Jacobian.
std::vector<double> row_sizes(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& xi);

}  // namespace saltus::detail
