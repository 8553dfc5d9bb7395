// Singular values by Jacobi rotations.
//
// Not by Eigen's divide and conquer: where singular values coincide, as those of equal parts of a model do, BDCSVD
// of Eigen 3.4.0 reads before the begin of its permutation (perturbCol0, perm(l - 1) with l = 0), and what comes out is
// not orthogonal. Rotations take up to ten times as long on dense matrices of some hundred rows, far less than ranks in
// quad precision, and are faster on those with few entries.
#pragma once

#include "numerics/eigen.hpp"

namespace saltus::detail {

using RealSvd = Eigen::JacobiSVD<Eigen::MatrixXd>;
using ComplexSvd = Eigen::JacobiSVD<Eigen::MatrixXcd>;

}  // namespace saltus::detail
