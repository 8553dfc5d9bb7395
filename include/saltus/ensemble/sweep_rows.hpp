// The results in a folder of segments, block by block, for tables larger than memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <saltus/ensemble/failure_kinds.hpp>
#include <saltus/ensemble/run_block.hpp>
#include <saltus/ensemble/sweep.hpp>

namespace saltus {

/// Reads the segments once, and remembers one byte per run and the runs that each part of a segment
/// holds. Workers take runs in order, so that a block lies in few parts. Every run is found in any
/// order.
class SweepRows {
 public:
  SweepRows(const SweepPlan& sweep, const std::filesystem::path& folder);

  std::uint64_t n_runs() const { return states_.size(); }
  std::uint64_t n_known() const { return n_known_; }
  /// Returns the number of failed runs, including those that were out of time.
  std::uint64_t n_failed() const { return n_failed_; }
  std::uint64_t n_out_of_time() const { return out_of_time_.size(); }
  /// Returns the length of the longest reason, in bytes.
  std::size_t longest_reason() const { return longest_reason_; }
  std::vector<FailureKind> failures() const { return kinds_.list(); }
  std::span<const SegmentReport> broken() const { return broken_; }

  /// Passes the runs to `block`, in order, n_runs at a time. Records written to the folder since
  /// construction are not included; records damaged since then are missing.
  void each_block(std::uint64_t n_runs, const std::function<void(const RunBlock&)>& block) const;

 private:
  struct Stretch {
    std::size_t segment;
    std::uint64_t begin, end;  // in bytes
    std::uint64_t first_run, last_run;
  };
  void look_through(std::size_t segment);
  void add_failure(std::uint64_t run, std::string_view reason);

  std::size_t n_columns_;
  std::uint64_t fingerprint_;
  std::vector<std::filesystem::path> segments_;
  std::vector<Stretch> stretches_;
  std::vector<RunState> states_;
  std::uint64_t n_known_ = 0, n_failed_ = 0;
  std::size_t longest_reason_ = 0;
  FailureKinds kinds_;
  std::map<std::uint64_t, std::string> out_of_time_;  // the reason; another record may follow
  std::vector<SegmentReport> broken_;
};

}  // namespace saltus
