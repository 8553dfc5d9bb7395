// Computes the system Jacobian, by which numbers confirm or refute the result of the Sigma-method.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/numerics/sparse.hpp>
#include <saltus/structure/sigma_method.hpp>

namespace saltus {

/// J_ij = dF_i / dx_j^(order_ij) where d_j - c_i = order_ij, else 0. If J is regular at a
/// consistent point, the offsets are correct there. Rows are equations, columns unknowns.
struct SystemJacobian {
  CscPattern pattern;
  std::vector<std::uint32_t> order;  // per slot of the pattern: of the derivative of the unknown
};
SystemJacobian system_jacobian(const SignatureMatrix& signature, const SigmaOffsets& offsets);

}  // namespace saltus
