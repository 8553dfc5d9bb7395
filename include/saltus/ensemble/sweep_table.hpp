// The results in a folder of segments, in memory: a row per run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <saltus/ensemble/run_block.hpp>
#include <saltus/ensemble/sweep.hpp>

namespace saltus {

/// Holds all known runs of a folder in memory. SweepRows reads them block by block.
class SweepTable {
 public:
  SweepTable(const SweepPlan& sweep, const std::filesystem::path& folder);

  std::uint64_t n_runs() const { return all_.n_runs(); }
  std::uint64_t n_known() const { return all_.n_known(); }
  std::uint64_t n_failed() const { return all_.failures().size(); }
  bool is_known(std::uint64_t run) const { return all_.state(run) != RunState::missing; }
  /// Returns an empty row for a run that failed or is missing.
  std::span<const double> row(std::uint64_t run) const { return all_.row(run); }
  std::span<const FailedRun> failures() const { return all_.failures(); }
  std::span<const SegmentReport> broken() const { return broken_; }

 private:
  RunBlock all_;
  std::vector<SegmentReport> broken_;
};

}  // namespace saltus
