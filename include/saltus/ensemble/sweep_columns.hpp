// Runs of a sweep column by column, as tables want them: first what was varied, then what was kept.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <saltus/ensemble/sweep_rows.hpp>

namespace saltus {

/// Some runs that follow each other.
struct SweepColumns {
  std::uint64_t first_run = 0;
  std::vector<std::vector<double>> columns;  // as SweepPlan: design.names(), then kept.columns()
  std::span<const RunState> states;
  std::span<const FailedRun> failures;
};

/// All runs in order, at most so many at a time.
void each_columns(const SweepPlan& sweep, const SweepRows& rows, std::uint64_t n_runs,
                  const std::function<void(const SweepColumns&)>& block);

}  // namespace saltus
