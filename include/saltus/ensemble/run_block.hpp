// What is known of some runs that follow each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/ensemble/journal.hpp>

namespace saltus {

enum class RunState : std::uint8_t { complete = 0, failed = 1, missing = 2 };

struct FailedRun {
  std::uint64_t run;
  std::string reason;
};

/// Of a run whose state so far is known: the first record counts, and none with a row of another length.
inline bool does_count(const JournalRecord& record, RunState so_far, std::size_t n_columns) {
  return so_far == RunState::missing &&
         (record.outcome != RunOutcome::complete || record.values.size() == n_columns);
}

/// Runs and their rows; of a run that is there twice the first record counts.
class RunBlock {
 public:
  RunBlock(std::size_t n_columns, std::uint64_t first_run, std::uint64_t n_runs);

  /// Passes over runs of other blocks and rows of another length.
  void take(const JournalRecord& record);
  /// After the last record.
  void finish();

  std::uint64_t first_run() const { return first_run_; }
  std::uint64_t n_runs() const { return states_.size(); }
  std::uint64_t n_known() const { return n_known_; }
  RunState state(std::uint64_t run) const { return states_[run - first_run_]; }
  std::span<const RunState> states() const { return states_; }
  /// Empty for a run that failed or is missing.
  std::span<const double> row(std::uint64_t run) const;
  /// By run.
  std::span<const FailedRun> failures() const { return failures_; }

 private:
  std::size_t n_columns_;
  std::uint64_t first_run_, n_known_ = 0;
  std::vector<RunState> states_;
  std::vector<double> values_;
  std::vector<FailedRun> failures_;
};

}  // namespace saltus
