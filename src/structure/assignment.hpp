// Transversals of highest value: the assignment problem of Pryce's method on sparse blocks.
#pragma once

#include <cstdint>
#include <vector>

#include <saltus/structure/blocks.hpp>

namespace saltus::detail {

/// Potentials c, d with d_j - c_i >= order_ij for every entry, equality on the transversal: they
/// prove that its value is highest.
struct Transversal {
  std::vector<std::uint32_t> unknown_of;          // per equation
  std::vector<std::uint32_t> equation_of;         // per unknown
  std::vector<std::uint32_t> equation_potential;  // c
  std::vector<std::uint32_t> unknown_potential;   // d
  std::uint64_t entries_read = 0;
  std::uint32_t n_passes = 0;  // most in one block
};

/// Entries between blocks must have been removed from `diagonal`, and each block must have a
/// perfect matching. Blocks need not be irreducible: one block is a correct, slower choice.
Transversal highest_value_transversal(const SignatureMatrix& diagonal,
                                      const BlockTriangularForm& form);

}  // namespace saltus::detail
