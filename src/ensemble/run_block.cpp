#include <saltus/ensemble/run_block.hpp>

#include <algorithm>

#include <saltus/ensemble/kept.hpp>

namespace saltus {

RunBlock::RunBlock(std::size_t n_columns, std::uint64_t first_run, std::uint64_t n_runs)
    : n_columns_(n_columns),
      first_run_(first_run),
      states_(n_runs, RunState::missing),
      values_(n_columns * n_runs, absent) {}

void RunBlock::take(const JournalRecord& record) {
  if (record.run < first_run_ || record.run - first_run_ >= states_.size()) return;
  const std::uint64_t at = record.run - first_run_;
  if (!does_count(record, states_[at], n_columns_)) return;
  if (states_[at] == RunState::missing) ++n_known_;
  states_[at] = state_after(record.outcome);
  if (states_[at] == RunState::complete)
    std::ranges::copy(record.values,
                      values_.begin() + static_cast<std::ptrdiff_t>(at * n_columns_));
  else
    failures_.push_back({record.run, std::string(record.reason)});
}

void RunBlock::finish() {
  // The last record of a run is the one that counted.
  std::ranges::stable_sort(failures_, {}, &FailedRun::run);
  std::ranges::reverse(failures_);
  const auto earlier = std::ranges::unique(failures_, {}, &FailedRun::run);
  failures_.erase(earlier.begin(), earlier.end());
  std::ranges::reverse(failures_);
  std::erase_if(failures_, [&](const FailedRun& f) { return state(f.run) == RunState::complete; });
}

std::span<const double> RunBlock::row(std::uint64_t run) const {
  if (state(run) != RunState::complete) return {};
  return std::span(values_).subspan((run - first_run_) * n_columns_, n_columns_);
}

}  // namespace saltus
