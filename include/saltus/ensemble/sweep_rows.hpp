// What a folder of segments has become, for tables that need not fit into memory.
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

/// Looks through the segments once, and remembers a byte per run and which runs each stretch of a segment holds. Workers
/// take runs in order, so that a block of them is in few stretches; whatever the order, every run is found.
class SweepRows {
 public:
  SweepRows(const SweepPlan& sweep, const std::filesystem::path& folder);

  std::uint64_t n_runs() const { return states_.size(); }
  std::uint64_t n_known() const { return n_known_; }
  /// Those that were out of time are among them.
  std::uint64_t n_failed() const { return n_failed_; }
  std::uint64_t n_out_of_time() const { return out_of_time_.size(); }
  /// Bytes of the longest one.
  std::size_t longest_reason() const { return longest_reason_; }
  std::vector<FailureKind> failures() const { return kinds_.list(); }
  std::span<const SegmentReport> broken() const { return broken_; }

  /// Runs in order, so many at a time. What was written to the folder since is not there; what was damaged since is
  /// missing.
  void each_block(std::uint64_t n_runs, const std::function<void(const RunBlock&)>& block) const;

 private:
  struct Stretch {
    std::size_t segment;
    std::uint64_t begin, end;  // bytes
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
  std::map<std::uint64_t, std::string> out_of_time_;  // why; another record may come
  std::vector<SegmentReport> broken_;
};

}  // namespace saltus
