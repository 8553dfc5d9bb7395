#include <saltus/ensemble/sweep.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <saltus/core/error.hpp>
#include <saltus/model/with_values.hpp>
#include <saltus/simulate/simulate.hpp>

namespace saltus {

namespace {

std::shared_ptr<const ModelDefinition> model_of(const SweepPlan& sweep, std::uint64_t run) {
  const std::vector<double> values = sweep.design.values(run);
  std::vector<Named<double>> named;
  for (std::size_t i = 0; i < values.size(); ++i)
    named.push_back({sweep.design.names()[i], values[i]});
  return with_values(sweep.model, named);
}

/// Runs that are there already, and segments that are not all good.
struct Known {
  std::vector<bool> runs;
  std::uint64_t n_failed = 0;
  std::vector<SegmentReport> broken;
};

Known known_runs(const SweepPlan& sweep, const std::filesystem::path& folder) {
  Known known;
  known.runs.assign(sweep.design.n_runs(), false);
  for (const auto& path : journal_segments(folder)) {
    auto report = scan_segment(path, sweep.fingerprint(), [&](const JournalRecord& r) {
      if (r.run >= known.runs.size() || known.runs[r.run]) return;
      known.runs[r.run] = true;
      if (r.outcome == RunOutcome::failed) ++known.n_failed;
    });
    if (!report.problem.empty()) known.broken.push_back(std::move(report));
  }
  return known;
}

/// What workers share.
class Workers {
 public:
  Workers(const SweepPlan& sweep, const std::filesystem::path& folder, const SweepOptions& options,
          Known known)
      : sweep_(sweep), folder_(folder), options_(options), known_(std::move(known.runs)) {
    for (std::uint64_t run = options.shard; run < known_.size(); run += options.n_shards) {
      ++report_.progress.n_runs;
      if (known_[run]) ++report_.progress.n_before;
    }
    report_.progress.n_failed = known.n_failed;
    report_.broken = std::move(known.broken);
    next_ = options.shard;
  }

  SweepReport run() {
    if (const auto first = first_missing()) {
      // What is wrong with all runs is told at once.
      (void)start_run(model_of(sweep_, *first), sweep_.options);
    }
    std::vector<std::thread> others;
    for (std::uint32_t i = 1; i < options_.n_threads; ++i) others.emplace_back([this] { work(); });
    work();
    for (std::thread& t : others) t.join();
    if (options_.progress) (void)options_.progress(report_.progress);
    return std::move(report_);
  }

 private:
  std::optional<std::uint64_t> first_missing() const {
    for (std::uint64_t run = options_.shard; run < known_.size(); run += options_.n_shards)
      if (!known_[run]) return run;
    return std::nullopt;
  }

  /// The next runs, few where few are left: nobody waits long for the last.
  std::vector<std::uint64_t> take() {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> runs;
    const SweepProgress& p = report_.progress;
    const std::uint64_t left = p.n_runs - p.n_before - n_taken_;
    const std::uint64_t many = std::clamp<std::uint64_t>(left / (8 * options_.n_threads), 1, 256);
    for (; !is_over_ && next_ < known_.size() && runs.size() < many; next_ += options_.n_shards)
      if (!known_[next_]) runs.push_back(next_);
    n_taken_ += runs.size();
    return runs;
  }

  void work() {
    auto writer = JournalWriter::create(folder_, sweep_.fingerprint());
    if (!writer) return give_up(writer.failure());
    auto flushed = std::chrono::steady_clock::now();
    for (auto runs = take(); !runs.empty(); runs = take()) {
      for (const std::uint64_t run : runs) {
        if (is_over_) break;
        const SweepRun done = run_of(sweep_, run);
        const bool failed = !done.failure.empty();
        auto added = writer->add(
            {run, failed ? RunOutcome::failed : RunOutcome::complete, done.values, done.failure});
        const auto now = std::chrono::steady_clock::now();
        if (added && now - flushed > std::chrono::seconds(1)) {
          added = writer->flush();
          flushed = now;
        }
        if (!added) return give_up(added.failure());
        note(failed);
      }
    }
    if (auto all = writer->flush(); !all) give_up(all.failure());
  }

