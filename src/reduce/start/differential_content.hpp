// Which part of x a consistent start keeps: W x, whatever the scaling of the equations.
//
// An inconsistent x has to jump. With x = … + sum_j d_j D_j, D_j = (-1)^j delta^(j) / j!, the jump u_0 of x and the
// impulses d_j on the way meet the equations, linear along the path, if what stands before D_0 … D_mu vanishes:
//
//   sum_i B_i X_{k+i} + sum_i A_i d_{k+i} = 0,  k = 0 … mu,   X_0 = u_0,  X_j = -j d_{j-1},         (I.8)
//
// with the Taylor coefficients A_i of dF/dx and B_i of dF/dx'. The u_0 of its solutions are the directions in which
// the equations can move x at once; there are `a` of them. W annihilates these directions. It is Z1^T dF/dx' for a Z1
// that no scaling of equations changes: a multiple of an equation has the same solutions. Index 1 has no impulses,
// (I.8) is E u_0 = 0, and W x is E x.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include <saltus/numerics/sparse.hpp>

#include "numerics/eigen.hpp"
#include "reduce/matrix/dense_matrix.hpp"
#include "reduce/array/level_ranks.hpp"
#include "reduce/array/scaled_array.hpp"

namespace saltus::detail {

inline constexpr int unconstrained = std::numeric_limits<int>::max();

/// Orders of the unknowns: 0 in an equation without derivatives; in an equation of derivatives of unknowns of order
/// k at least, those without derivative there have order k + 1 at most. With x^2 + y^2 = 1, x' = u, u' = …, x and y
/// have order 0, u has order 1. `unconstrained` for unknowns that no constraint reaches.
std::vector<int> differentiation_orders(const CscPattern& pattern, const std::vector<double>& a,
                                        const std::vector<double>& b);

/// Coefficients along a path, and what is known of their ranks.
struct ContentAt {
  const CscPattern& pattern;
  const ArrayCoefficients<double>& coefficients;
  const ArrayScaling& scaling;
  const LevelRanks& ranks;
  /// One unit of each unknown as its user counts it, in scaled unknowns.
  Eigen::VectorXd unit;
};

/// W in scaled unknowns, d rows of length one. An unknown that does not jump has a row for itself. None where (I.8) does not clearly have `a` directions. Directions that no
/// equation determines do not jump on their own.
std::optional<Eigen::MatrixXd> differential_content(const ContentAt& at,
                                                    const DenseMatrix<double>& array);

/// The part of the unknowns with a derivative along the constraints, each in its own unit: the nearest point keeps
/// it. Where (I.8) does not tell.
Eigen::MatrixXd tangential_content(const ContentAt& at, const DenseMatrix<double>& array,
                                   std::span<const std::uint8_t> has_derivative);

}  // namespace saltus::detail
