// A pencil split into its finite and its infinite part; see pencil.hpp.
#pragma once

#include <string>
#include <vector>

#include <saltus/reduce/pencil.hpp>

#include "numerics/eigen.hpp"

namespace saltus::detail {

/// In units in which coefficients are of size one. Columns of B and rows of C (with C') are brought to
/// size one too: units of inputs and outputs do not matter to ranks.
struct ScaledPencil {
  explicit ScaledPencil(const LinearSystem& system);

  Eigen::MatrixXd e, a, b, c, c_dot;
  int time_exponent = 0;  // an eigenvalue is 2^-time_exponent times that of the scaled pencil
};

/// Of a regular pencil, decoupled: E_f z' = A_f z + B_f u, y = C_f z + D u + …, where C_f z contains
/// C' z' by the differential equation.
struct FinitePart {
  Eigen::MatrixXd e, a, b, c;
};

struct Deflation {
  bool regular = false;
  std::vector<Eigen::Index> deflated;  // eigenvalues at infinity found at each stage
  FinitePart finite;
  Eigen::MatrixXd kernel, left_kernel;  // of E
  std::vector<RankDecision> decisions;
};

/// E and A are square.
Deflation deflate_infinite(const ScaledPencil& pencil);

}  // namespace saltus::detail
