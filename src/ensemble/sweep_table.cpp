#include <saltus/ensemble/sweep_table.hpp>

namespace saltus {

SweepTable::SweepTable(const SweepPlan& sweep, const std::filesystem::path& folder)
    : all_(sweep.kept.columns().size(), 0, sweep.design.n_runs()) {
  for (const auto& path : journal_segments(folder)) {
    auto report = scan_segment(path, sweep.fingerprint(),
                               [&](const JournalRecord& record) { all_.take(record); });
    if (!report.problem.empty()) broken_.push_back(std::move(report));
  }
  all_.finish();
}

}  // namespace saltus
