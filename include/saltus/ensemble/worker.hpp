// The parts of a sweep, for your own workers: processes, ranks, executors.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include <saltus/ensemble/sweep.hpp>
#include <saltus/lower/compile_model.hpp>

namespace saltus {

/// The result of one run; the same bits on every worker.
struct SweepRun {
  std::vector<double> values;  // in the order of kept.columns()
  std::string failure = {};    // empty: the run is complete
  RunOutcome outcome = RunOutcome::complete;
};

/// Computes single runs of a plan, which must outlive it. The model is compiled once if possible.
/// Thread-safe.
class SweepRunner {
 public:
  explicit SweepRunner(const SweepPlan& sweep);

  const SweepPlan& sweep() const { return sweep_; }
  CompiledModel model(std::uint64_t run) const;
  /// Throws ModelError or OptionError for mistakes that concern all runs. `run` is the first one.
  void check_first(std::optional<std::uint64_t> run) const;
  SweepRun operator()(std::uint64_t run) const;

 private:
  std::vector<Named<double>> values(std::uint64_t run) const;

  void check_columns() const;
  void check_begin(const CompiledModel& first) const;

  const SweepPlan& sweep_;
  std::optional<CompiledModel> compiled_;  // none: every run has its own model
};

/// Gives runs to a worker, and receives its results.
class SweepQueue {
 public:
  virtual ~SweepQueue() = default;
  /// Returns the next runs. An empty list ends the work.
  virtual std::vector<std::uint64_t> take() = 0;
  virtual void done(std::uint64_t run, bool failed) = 0;
  /// Returns whether the remaining runs of the last take() should be skipped.
  virtual bool is_over() const = 0;
  virtual void give_up(const Failure& failure) = 0;
};

/// Runs one worker with a segment of its own in the folder, until no runs are left.
void work(const SweepRunner& run, const std::filesystem::path& folder, SweepQueue& queue);
/// The same with a segment that stays open afterwards. All results are in its file on return.
void work(const SweepRunner& run, JournalWriter& segment, SweepQueue& queue);

/// Hands out the runs that a folder misses, or that were out of time, to any number of threads.
class MissingRuns final : public SweepQueue {
 public:
  /// Reads the folder. Chunks become small when few runs per worker are left, so that no worker has
  /// to wait long for the last ones.
  MissingRuns(const SweepPlan& sweep, const std::filesystem::path& folder,
              const SweepOptions& options, std::uint64_t n_workers);

  std::optional<std::uint64_t> first() const;
  std::vector<std::uint64_t> take() override;
  void done(std::uint64_t run, bool failed) override;
  bool is_over() const override { return is_over_; }
  void give_up(const Failure& failure) override;
  /// Call only while no worker is active.
  const SweepProgress& progress() const { return report_.progress; }
  /// Call at the end.
  SweepReport report();

 private:
  const SweepOptions& options_;
  std::uint64_t n_workers_;
  std::vector<bool> known_;
  std::mutex mutex_;  // guards the following members
  std::uint64_t next_ = 0, n_taken_ = 0;
  std::atomic<bool> is_over_ = false;
  std::chrono::steady_clock::time_point told_;
  SweepReport report_;
};

}  // namespace saltus
