// Which fixed start values, or equations between limits, make a derivative array unsolvable.
#pragma once

#include <cstdint>
#include <vector>

#include "reduce/start/gauss_newton.hpp"

namespace saltus::detail {

/// At a point that no step improves: with J without the fixed columns and r = (I - J J+) Phi what is left
/// of the residual, the fixed unknowns i with large |dPhi/dxi_i . r|: r lies in the left null space of J,
/// and moving them would reduce it. Largest first; empty if none would help.
std::vector<std::uint32_t> fixed_to_blame(const GaussNewtonProblem& problem,
                                          const Eigen::VectorXd& xi);

/// The equations between limits that take part in r.
std::vector<std::uint32_t> limits_to_blame(const GaussNewtonProblem& problem,
                                           const Eigen::VectorXd& xi);

/// The first seen from a consistent point: left null vectors Z of J without the fixed columns, pulled back
/// through these, C = Z^T dPhi/dxi_fixed, and weighted by how much the wish violates each of them,
/// C^T C (wish - xi)_fixed. Names all that take part in a contradiction, also where a compromise far
/// away would hide some of them.
std::vector<std::uint32_t> fixed_to_blame_near(const GaussNewtonProblem& problem,
                                               const Eigen::VectorXd& consistent);

}  // namespace saltus::detail
