// What of x a consistent start keeps: W x with W = Z1^T E, orders of differentiation told apart.
//
// Orthonormal Z1 alone would let an inconsistent velocity move positions, since the constraints on
// velocities turn with the position. Equations of velocities therefore count less by 2^-10 for each order
// that separates the unknown they differentiate from the constraints: with x^2 + y^2 = 1, x' = u, u' = …, the
// row of x' has order 0, that of u' order 1. In the limit positions give way to constraints on positions
// only, velocities to those on velocities: the order in which impulses would act.
#pragma once

#include <vector>

#include <saltus/numerics/sparse.hpp>

#include "numerics/eigen.hpp"
#include "reduce/dense_matrix.hpp"
#include "reduce/level_ranks.hpp"

namespace saltus::detail {

/// Orders of the equations. Unknowns of an equation without derivatives have order 0; in an equation of
/// derivatives of order k at least, those without derivative there have order k + 1 at most.
std::vector<int> differentiation_orders(const CscPattern& pattern, const std::vector<double>& a,
                                        const std::vector<double>& b);

/// `array` and `ranks` as for projectors(), `row_exponent` of its scaling; rows of length one. Equations of
/// one order count as they were written, not as they are scaled: with unit masses a velocity keeps its
/// part along a constraint. (What physics would conserve is policy impulse.)
Eigen::MatrixXd differential_content(const DenseMatrix<double>& array, std::size_t n_unknowns,
                                     const LevelRanks& ranks, const std::vector<int>& orders,
                                     const std::vector<int>& row_exponent);

}  // namespace saltus::detail
