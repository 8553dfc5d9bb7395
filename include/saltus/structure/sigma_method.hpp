// Structural analysis of equations by the highest derivatives that occur in them (Pryce's Sigma-method).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace saltus {

/// Row by row: the unknowns of an equation, each with the highest order of its derivative there.
struct SignatureMatrix {
  struct Entry {
    std::uint32_t unknown;
    std::uint32_t order;
  };
  std::uint32_t n_unknowns = 0;
  std::vector<std::uint32_t> row_start = {0};
  std::vector<Entry> entries;

  std::uint32_t n_equations() const { return static_cast<std::uint32_t>(row_start.size() - 1); }
  std::span<const Entry> row(std::uint32_t i) const {
    return {entries.data() + row_start[i], row_start[i + 1] - row_start[i]};
  }
};

/// Offsets: equation i is differentiated c_i times, unknown j is needed up to order d_j; the smallest
/// with d_j - c_i >= order, equality on a transversal of highest value.
struct SigmaOffsets {
  std::vector<std::uint32_t> equation;   // c
  std::vector<std::uint32_t> unknown;    // d
  std::vector<std::uint32_t> matched;    // the equation matched with each unknown
  std::uint32_t degrees_of_freedom = 0;  // sum d - sum c
  std::uint32_t index = 0;               // max c, plus 1 if some d_j is 0
};

/// Empty if there is no transversal: the equations are structurally singular (see blocks.hpp).
std::optional<SigmaOffsets> sigma_method(const SignatureMatrix& signature);

}  // namespace saltus
