// Item 6: work beside an oracle that knows all events, and what the number of switches does to it.
#include <cstdio>

#include "events/event_runs.hpp"
#include "events/events.hpp"
#include "events/many_switches.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

/// Evaluations of the equations over a set of problems.
struct WorkSums {
  double run = 0.0, oracle = 0.0;
  double repeated = 0.0, consistent = 0.0, given_up = 0.0;            // parts of `run`
  std::uint64_t n_failures = 0, n_failures_oracle = 0, n_starts = 0;  // steps rejected, restarts

  WorkSums& operator+=(const WorkSums& w) {
    run += w.run, oracle += w.oracle;
    repeated += w.repeated, consistent += w.consistent, given_up += w.given_up;
    n_failures += w.n_failures, n_failures_oracle += w.n_failures_oracle, n_starts += w.n_starts;
    return *this;
  }
};

/// A chaotic problem is left after its last comparable event.
SwitchedProblem up_to_last_event(SwitchedProblem p) {
  p.t_end = p.events.back().t + 1e-4;
  return p;
}

WorkSums measure_work(const WrittenModel& written, Oracle& oracle, EngineKind engine,
                      double tolerance, bool& complete) {
  const SwitchedProblem& p = oracle.problem();
  const Solution s = simulate(written.definition, event_run_options(p, engine, tolerance));
  const OracleRun o = oracle.best({.engine = engine, .tolerance = tolerance});
  const SequenceComparison c =
      compare_events(counted_events(s.event_log), p.events, written.texts, true, tolerance);
  if (!s.ok() || !c.complete || !o.ok) {
    complete = false;
    std::printf("     %s %s %g: %s %s %s\n", p.name.c_str(), std::string(name(engine)).c_str(),
                tolerance, s.report.message.c_str(), c.first_difference.c_str(), o.message.c_str());
  }
  const WorkCounts work = s.report.total_work();
  WorkSums sums;
  sums.run = static_cast<double>(work.n_evaluations + s.report.events.n_evaluations_iterate);
  sums.oracle = static_cast<double>(o.work.n_evaluations);
  sums.repeated = static_cast<double>(s.report.events.n_evaluations_locate);
  sums.consistent = static_cast<double>(s.report.events.n_evaluations_iterate);
  sums.given_up = static_cast<double>(s.report.events.n_evaluations_one_sided);
  sums.n_failures = work.n_error_failures + work.n_convergence_failures;
  sums.n_failures_oracle = o.work.n_error_failures + o.work.n_convergence_failures;
  sums.n_starts = work.n_starts;
  return sums;
}

void print_sums(const std::string& who, double tolerance, const WorkSums& w) {
  const double surplus = w.run - w.oracle;
  std::printf(
      "   %-18s %.0e  %7.0f beside %7.0f = %.3f; surplus %.0f: repeated steps %.0f, given up "
      "%.0f, consistency %.0f, other %.0f (rejected %llu beside %llu, %llu starts)\n",
      who.c_str(), tolerance, w.run, w.oracle, w.run / w.oracle, surplus, w.repeated, w.given_up,
      w.consistent, surplus - w.repeated - w.given_up - w.consistent,
      static_cast<unsigned long long>(w.n_failures),
      static_cast<unsigned long long>(w.n_failures_oracle),
      static_cast<unsigned long long>(w.n_starts));
  std::fflush(stdout);
}

void compare_with_oracle(Item& item) {
  std::vector<SwitchedProblem> set = switched_problems();
  set.push_back(up_to_last_event(marble_jar_2()));
  set.push_back(up_to_last_event(marble_jar_4()));
  std::vector<std::unique_ptr<Oracle>> oracles;
  std::vector<WrittenModel> models;
  for (const SwitchedProblem& p : set) {
    oracles.push_back(std::make_unique<Oracle>(p));
    models.push_back(write_model(p));
  }
  bool complete = true;
  constexpr double bounds[] = {1.8, 1.5, 1.25, 1.15};
  std::string by_engine;
  for (std::size_t k = 0; k < std::size(event_tolerances); ++k) {
    const double tolerance = event_tolerances[k];
    WorkSums all;
    for (const EngineKind engine :
         {EngineKind::dopri5, EngineKind::dop853, EngineKind::radau, EngineKind::ida}) {
      WorkSums sums;
      for (std::size_t i = 0; i < set.size(); ++i) {
        if (!set[i].explicit_engines && is_explicit(engine)) continue;
        sums += measure_work(models[i], *oracles[i], engine, tolerance, complete);
      }
      print_sums(std::string(name(engine)), tolerance, sums);
      char text[32];
      std::snprintf(text, sizeof text, "%s %.2f", std::string(name(engine)).c_str(),
                    sums.run / sums.oracle);
      by_engine += (by_engine.empty() ? "" : ", ") + std::string(text);
      all += sums;
    }
    print_sums("all engines", tolerance, all);
    item.at_most("at " + to_text(tolerance), all.run / all.oracle, bounds[k]);
    item.note("[" + by_engine + "]");
    by_engine.clear();
  }
  item.holds(complete ? "all sequences complete" : "sequences differ", complete);
}

/// A hundred events each, whatever the number of switches.
void count_switches(Item& item) {
  double worst = 0.0;
  for (const EngineKind engine : {EngineKind::dopri5, EngineKind::radau, EngineKind::ida}) {
    SwitchCounts first;
    for (const std::uint32_t n : {100u, 1000u, 10000u}) {
      const SwitchCounts c = count_per_event(engine, n);
      std::printf(
          "   %-7s %6u switches: per event %.2f evaluations, %.2f Jacobians, %.2f "
          "factorisations, %.1f allocations; %.0f events, %.0f us\n",
          std::string(name(engine)).c_str(), n, c.evaluations, c.jacobians, c.factorizations,
          c.allocations, c.events, c.microseconds);
      std::fflush(stdout);
      if (n == 100) first = c;
      worst = std::max(worst, c.largest_deviation_from(first));
    }
  }
  item.at_most("100 to 10,000 switches: counts per event differ by", 100 * worst, 5.0, "%");
}

}  // namespace

bool show_event_work(int number) {
  Item item(number);
  compare_with_oracle(item);
  count_switches(item);
  item.leaves_out(
      "bouncing balls, marbles after event 20; Jacobians are counted on neither side; the bound is "
      "on all "
      "engines together");
  return item.print();
}

}  // namespace saltus::bench