  void note(bool failed) {
    const std::lock_guard lock(mutex_);
    ++report_.progress.n_done;
    if (failed) ++report_.progress.n_failed;
    const auto now = std::chrono::steady_clock::now();
    if (!options_.progress || now - told_ < std::chrono::milliseconds(100)) return;
    told_ = now;
    if (options_.progress(report_.progress)) return;
    report_.stopped = true;
    is_over_ = true;
  }

  void give_up(const Failure& failure) {
    const std::lock_guard lock(mutex_);
    if (!report_.failure) report_.failure = failure;
    is_over_ = true;
  }

  const SweepPlan& sweep_;
  const std::filesystem::path& folder_;
  const SweepOptions& options_;
  std::vector<bool> known_;
  std::mutex mutex_;
  std::uint64_t next_ = 0, n_taken_ = 0;
  std::atomic<bool> is_over_ = false;
  std::chrono::steady_clock::time_point told_;
  SweepReport report_;
};

}  // namespace

std::uint64_t SweepPlan::fingerprint() const {
  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::string_view text) {
    for (const char c : text) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 0x100000001b3u;
    }
  };
  add(identity);
  for (const std::string& name : design.names()) add("\n" + name);
  for (const std::string& column : kept.columns()) add("\n" + column);
  add("\n" + std::to_string(design.n_runs()));
  return hash;
}

SweepRun run_of(const SweepPlan& sweep, std::uint64_t run) {
  try {
    const Solution s = simulate(model_of(sweep, run), sweep.options);
    // An event that ends a run is one of its results.
    const bool ended = s.ok() || s.report.outcome == Outcome::terminal_event;
    if (!ended) return {{}, std::string(name(s.report.outcome)) + ": " + s.report.message};
    return {sweep.kept.of(s), {}};
  } catch (const Error& e) {
    return {{}, e.what()};
  }
}

SweepReport run_sweep(const SweepPlan& sweep, const std::filesystem::path& folder,
                      const SweepOptions& options) {
  if (options.n_threads == 0) throw OptionError("threads", "is 0");
  if (options.shard >= options.n_shards)
    throw OptionError("shard", "is " + std::to_string(options.shard) + " of " +
                                   std::to_string(options.n_shards) + ": shards count from 0");
  return Workers(sweep, folder, options, known_runs(sweep, folder)).run();
}

SweepTable::SweepTable(const SweepPlan& sweep, const std::filesystem::path& folder)
    : n_columns_(sweep.kept.columns().size()),
      state_(sweep.design.n_runs(), 0),
      values_(n_columns_ * sweep.design.n_runs(), absent) {
  for (const auto& path : journal_segments(folder)) {
    auto report = scan_segment(path, sweep.fingerprint(), [&](const JournalRecord& r) {
      if (r.run >= state_.size() || state_[r.run] != 0) return;
      const bool complete = r.outcome == RunOutcome::complete;
      if (complete && r.values.size() != n_columns_) return;
      ++n_known_;
      state_[r.run] = complete ? 1 : 2;
      if (complete)
        std::ranges::copy(r.values,
                          values_.begin() + static_cast<std::ptrdiff_t>(r.run * n_columns_));
      else
        failures_.push_back({r.run, std::string(r.reason)});
    });
    if (!report.problem.empty()) broken_.push_back(std::move(report));
  }
  std::ranges::sort(failures_, {}, &FailedRun::run);
}

std::span<const double> SweepTable::row(std::uint64_t run) const {
  if (state_[run] != 1) return {};
  return std::span(values_).subspan(run * n_columns_, n_columns_);
}

}  // namespace saltus
