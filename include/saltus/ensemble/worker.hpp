// The parts of a sweep, for those who bring workers of their own: processes, ranks, executors.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include <saltus/ensemble/sweep.hpp>
#include <saltus/lower/compile_model.hpp>

namespace saltus {

/// One run; the same bits on every worker.
struct SweepRun {
  std::vector<double> values;  // as kept.columns()
  std::string failure = {};    // empty: it is complete
  RunOutcome outcome = RunOutcome::complete;
};

/// Does single runs of a plan, which outlives it; what can be compiled once is. For any number of threads.
class SweepRunner {
 public:
  explicit SweepRunner(const SweepPlan& sweep);

  const SweepPlan& sweep() const { return sweep_; }
  CompiledModel model(std::uint64_t run) const;
  /// What is wrong with all runs is told at once: throws ModelError or OptionError.
  void check_first(std::optional<std::uint64_t> run) const;
  SweepRun operator()(std::uint64_t run) const;

 private:
  std::vector<Named<double>> values(std::uint64_t run) const;

  void check_columns() const;
  void check_begin(const CompiledModel& first) const;

  const SweepPlan& sweep_;
  std::optional<CompiledModel> compiled_;  // none: every run has a model of its own
};

/// Where a worker gets its runs from, and tells what it has done.
class SweepQueue {
 public:
  virtual ~SweepQueue() = default;
  /// The next runs; none: nothing is left, or nothing more is wanted.
  virtual std::vector<std::uint64_t> take() = 0;
  virtual void done(std::uint64_t run, bool failed) = 0;
  /// The rest of what was taken is not wanted any more.
  virtual bool is_over() const = 0;
  virtual void give_up(const Failure& failure) = 0;
};

/// One worker with a segment of its own in the folder: takes runs until there are none.
void work(const SweepRunner& run, const std::filesystem::path& folder, SweepQueue& queue);
/// The same with a segment that goes on after it; all that was done is in its file.
void work(const SweepRunner& run, JournalWriter& segment, SweepQueue& queue);

/// What a folder misses, and what was out of time, handed out to any number of threads.
class MissingRuns final : public SweepQueue {
 public:
  /// Looks through the folder. Chunks become small where few runs per worker are left: nobody waits long for the last.
  MissingRuns(const SweepPlan& sweep, const std::filesystem::path& folder,
              const SweepOptions& options, std::uint64_t n_workers);

  std::optional<std::uint64_t> first() const;
  std::vector<std::uint64_t> take() override;
  void done(std::uint64_t run, bool failed) override;
  bool is_over() const override { return is_over_; }
  void give_up(const Failure& failure) override;
  /// While nobody else works.
  const SweepProgress& progress() const { return report_.progress; }
  /// At the end.
  SweepReport report();

 private:
  const SweepOptions& options_;
  std::uint64_t n_workers_;
  std::vector<bool> known_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t next_ = 0, n_taken_ = 0;
  std::atomic<bool> is_over_ = false;
  std::chrono::steady_clock::time_point told_;
  SweepReport report_;
};

}  // namespace saltus
