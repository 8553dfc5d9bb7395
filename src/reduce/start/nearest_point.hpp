// The point of a solution set nearest to a wish.
#pragma once

#include "numerics/eigen.hpp"
#include "reduce/start/gauss_newton.hpp"

namespace saltus::detail {

/// Among the points with Phi = 0, kept (xi_0 - wish) = 0 and fixed unknowns in place, moves xi, one of
/// them, to where |weight (xi_0 - wish)| is smallest; the higher coefficients do not count. Steps along the
/// null space of the Jacobian, each followed by a return to the set, halved until the distance shrinks.
/// Exact after one step if the equations are linear.
void move_to_nearest(GaussNewtonProblem problem, const Eigen::VectorXd& weight,
                     Eigen::VectorXd& xi);

}  // namespace saltus::detail
