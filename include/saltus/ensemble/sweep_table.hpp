// What a folder of segments has become: a row per run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <saltus/ensemble/sweep.hpp>

namespace saltus {

/// Every run that a folder knows, in order. Of a run that is there twice the first record counts.
class SweepTable {
 public:
  SweepTable(const SweepPlan& sweep, const std::filesystem::path& folder);

  std::uint64_t n_runs() const { return state_.size(); }
  std::uint64_t n_known() const { return n_known_; }
  std::uint64_t n_failed() const { return failures_.size(); }
  bool is_known(std::uint64_t run) const { return state_[run] != 0; }
  /// Empty for a run that failed or is missing.
  std::span<const double> row(std::uint64_t run) const;
  struct FailedRun {
    std::uint64_t run;
    std::string reason;
  };
  std::span<const FailedRun> failures() const { return failures_; }
  std::span<const SegmentReport> broken() const { return broken_; }

 private:
  std::size_t n_columns_;
  std::vector<std::uint8_t> state_;  // 0 missing, 1 complete, 2 failed
  std::vector<double> values_;
  std::vector<FailedRun> failures_;
  std::vector<SegmentReport> broken_;
  std::uint64_t n_known_ = 0;
};

}  // namespace saltus
