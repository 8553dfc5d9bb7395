// How fast records are written, scanned and put in order: what limits sweeps of many runs.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <saltus/io/run_table.hpp>

#include "ensembles/ensembles.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

/// As `saltus sweep finalize` does it.
RunTable table_of(const SweepPlan& sweep, const SweepRows& rows) {
  RunTable table;
  table.title = "relay";
  for (const std::string& name : sweep.design.names()) table.columns.push_back({name, true});
  for (const std::string& name : sweep.kept.columns()) table.columns.push_back({name, false});
  table.n_runs = rows.n_runs();
  table.read = [&](const std::function<void(const RunRows&)>& block) {
    each_columns(sweep, rows, run_block_size(sweep.kept.columns().size()),
                 [&](const SweepColumns& columns) {
                   RunRows some;
                   some.first = columns.first_run;
                   some.columns.assign(columns.columns.begin(), columns.columns.end());
                   for (const RunState state : columns.states)
                     some.endings.push_back(static_cast<RunEnding>(state));
                   block(some);
                 });
  };
  return table;
}

/// The largest part of memory that this process ever had, in bytes.
double peak_bytes() {
  struct rusage use {};
  ::getrusage(RUSAGE_SELF, &use);
  return 1024.0 * static_cast<double>(use.ru_maxrss);
}

/// How long each took, in seconds of the wall and of the CPU.
struct Journal {
  enum Stage { written, scanned, to_hdf5, to_csv, in_order, n_stages };
  double wall[n_stages] = {}, cpu[n_stages] = {};
  std::uintmax_t bytes = 0;
  double peak_bytes = 0.0;  // of memory, before the table that is there as a whole
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
  for (const bool hdf5 : {true, false}) {
    const SweepRows rows(sweep, folder.path());
    const std::filesystem::path path = folder.path() / "table";
    (hdf5 ? save_runs_hdf5 : save_runs_csv)(table_of(sweep, rows), path.string());
    end_of_stage();
    std::filesystem::remove(path);
  }
  found.peak_bytes = peak_bytes();
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
  item.at_least("written", millions / journal.wall[Journal::written], 1.0, " million/s");
  item.at_least("scanned", millions / journal.wall[Journal::scanned], 1.0, " million/s");
  item.at_least("in order", millions / journal.wall[Journal::in_order], 1.0, " million/s");
  item.at_least("finalized to HDF5", millions / journal.wall[Journal::to_hdf5], 0.3, " million/s");
  item.at_least("to CSV", millions / journal.wall[Journal::to_csv], 0.15, " million/s");
  // A byte per run, and blocks that do not grow.
  item.at_most("memory", journal.peak_bytes / 1e6, 400.0 + 1.0 * millions, " MB");
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
  std::printf(
      "{\"run_s\": %.3g, \"overhead_s\": %.3g, \"record_bytes\": %.3g, \"scan_s\": %.3g, "
      "\"table_s\": %.3g, \"table_bytes\": %.3g}\n",
      run, overhead_per_run(relay_sweep(1'000'000)),
      static_cast<double>(journal.bytes) / static_cast<double>(n),
      journal.cpu[Journal::scanned] / static_cast<double>(n),
      journal.cpu[Journal::to_hdf5] / static_cast<double>(n),
      journal.peak_bytes - static_cast<double>(n));  // beyond the byte per run
}

}  // namespace saltus::bench
