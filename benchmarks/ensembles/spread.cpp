// Runs that take up to a thousand times as long as others keep no worker waiting.
#include <algorithm>
#include <cmath>
#include <thread>

#include <saltus/saltus.hpp>

#include "ensembles/ensembles.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

/// The relay, which ends at a time of its own. The longest runs come last, which is the worst order.
SweepPlan uneven_sweep(std::uint64_t n_runs) {
  Model m("uneven relay");
  Expr stop = m.parameter("stop", 1.0);
  Expr y1 = m.state("y1", 0.0), y2 = m.state("y2", 0.2), y3 = m.state("y3", 0.06);
  Expr relay = sign(y1);
  m.equation("y1", der(y1) == -3.5 * y1 + y2 - relay);
  m.equation("y2", der(y2) == -627.5 * y1 + y3 + 2.0 * relay);
  m.equation("y3", der(y3) == -625.0 * y1 - relay);
  m.terminate_when("end", m.time() > stop);
  Table table{{"stop"}, {}};
  for (std::uint64_t i = 0; i < n_runs; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n_runs - 1);
    table.rows.push_back({0.002 * std::pow(4.0e5, x)});
  }
  Kept kept;
  kept.end = {"y1"};
  RunOptions options{.t_end = 1000.0};
  options.rtol = options.atol = 1e-6;
  return {m.build(), options, Design({table}), kept, "uneven"};
}

}  // namespace

bool show_spread_of_run_times(int number) {
  Item item(number);
  const SweepPlan sweep = uneven_sweep(n_runs_from("SALTUS_UNEVEN_RUNS", 400));
  const SweepRunner runner(sweep);
  const auto seconds_of = [&](std::uint64_t run) {
    // Often enough that the best of a short one is as good as that of a long one.
    double best = INFINITY, all = 0.0;
    for (int k = 0; k < 3 || all < 0.05; ++k) {
      const double begin = cpu_seconds();
      (void)runner(run);
      const double seconds = cpu_seconds() - begin;
      best = std::min(best, seconds);
      all += seconds;
    }
    return best;
  };
  const double spread = seconds_of(sweep.design.n_runs() - 1) / seconds_of(0);
  constexpr std::size_t n_workers = 2;
  bool complete = true;
  double idle = INFINITY;
  // Other programs that take a core away add to it, so that the lesser of two is nearer.
  for (int k = 0; k < 2; ++k) {
    const Folder folder;
    const SweepOptions options;
    MissingRuns missing(sweep, folder.path(), options, n_workers);
    double ends[n_workers] = {};
    const double begin = wall_seconds();
    std::vector<std::thread> workers;
    for (double& end : ends)
      workers.emplace_back([&] {
        work(runner, folder.path(), missing);
        end = wall_seconds();
      });
    for (std::thread& w : workers) w.join();
    const double last = std::max(ends[0], ends[1]);
    idle = std::min(idle, (last - ends[0] + last - ends[1]) / (n_workers * (last - begin)));
    const SweepReport report = missing.report();
    complete = complete && report.complete() && report.progress.n_failed == 0;
  }
  item.at_least("longest over shortest run", spread, 1000.0);
  item.at_most("idle", 100.0 * idle, 5.0, " %");
  item.holds("all runs complete", complete);
  // The twin: equal shares handed out at the beginning.
  std::vector<double> shares(n_workers, 0.0);
  for (std::uint64_t run = 0; run < sweep.design.n_runs(); ++run) {
    const double t = cpu_seconds();
    (void)runner(run);
    shares[run * n_workers / sweep.design.n_runs()] += cpu_seconds() - t;
  }
  const double longest = std::max(shares[0], shares[1]);
  const double fixed = (2.0 * longest - shares[0] - shares[1]) / (n_workers * longest);
  item.at_least("halves handed out at once would idle", 100.0 * fixed, 5.0, " %");
  item.leaves_out("models of different kinds: one relay with ends from 0.002 to 800 s");
  return item.print();
}

}  // namespace saltus::bench
