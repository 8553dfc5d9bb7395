// A system of any index as one of index 1 with the same solution.
//
// With projectors from the derivative array of the level mu found by the analysis, the n unknowns x
// satisfy
//
//   R1 = Z1^T F(t, x, x')               d rows, differential
//   R2 = Z2^T F_mu(t, x, y*(t, x))      a rows, all constraints, hidden ones included
//   R3 = T3^T (x - x_ref)               u rows: what nothing determines changes as little as possible
//
// where y* minimises |F_mu(t, x, y)| over the higher derivatives. Z1 and Z2 are frozen between
// refreshes; which ones they are does not change the solution, so the system refreshes them after
// accepted steps without a restart (StepRefresh).
#pragma once

#include <memory>

#include <saltus/core/result.hpp>
#include <saltus/reduce/index_analysis.hpp>
#include <saltus/system/system.hpp>

namespace saltus {

/// The reduced system keeps the original one alive. Its start values are the consistent point of the
/// analysis; its variables are those of the original. It offers StepRefresh, OutputProjection and
/// what the original offers of ScheduledTimes and HeldValues.
Result<std::shared_ptr<const System>> reduce_index(std::shared_ptr<const System> system, double t,
                                                   const IndexAnalysis& analysis);

}  // namespace saltus
