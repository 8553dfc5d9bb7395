// How fast records are written, scanned and put in order: what limits sweeps of many runs.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ensembles/ensembles.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

/// How long each took, in seconds of the wall and of the CPU.
struct Journal {
  double wall[3] = {}, cpu[3] = {};  // written, scanned, in order
  std::uintmax_t bytes = 0;
  bool right = true;
};

Journal journal_of(std::uint64_t n) {
  Journal found;
  int stage = 0;
  double wall = wall_seconds(), cpu = cpu_seconds();
  const auto end_of_stage = [&] {
    found.wall[stage] = wall_seconds() - wall;
    found.cpu[stage++] = cpu_seconds() - cpu;
    wall = wall_seconds();
    cpu = cpu_seconds();
  };
  const SweepPlan sweep = relay_sweep(n);
  const Folder folder;
  const std::size_t n_columns = sweep.kept.columns().size();
  constexpr std::uint64_t n_segments = 10;
  std::vector<double> row(n_columns);
  for (std::uint64_t s = 0; s < n_segments; ++s) {
    auto writer = JournalWriter::create(folder.path(), sweep.fingerprint());
    // As workers do it: each every tenth run.
    for (std::uint64_t run = s; run < n && writer; run += n_segments) {
      for (std::size_t k = 0; k < n_columns; ++k)
        row[k] = std::sin(static_cast<double>(run) + static_cast<double>(k));
      found.right = found.right && writer->add({run, RunOutcome::complete, row, {}}).has_value();
    }
    found.right = found.right && writer && writer->flush().has_value();
  }
  end_of_stage();
  for (const auto& path : journal_segments(folder.path()))
    found.bytes += std::filesystem::file_size(path);
  std::uint64_t scanned = 0;
  for (const auto& path : journal_segments(folder.path()))
    scanned += scan_segment(path, sweep.fingerprint(), [](const JournalRecord&) {}).n_records;
  end_of_stage();
  const SweepTable table(sweep, folder.path());
  end_of_stage();
  found.right = found.right && scanned == n && table.n_known() == n;
  for (std::uint64_t run = 0; run < n && found.right; run += 997)
    found.right = table.row(run)[1] == std::sin(static_cast<double>(run) + 1.0);
  return found;
}

}  // namespace

bool show_scale(int number) {
  Item item(number);
  const std::uint64_t n = n_runs_from("SALTUS_SWEEP_RECORDS", 10'000'000);
  const Journal journal = journal_of(n);
  const double millions = static_cast<double>(n) / 1e6;
  item.holds(std::to_string(n) + " records, " + std::to_string(journal.bytes / n) +
                 " bytes each, come back as they were",
             journal.right);
  item.at_least("written", millions / journal.wall[0], 1.0, " million/s");
  item.at_least("scanned", millions / journal.wall[1], 1.0, " million/s");
  item.at_least("in order", millions / journal.wall[2], 1.0, " million/s");
  return item.print();
}

void print_constants() {
  constexpr std::uint64_t n = 3'000'000, n_runs = 500;
  const Journal journal = journal_of(n);
  const SweepPlan sweep = relay_sweep(n_runs);
  const SweepRunner runner(sweep);
  double run = INFINITY;
  for (int k = 0; k < 7; ++k) {
    const double begin = cpu_seconds();
    for (std::uint64_t i = 0; i < n_runs; ++i) (void)runner(i);
    run = std::min(run, (cpu_seconds() - begin) / static_cast<double>(n_runs));
  }
  std::printf("{\"run_s\": %.3g, \"overhead_s\": %.3g, \"record_bytes\": %.3g, \"scan_s\": %.3g}\n",
              run, overhead_per_run(relay_sweep(1'000'000)),
              static_cast<double>(journal.bytes) / static_cast<double>(n),
              journal.cpu[1] / static_cast<double>(n));
}

}  // namespace saltus::bench
