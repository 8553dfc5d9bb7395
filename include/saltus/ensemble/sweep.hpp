// Many runs of one model, by any number of workers that know nothing of each other but the folder of the journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <saltus/ensemble/design.hpp>
#include <saltus/ensemble/journal.hpp>
#include <saltus/ensemble/kept.hpp>
#include <saltus/hybrid/options.hpp>
#include <saltus/model/definition.hpp>

namespace saltus {

struct SweepPlan {
  std::shared_ptr<const ModelDefinition> model;
  RunOptions options;
  Design design;
  Kept kept;
  /// All that decides what a run gives, as text: segments of another sweep are not believed.
  std::string identity;

  std::uint64_t fingerprint() const;
};

/// One run of it; the same bits on every worker.
struct SweepRun {
  std::vector<double> values;  // as kept.columns()
  std::string failure;         // empty: it is complete
};
SweepRun run_of(const SweepPlan& sweep, std::uint64_t run);

struct SweepProgress {
  std::uint64_t n_runs = 0;    // of this worker's share
  std::uint64_t n_before = 0;  // were there already
  std::uint64_t n_done = 0;    // now
  std::uint64_t n_failed = 0;  // of all that is known
};

struct SweepOptions {
  std::uint32_t n_threads = 1;
  /// Share k of n: runs whose number is k modulo n.
  std::uint64_t shard = 0, n_shards = 1;
  /// Called from time to time, from one thread at a time; false: stop.
  std::function<bool(const SweepProgress&)> progress = {};
};

struct SweepReport {
  SweepProgress progress;
  std::vector<SegmentReport> broken;    // segments that were not all good
  std::optional<Failure> failure = {};  // why it did not go on: a full disk
  bool stopped = false;
  bool complete() const {
    return !failure && progress.n_before + progress.n_done == progress.n_runs;
  }
};

/// Does what is missing. Throws ModelError or OptionError if the first missing run cannot even begin: names, options.
SweepReport run_sweep(const SweepPlan& sweep, const std::filesystem::path& folder,
                      const SweepOptions& options = {});

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
