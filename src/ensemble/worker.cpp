#include <saltus/ensemble/worker.hpp>

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/simulate/simulate.hpp>

namespace saltus {

// ---- one run ----------------------------------------------------------------------------------------

SweepRunner::SweepRunner(const SweepPlan& sweep) : sweep_(sweep) {
  if (!sweep.remake) compiled_.emplace(sweep.model);
}

std::vector<Named<double>> SweepRunner::values(std::uint64_t run) const {
  const std::vector<double> values = sweep_.design.values(run);
  std::vector<Named<double>> named;
  for (std::size_t i = 0; i < values.size(); ++i)
    named.push_back({sweep_.design.names()[i], values[i]});
  return named;
}

CompiledModel SweepRunner::model(std::uint64_t run) const {
  const std::vector<Named<double>> named = values(run);
  return compiled_ ? compiled_->with_values(named) : CompiledModel(sweep_.remake(named));
}

void SweepRunner::check_first(std::optional<std::uint64_t> run) const {
  if (!run) return;
  const Kept& kept = sweep_.kept;
  if (!kept.where.empty() && !sweep_.options.output.dense)
    throw OptionError("output.dense",
                      "is false, but values kept by 'where' need every step of a run");
  check_columns();
  try {
    check_begin(model(*run));
  } catch (const ModelError&) {
    // A run whose values are wrong is a row that says so; a name that cannot be given is wrong in all.
    for (const std::string& name : sweep_.design.names()) {
      const Variable* v = sweep_.model->find(name);
      if (v == nullptr) v = sweep_.model->find(name.substr(0, name.find('[')));
      if (!sweep_.remake && (v == nullptr || !v->no_other_value.empty())) throw;
    }
    check_begin(compiled_ ? *compiled_ : CompiledModel(sweep_.model));
  }
}

void SweepRunner::check_columns() const {
  std::vector<std::string> names = {"run", "outcome"};
  const auto add = [&](const std::string& name) {
    if (name.empty() || name.find('\0') != std::string::npos)
      throw OptionError("keep", quote(name) + " cannot name a column");
    if (std::ranges::find(names, name) != names.end())
      throw OptionError("keep", quote(name) + ": another column has that name");
    names.push_back(name);
  };
  for (const std::string& name : sweep_.design.names()) add(name);
  for (const std::string& name : sweep_.kept.columns()) add(name);
}

void SweepRunner::check_begin(const CompiledModel& first) const {
  Run begun(first.model()->name(), first.source(), sweep_.options);
  if (sweep_.remake) return;  // other runs may have other names
  const Solution s = begun.finish();
  if (s.report.outcome == Outcome::stopped) sweep_.kept.check(s, first.model()->modes().empty());
}

SweepRun SweepRunner::operator()(std::uint64_t run) const {
  try {
    const CompiledModel of_run = model(run);
    const Solution s = simulate(of_run, sweep_.options);
    // An event that ends a run is one of its results.
    const bool ended = s.ok() || s.report.outcome == Outcome::terminal_event;
    if (!ended)
      return {{},
              std::string(name(s.report.outcome)) + ": " + s.report.message,
              s.report.outcome == Outcome::wall_time_limit ? RunOutcome::out_of_time
                                                           : RunOutcome::failed};
    if (!sweep_.remake_where) return {sweep_.kept.of(s, *of_run.model()), {}};
    Kept kept = sweep_.kept;
    kept.where = sweep_.remake_where(values(run));
    return {kept.of(s, *of_run.model()), {}};
  } catch (const Error& e) {
    return {{}, e.what(), RunOutcome::failed};
  } catch (const InternalError& e) {
    return {{},
            std::string("an internal error of Saltus, please report it: ") + e.what(),
            RunOutcome::failed};
  }
}

void work(const SweepRunner& run_of, JournalWriter& segment, SweepQueue& queue) {
  auto flushed = std::chrono::steady_clock::now();
  for (auto runs = queue.take(); !runs.empty(); runs = queue.take()) {
    for (const std::uint64_t run : runs) {
      if (queue.is_over()) break;
      const SweepRun done = run_of(run);
      auto added = segment.add({run, done.outcome, done.values, done.failure});
      const auto now = std::chrono::steady_clock::now();
      if (added && now - flushed > std::chrono::seconds(1)) {
        added = segment.flush();
        flushed = now;
      }
      if (!added) return queue.give_up(added.failure());
      queue.done(run, done.outcome != RunOutcome::complete);
    }
  }
  if (auto all = segment.flush(); !all) queue.give_up(all.failure());
}

void work(const SweepRunner& run_of, const std::filesystem::path& folder, SweepQueue& queue) {
  auto segment = JournalWriter::create(folder, run_of.sweep().fingerprint());
  if (!segment) return queue.give_up(segment.failure());
  work(run_of, *segment, queue);
}

// ---- what is missing --------------------------------------------------------------------------------

MissingRuns::MissingRuns(const SweepPlan& sweep, const std::filesystem::path& folder,
                         const SweepOptions& options, std::uint64_t n_workers)
    : options_(options), n_workers_(n_workers), next_(options.shard) {
  known_.assign(sweep.design.n_runs(), false);
  for (const auto& path : journal_segments(folder)) {
    auto segment = scan_segment(path, sweep.fingerprint(), [&](const JournalRecord& r) {
      if (r.run >= known_.size() || known_[r.run] || r.outcome == RunOutcome::out_of_time) return;
      known_[r.run] = true;
      if (r.outcome == RunOutcome::failed) ++report_.progress.n_failed;
    });
    if (!segment.problem.empty()) report_.broken.push_back(std::move(segment));
  }
  for (std::uint64_t run = options.shard; run < known_.size(); run += options.n_shards) {
    ++report_.progress.n_runs;
    if (known_[run]) ++report_.progress.n_before;
  }
}

std::optional<std::uint64_t> MissingRuns::first() const {
  for (std::uint64_t run = options_.shard; run < known_.size(); run += options_.n_shards)
    if (!known_[run]) return run;
  return std::nullopt;
}

std::vector<std::uint64_t> MissingRuns::take() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> runs;
  const SweepProgress& p = report_.progress;
  const std::uint64_t left = p.n_runs - p.n_before - n_taken_;
  const std::uint64_t many = std::clamp<std::uint64_t>(left / (8 * n_workers_), 1, 256);
  for (; !is_over_ && next_ < known_.size() && runs.size() < many; next_ += options_.n_shards)
    if (!known_[next_]) runs.push_back(next_);
  n_taken_ += runs.size();
  return runs;
}

void MissingRuns::done(std::uint64_t, bool failed) {
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

void MissingRuns::give_up(const Failure& failure) {
  const std::lock_guard lock(mutex_);
  if (!report_.failure) report_.failure = failure;
  is_over_ = true;
}

SweepReport MissingRuns::report() {
  if (options_.progress) (void)options_.progress(report_.progress);
  return std::move(report_);
}

}  // namespace saltus
