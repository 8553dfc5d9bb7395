// The runs of a sweep column by column, for tables: first the varied values, then the kept ones.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <saltus/ensemble/sweep_rows.hpp>

namespace saltus {

/// Consecutive runs.
struct SweepColumns {
  std::uint64_t first_run = 0;
  /// In the order of SweepPlan: design.names(), then kept.columns().
  std::vector<std::vector<double>> columns;
  std::span<const RunState> states;
  std::span<const FailedRun> failures;
};

/// Passes all runs to `block`, in order, at most n_runs at a time.
void each_columns(const SweepPlan& sweep, const SweepRows& rows, std::uint64_t n_runs,
                  const std::function<void(const SweepColumns&)>& block);

}  // namespace saltus
