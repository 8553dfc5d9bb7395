// Computes jump and impulses at an instant without integration, for equations whose coefficients do
// not change across the instant.
//
// With E = dF/dx', A = dF/dx and x = … + sum_j c_j delta^(j), the coefficients of delta, delta', …
// must vanish:
//
//   E u_j + A u_{j+1} = 0,  j = 0 … mu,   u_0 = x+ - x-,  u_j = c_{j-1},  u_{mu+1} = 0,       (I.6)
//
// together with F_0 = … = F_mu = 0 at x+. Newton's method in quad precision solves both. A linear
// system takes one step, and a second one to confirm it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

struct ImpulsiveJump {
  std::vector<double> x;
  /// c_j of unknown i is strength[j n + i], j = 0 … mu - 1 (at least one level).
  std::vector<double> strength;
  /// Coefficients do not change across the instant, as far as was checked.
  bool of_constant_coefficients = false;
  std::uint64_t n_evaluations = 0;
};

enum class BlockJumps : std::uint8_t {
  exact,        // refused where coefficients change
  first_order,  // also where they change: for left limits that are consistent up to small errors
};

/// Returns nothing if the method cannot decide clearly: coefficients that change, ranks that are
/// not clear or differ from those of the analysis, many unknowns. Evaluations are counted in any
/// case.
std::optional<ImpulsiveJump> jump_of_blocks(const System& system, Workspace& workspace, double t,
                                            const std::vector<double>& left_limit,
                                            const IndexAnalysis& known,
                                            std::uint64_t& n_evaluations,
                                            BlockJumps wanted = BlockJumps::exact);

}  // namespace saltus
