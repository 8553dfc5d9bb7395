// Item 8: IDA after restarts, beside the same engine on the same stretches that is told when they end.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "events/event_runs.hpp"
#include "modes/mode_runs.hpp"
#include "sliding/sliding_runs.hpp"
#include "support/measure.hpp"
#include "trust/trust.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

/// Errors of few restarts may cancel: each figure is the geometric mean over tolerances close to each other.
constexpr double beside[] = {0.6, 0.8, 1.0, 1.25, 1.6};
constexpr double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};

struct Errors {
  enum class Sequence { complete, marginal, other };
  Sequence sequence = Sequence::other;
  double run = 0.0, oracle = 0.0;
};
using Sequence = Errors::Sequence;

struct Restarts {
  int n = 0, n_failed = 0, n_marginal = 0, n_beyond = 0;
  double worst = 0.0;
  std::string worst_where;
};

/// `measure` says both errors at one tolerance. Less than one tolerance is as good as one.
template <class Measure>
void add_problem(Restarts& all, const std::string& who, const Measure& measure) {
  std::printf("   %-26s", who.c_str());
  for (const double tolerance : tolerances) {
    double log_run = 0.0, log_oracle = 0.0;
    int n_complete = 0;
    for (const double factor : beside) {
      const double t = factor * tolerance;
      const Errors e = measure(t);
      ++all.n;
      if (e.sequence == Sequence::other || !std::isfinite(e.run)) {
        ++all.n_failed;
        std::printf(" [other events at %.1e]", t);
      }
      if (e.sequence == Sequence::marginal) ++all.n_marginal;
      if (e.sequence != Sequence::complete) continue;
      ++n_complete;
      log_run += std::log(std::max(e.run / t, 1.0));
      log_oracle += std::log(std::max(e.oracle / t, 1.0));
    }
    if (n_complete == 0) continue;
    log_run /= n_complete;
    log_oracle /= n_complete;
    const double ratio = std::exp(log_run - log_oracle);
    if (ratio > 10.0) ++all.n_beyond;
    if (ratio > all.worst) {
      all.worst = ratio;
      all.worst_where = who + " at " + to_text(tolerance);
    }
    std::printf("  %7.1f /%7.1f =%6.1f", std::exp(log_run), std::exp(log_oracle), ratio);
    std::fflush(stdout);
  }
  std::printf("\n");
}

void add_events(Restarts& all) {
  for (const SwitchedProblem& p : problems_with_balls()) {
    Oracle oracle(p);
    const WrittenModel written = write_model(p);
    add_problem(all, p.name, [&](double tolerance) {
      const Solution s =
          simulate(written.definition, event_run_options(p, EngineKind::ida, tolerance));
      const OracleOptions o{.engine = EngineKind::ida, .tolerance = tolerance};
      const auto found = oracle_found_errors(oracle, o);
      const double reached = largest(found ? *found : oracle_time_errors(oracle, o));
      // Where the oracle cannot tell the order of events a run need not.
      const SequenceComparison c = compare_events(
          counted_events(s.event_log), p.events, written.texts, true, std::max(tolerance, reached));
      return Errors{s.ok() && c.complete ? Sequence::complete : Sequence::other,
                    c.largest_time_error, reached};
    });
  }
}

void add_sliding(Restarts& all) {
  for (const WrittenProblem& w : written_problems()) {
    SlidingOracle oracle(w.problem);
    add_problem(all, w.name, [&](double tolerance) {
      const RunOptions o = sliding_run_options(w.problem, EngineKind::ida, tolerance);
      const Solution s = try_to_simulate(w, o);
      const SlidingComparison c = compare_sliding(s, w.problem, 0.1 * tolerance);
      const bool is_marginal = s.ok() && !c.complete && says_marginal(s, w.problem);
      return Errors{s.ok() && c.complete ? Sequence::complete
                    : is_marginal        ? Sequence::marginal
                                         : Sequence::other,
                    c.largest_time_error,
                    largest(oracle.located(EngineKind::ida, o.rtol, o.atol).time_errors)};
    });
  }
}

void add_modes(Restarts& all) {
  for (const ModeProblem& p : mode_problems()) {
    add_problem(all, p.name, [&](double tolerance) {
      const Solution s = run_modes(p, EngineKind::ida, tolerance);
      const ModeComparison c = compare_modes(s.event_log, p);
      // With steps carried on: a fresh start of ida begins with steps a thousand times as short.
      const ModeOracleRun told = run_mode_oracle(p, EngineKind::ida, tolerance, true);
      return Errors{s.ok() && told.ok && c.complete ? Sequence::complete : Sequence::other,
                    std::max(c.largest_time_error, end_error(s, p)),
                    std::max(told.end_error, told.time_error)};
    });
  }
}

}  // namespace

bool show_restarts_of_ida(int number) {
  Restarts all;
  std::printf(
      "   largest error in tolerances, of a run and of the oracle, at 1e-4, 1e-6, 1e-8, 1e-10\n");
  add_events(all);
  add_modes(all);
  add_sliding(all);
  Item item(number);
  item.holds(std::to_string(all.n_failed) + " of " + std::to_string(all.n) +
                 " runs with other events (" + std::to_string(all.n_marginal) +
                 " more say that they are marginal where they differ)",
             all.n_failed == 0);
  item.note(std::to_string(all.n_beyond) + " beyond ten times the oracle");
  item.at_most("ida after restarts, at most (" + all.worst_where + ")", all.worst, 10.0,
               " times the oracle");
  item.leaves_out(
      "oracles of modes are told the state after each event, and those of balls too close to be "
      "told apart the time; "
      "each ratio is a geometric mean over five tolerances");
  return item.print();
}

}  // namespace saltus::bench
