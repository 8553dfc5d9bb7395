// Combines a system with the time derivatives of its equations that its structure requires.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <saltus/system/system.hpp>

namespace saltus {

/// Equation i is differentiated c_i times, variable j occurs up to its derivative of order d_j, and
/// every lower derivative is an unknown of its own (offsets of the Sigma-method). The rows of
/// `system` are first the equations and their derivatives, which contain no x', then one tie x_u' -
/// x_v = 0 for every unknown u whose derivative is the unknown v. There are more equations than
/// unknowns, by the sum of all c_i: constraints make this number of ties redundant. The choice of
/// states decides which ones are left out (reduce/selected_states.hpp).
struct DifferentiatedSystem {
  static constexpr std::uint32_t none = 0xffffffffU;

  std::shared_ptr<const System> system;
  /// Per row of an equation: the row that is its time derivative, or none.
  std::vector<std::uint32_t> derivative_row;
  /// Per unknown: the unknown that is its time derivative, or none.
  std::vector<std::uint32_t> derivative_unknown;
  /// Per unknown: the row that ties it to its derivative, or none.
  std::vector<std::uint32_t> tie_row;
  /// The structural index: max c_i, plus 1 if some variable has no derivative.
  std::uint32_t index = 0;
  std::uint32_t degrees_of_freedom = 0;

  std::uint32_t n_equation_rows() const {
    return static_cast<std::uint32_t>(derivative_row.size());
  }
};

}  // namespace saltus
