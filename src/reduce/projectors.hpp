// Bases of the parts of a strangeness-free form, from a derivative array of known ranks.
#pragma once

#include <eigen3/Eigen/Dense>

#include "reduce/dense_matrix.hpp"
#include "reduce/level_ranks.hpp"

namespace saltus::detail {

/// Orthonormal columns, in scaled equations and unknowns.
struct Projectors {
  Eigen::MatrixXd z2;  // Z2^T Phi = 0 are the a algebraic equations
  Eigen::MatrixXd t2;  // n - a directions that they leave free
  Eigen::MatrixXd z1;  // Z1^T Phi_0 = 0 are the d differential equations
  Eigen::MatrixXd w;   // Z1^T E: the differential content of x is w x
};

/// `array`: as for level_ranks, whose ranks are taken as decided: the first singular vectors count.
Projectors projectors(const DenseMatrix<double>& array, std::size_t n_unknowns,
                      const LevelRanks& ranks);

Eigen::MatrixXd to_eigen(const DenseMatrix<double>& matrix);

}  // namespace saltus::detail
