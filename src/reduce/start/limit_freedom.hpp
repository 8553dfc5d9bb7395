// What fixed values and equations between limits leave undetermined of a consistent start.
//
// T2 spans the directions that the algebraic equations leave free, W T2 what of them is differential
// content. With S the rows of the fixed unknowns and R = drho/dxi of the equations,
//
//   rank [R T2; S T2; W T2] - rank [R T2; S T2]
//
// equations are missing: unknowns that nothing determines, also later on, are not counted.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/eigen.hpp"

namespace saltus::detail {

struct LimitFreedom {
  std::uint32_t n_missing = 0;
  /// Unknowns that move along the directions left, the largest part first.
  std::vector<std::uint32_t> unknowns;
};

/// `t2` with orthonormal columns, rows of `equations` and `content` of size one or so.
LimitFreedom limit_freedom(const Eigen::MatrixXd& t2, const Eigen::MatrixXd& equations,
                           const std::vector<std::uint8_t>& fixed, const Eigen::MatrixXd& content);

}  // namespace saltus::detail
