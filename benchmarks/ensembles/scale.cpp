// How fast records are written, scanned and put in order: what limits sweeps of many runs.
#include <cmath>

#include "ensembles/ensembles.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

bool show_scale(int number) {
  Item item(number);
  const std::uint64_t n = n_runs_from("SALTUS_SWEEP_RECORDS", 10'000'000);
  const SweepPlan sweep = relay_sweep(n);
  const Folder folder;
  const std::size_t n_columns = sweep.kept.columns().size();
  constexpr std::uint64_t n_segments = 10;
  const double begin_writing = wall_seconds();
  std::vector<double> row(n_columns);
  bool written = true;
  for (std::uint64_t s = 0; s < n_segments; ++s) {
    auto writer = JournalWriter::create(folder.path(), sweep.fingerprint());
    // As workers do it: each every tenth run.
    for (std::uint64_t run = s; run < n && writer; run += n_segments) {
      for (std::size_t k = 0; k < n_columns; ++k)
        row[k] = std::sin(static_cast<double>(run) + static_cast<double>(k));
      written = written && writer->add({run, RunOutcome::complete, row, {}}).has_value();
    }
    written = written && writer && writer->flush().has_value();
  }
  const double write = wall_seconds() - begin_writing;
  std::uintmax_t bytes = 0;
  for (const auto& path : journal_segments(folder.path()))
    bytes += std::filesystem::file_size(path);
  const double begin_scanning = wall_seconds();
  std::uint64_t scanned = 0;
  for (const auto& path : journal_segments(folder.path()))
    scanned += scan_segment(path, sweep.fingerprint(), [](const JournalRecord&) {}).n_records;
  const double scan = wall_seconds() - begin_scanning;
  const double begin_table = wall_seconds();
  const SweepTable table(sweep, folder.path());
  const double order = wall_seconds() - begin_table;
  bool right = written && scanned == n && table.n_known() == n;
  for (std::uint64_t run = 0; run < n && right; run += 997)
    right = table.row(run)[1] == std::sin(static_cast<double>(run) + 1.0);
  const double millions = static_cast<double>(n) / 1e6;
  item.holds(std::to_string(n) + " records, " + std::to_string(bytes / n) +
                 " bytes each, come back as they were",
             right);
  item.at_least("written", millions / write, 1.0, " million/s");
  item.at_least("scanned", millions / scan, 1.0, " million/s");
  item.at_least("in order", millions / order, 1.0, " million/s");
  return item.print();
}

}  // namespace saltus::bench
