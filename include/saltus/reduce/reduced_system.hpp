// Reduces a system of any index to one of index 1 with the same solution.
//
// With projectors from the derivative array of the level mu found by the analysis, the n unknowns x
// satisfy
//
//   R1 = Z1^T F(t, x, x')               d rows, differential
//   R2 = Z2^T F_mu(t, x, y*(t, x))      a rows, all constraints, hidden ones included
//   R3 = T3^T (x - x_ref)               u rows: undetermined parts change as little as possible
//
// where y* minimises |F_mu(t, x, y)| over the higher derivatives. Z1 and Z2 are frozen between
// refreshes. They do not affect the solution, so the system refreshes them after accepted steps
// without a restart (StepRefresh).
//
// The v redundant equations are the part of F_mu outside Z2: F_mu - Z2 Z2^T F_mu vanishes as long
// as they follow from the others. It is checked after every step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <saltus/core/options.hpp>
#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

/// Chooses what happens when redundant equations contradict the others by more than the tolerance.
enum class RedundantEquations : std::uint8_t {
  refuse,         // the run ends, naming them
  least_squares,  // solves all equations in the least-squares sense; none holds exactly
};
constexpr auto option_choices(RedundantEquations) {
  return std::array{Choice{"refuse", RedundantEquations::refuse},
                    Choice{"least_squares", RedundantEquations::least_squares}};
}

/// Chooses the values of unknowns that no equation determines.
enum class UndeterminedUnknowns : std::uint8_t {
  minimum_change,  // |x - x_ref| is as small as possible, x_ref their values at the last refresh
  minimum_norm,    // |x| is as small as possible; in both cases in nominal units
};
constexpr auto option_choices(UndeterminedUnknowns) {
  return std::array{Choice{"minimum_change", UndeterminedUnknowns::minimum_change},
                    Choice{"minimum_norm", UndeterminedUnknowns::minimum_norm}};
}

struct ReduceOptions {
  /// Redundant equations are consistent while the rest of row i of the array is at most
  ///   sum_j |dF_i/dx_j| (rtol |x_j| + atol_j),
  /// The sum runs over x and its higher derivatives, all in scaled units.
  double rtol = 1e-6;
  std::vector<double> atol = {1e-6};  // one, or one for each unknown
  RedundantEquations redundant = RedundantEquations::refuse;
  UndeterminedUnknowns undetermined = UndeterminedUnknowns::minimum_change;
};

/// Returns the reduced system, which keeps the original one alive. Its start values are the
/// consistent point of the analysis; its variables are those of the original. It offers
/// StepRefresh, OutputProjection, RedundancyWatch, Regularity, and ScheduledTimes and HeldValues if
/// the original offers them.
Result<std::shared_ptr<const System>> reduce_index(std::shared_ptr<const System> system, double t,
                                                   const IndexAnalysis& analysis,
                                                   const ReduceOptions& options = {});

}  // namespace saltus
