// Analyses the structure of equations by the highest derivatives that occur in them (Pryce's
// Sigma-method, BIT 41 (2001) 364-394).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace saltus {

/// Lists, row by row, the unknowns of an equation, ascending, each once, with the highest order of
/// its derivative there.
struct SignatureMatrix {
  struct Entry {
    std::uint32_t unknown;
    std::uint32_t order;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::uint32_t n_unknowns = 0;
  std::vector<std::uint32_t> row_start = {0};
  std::vector<Entry> entries;

  std::uint32_t n_equations() const { return static_cast<std::uint32_t>(row_start.size() - 1); }
  std::span<const Entry> row(std::uint32_t i) const {
    return {entries.data() + row_start[i], row_start[i + 1] - row_start[i]};
  }
  /// Ends the row of the entries appended since the last call.
  void end_row() { row_start.push_back(static_cast<std::uint32_t>(entries.size())); }
};

/// The offsets: equation i is differentiated c_i times, and unknown j is needed up to order d_j.
/// They are the smallest with d_j - c_i >= order, with equality on a transversal of highest value.
struct SigmaOffsets {
  std::vector<std::uint32_t> equation;   // c
  std::vector<std::uint32_t> unknown;    // d
  std::vector<std::uint32_t> matched;    // the equation matched with each unknown
  std::uint32_t degrees_of_freedom = 0;  // sum d - sum c, the value of the transversal
  std::uint32_t index = 0;               // max c, plus 1 if some d_j is 0
  /// Entries of the matrix read, all passes together: the cost of the analysis.
  std::uint64_t entries_read = 0;
};

/// Computes the offsets; empty if there is no transversal: the equations are structurally singular
/// (see blocks.hpp).
///
/// A transversal of highest value lies in the diagonal blocks of the block triangular form, so the
/// assignment problem is solved block by block: many shortest augmenting paths per pass, found with
/// potentials. The offsets are the limit of the fixed-point iteration that starts from c = 0,
///   d_j = max_i (order_ij + c_i),  c_i = d_j(i) - order_i,j(i).
/// They are computed directly as a problem of longest paths, which the potentials turn into one for
/// Dijkstra's algorithm.
std::optional<SigmaOffsets> sigma_method(const SignatureMatrix& signature);

}  // namespace saltus
