// Sampling, handing out and the journal, beside the runs themselves; two threads beside one.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

#include "ensembles/ensembles.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

double overhead_per_run(const SweepPlan& sweep) {
  const Folder folder;
  const SweepOptions options{.progress = [](const SweepProgress&) { return true; }};
  MissingRuns missing(sweep, folder.path(), options, 1);
  auto writer = JournalWriter::create(folder.path(), sweep.fingerprint());
  const std::vector<double> kept(sweep.kept.columns().size(), 1.0 / 3.0);
  std::vector<double> values(sweep.design.names().size());
  const double begin = cpu_seconds();
  for (auto runs = missing.take(); !runs.empty(); runs = missing.take())
    for (const std::uint64_t run : runs) {
      sweep.design.values(run, values);
      (void)writer->add({run, RunOutcome::complete, kept, {}});
      missing.done(run, false);
    }
  (void)writer->flush();
  return (cpu_seconds() - begin) / static_cast<double>(sweep.design.n_runs());
}

namespace {

/// Seconds for which this thread could have gone on but had no core, which is what other programs cost (Linux; else 0).
double seconds_without_core() {
  std::ifstream file("/proc/thread-self/schedstat");
  double on_core = 0.0, waited = 0.0;
  return file >> on_core >> waited ? 1e-9 * waited : 0.0;
}

/// What threads that all do `work` take of the cores they have, at work or idle, the wait for them left out: on a quiet machine
/// the threads times the time it takes.
template <class Work>
double core_seconds(std::uint32_t n_threads, const Work& work) {
  std::vector<double> waited(n_threads), ends(n_threads);
  std::vector<std::thread> threads;
  const double begin = wall_seconds();
  for (std::uint32_t i = 0; i < n_threads; ++i)
    threads.emplace_back([&, i] {
      const double before = seconds_without_core();
      work();
      waited[i] = seconds_without_core() - before;
      ends[i] = wall_seconds();
    });
  for (std::thread& thread : threads) thread.join();
  const double wall = *std::ranges::max_element(ends) - begin;
  double all = 0.0;
  for (const double w : waited) all += wall - w;
  return all;
}

double core_seconds_of(const SweepPlan& sweep, const std::filesystem::path& folder,
                       std::uint32_t n_threads) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const SweepRunner runner(sweep);
  const SweepOptions options;
  MissingRuns missing(sweep, folder, options, n_threads);
  const double all = core_seconds(n_threads, [&] { work(runner, folder, missing); });
  return missing.report().complete() ? all : INFINITY;
}

/// The same of arithmetic that shares nothing and needs no memory: what the machine has to give. A processor may be faster
/// while one core is at work, or its cores may share a core of the host.
double core_seconds_of_arithmetic(std::uint32_t n_threads) {
  return core_seconds(n_threads, [&] {
    constexpr std::uint64_t n_rounds = 200'000'000;
    // Sums that do not wait for each other, as instructions of programs do not.
    std::array<std::uint64_t, 4> sum{};
    for (std::uint64_t k = 0; k < n_rounds / n_threads; ++k)
      for (std::uint64_t j = 0; j < sum.size(); ++j) sum[j] = (sum[j] ^ k) + j;
    volatile std::uint64_t kept = sum[0] + sum[1] + sum[2] + sum[3];
    (void)kept;
  });
}

/// CPU time of a sweep by one worker over that of the same runs in a loop, which is all a hand-written one could be.
double beside_bare_runs(const SweepPlan& sweep) {
  const SweepRunner runner(sweep);
  const SweepOptions options;
  double best_sweep = INFINITY, best_loop = INFINITY;
  // Short and many, so that some are undisturbed, but long beside making a folder and a journal.
  for (int k = 0; k < 40; ++k) {
    const Folder folder;
    double begin = cpu_seconds();
    MissingRuns missing(sweep, folder.path(), options, 1);
    work(runner, folder.path(), missing);
    best_sweep = std::min(best_sweep, cpu_seconds() - begin);
    begin = cpu_seconds();
    for (std::uint64_t run = 0; run < sweep.design.n_runs(); ++run) (void)runner(run);
    best_loop = std::min(best_loop, cpu_seconds() - begin);
  }
  return best_sweep / best_loop - 1.0;
}

bool same_bits(const SweepTable& a, const SweepTable& b) {
  if (a.n_runs() != b.n_runs() || a.n_known() != b.n_known() || a.n_failed() != b.n_failed())
    return false;
  for (std::uint64_t run = 0; run < a.n_runs(); ++run) {
    const auto p = a.row(run), q = b.row(run);
    if (p.size() != q.size() || std::memcmp(p.data(), q.data(), p.size_bytes()) != 0) return false;
  }
  return true;
}

}  // namespace

bool show_sweep_overhead(int number) {
  Item item(number);
  const std::uint64_t n = n_runs_from("SALTUS_SWEEP_RUNS", 1'000'000);
  const SweepPlan sweep = relay_sweep(n), part = relay_sweep(std::min<std::uint64_t>(n, 20'000));
  const Folder folder;
  const auto one = folder.path() / "one", two = folder.path() / "two", all = folder.path() / "all";
  double best_one = INFINITY, best_two = INFINITY, plain_one = INFINITY, plain_two = INFINITY;
  // In turn, short and many: the speed of a core may change by a third within minutes.
  const SweepPlan slice = relay_sweep(std::min<std::uint64_t>(n, 2'000));
  for (int k = 0; k < 30; ++k) {
    best_one = std::min(best_one, core_seconds_of(slice, one, 1));
    plain_one = std::min(plain_one, core_seconds_of_arithmetic(1));
    best_two = std::min(best_two, core_seconds_of(slice, two, 2));
    plain_two = std::min(plain_two, core_seconds_of_arithmetic(2));
  }
  (void)core_seconds_of(part, one, 1);
  (void)core_seconds_of(part, two, 2);
  const double per_run = best_one / static_cast<double>(slice.design.n_runs());
  const double overhead = overhead_per_run(sweep);
  item.note(std::to_string(n) + " runs of " + std::to_string(static_cast<int>(1e6 * per_run)) +
            " us");
  item.at_most("sampling, handing out, journal", 1e6 * overhead, 3.0, " us");
  item.at_most("of the run", 100.0 * overhead / per_run, 3.0, " %");
  item.at_most("a sweep beside a loop of its runs",
               100.0 * beside_bare_runs(relay_sweep(std::min<std::uint64_t>(n, 400))), 3.0, " %");
  item.at_least("efficiency of 2 threads", best_one / best_two, 0.9);
  char plain[64];
  std::snprintf(plain, sizeof plain, "of arithmetic in registers %.3g", plain_one / plain_two);
  item.note(plain);
  item.holds("bits of 1 and 2 threads equal",
             same_bits(SweepTable(part, one), SweepTable(part, two)));
  std::filesystem::create_directories(all);
  for (std::uint64_t k = 0; k < 3; ++k)
    (void)run_sweep(part, all, {.n_threads = 2, .shard = k, .n_shards = 3});
  item.holds("and of 3 shares", same_bits(SweepTable(part, one), SweepTable(part, all)));
  const double begin = wall_seconds();
  std::filesystem::remove_all(all);
  std::filesystem::create_directories(all);
  const SweepReport whole = run_sweep(sweep, all, {.n_threads = 2});
  item.holds("all of them complete", whole.complete() && whole.progress.n_failed == 0);
  item.note(std::to_string(static_cast<int>(wall_seconds() - begin)) + " s");
  item.leaves_out("bits of more than 20,000 runs; ranks run 20,000");
  return item.print();
}

}  // namespace saltus::bench
