// The known results of consecutive runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <saltus/ensemble/journal.hpp>

namespace saltus {

enum class RunState : std::uint8_t { complete = 0, failed = 1, missing = 2, out_of_time = 3 };

inline RunState state_after(RunOutcome outcome) {
  return outcome == RunOutcome::complete ? RunState::complete
         : outcome == RunOutcome::failed ? RunState::failed
                                         : RunState::out_of_time;
}

struct FailedRun {
  std::uint64_t run;
  std::string reason;
};

/// Returns whether a record counts for a run in the given state. The first final record counts;
/// before it, the first record that was out of time. Records with a row of another length never
/// count.
inline bool does_count(const JournalRecord& record, RunState so_far, std::size_t n_columns) {
  const bool is_wanted = so_far == RunState::missing || (so_far == RunState::out_of_time &&
                                                         record.outcome != RunOutcome::out_of_time);
  return is_wanted && (record.outcome != RunOutcome::complete || record.values.size() == n_columns);
}

/// Runs and their rows. If a run occurs twice, one record counts (does_count).
class RunBlock {
 public:
  RunBlock(std::size_t n_columns, std::uint64_t first_run, std::uint64_t n_runs);

  /// Ignores runs of other blocks and rows of another length.
  void take(const JournalRecord& record);
  /// Must be called after the last record.
  void finish();

  std::uint64_t first_run() const { return first_run_; }
  std::uint64_t n_runs() const { return states_.size(); }
  std::uint64_t n_known() const { return n_known_; }
  RunState state(std::uint64_t run) const { return states_[run - first_run_]; }
  std::span<const RunState> states() const { return states_; }
  /// Returns an empty row for a run that failed or is missing.
  std::span<const double> row(std::uint64_t run) const;
  /// Returns the failures by run, including runs that were out of time.
  std::span<const FailedRun> failures() const { return failures_; }

 private:
  std::size_t n_columns_;
  std::uint64_t first_run_, n_known_ = 0;
  std::vector<RunState> states_;
  std::vector<double> values_;
  std::vector<FailedRun> failures_;
};

}  // namespace saltus
