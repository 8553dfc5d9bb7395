#include <saltus/ensemble/sweep_table.hpp>

#include <algorithm>

namespace saltus {

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
