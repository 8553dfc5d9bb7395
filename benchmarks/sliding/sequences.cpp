// Item 1: complete sequences of crossings, entries and exits, at the right times.
#include <cstdlib>
#include <limits>

#include "sliding/sliding.hpp"
#include "sliding/sliding_runs.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

constexpr double one_step_tolerances = 300.0, ida_tolerances = 5000.0;

/// What all problems together came to.
struct SlidingSequences {
  int n_runs = 0, n_wrong = 0, n_marginal = 0, n_late = 0, n_flat = 0, n_by_oracle = 0;
  double worst_one_step = 0.0, worst_ida = 0.0;  // errors of times in tolerances
  double slowest_fall = std::numeric_limits<double>::infinity();
  std::string first_wrong;

  void wrong(const std::string& who, const std::string& what) {
    ++n_wrong;
    if (first_wrong.empty()) first_wrong = who + ": " + what;
    std::printf("\n     %s: %s\n", who.c_str(), what.c_str());
  }
};

double largest_of(const std::vector<double>& values) {
  double most = 0.0;
  for (const double v : values) most = std::max(most, v);
  return most;
}

/// One run. `may_be_marginal`: a difference is no error if the run says that it was too close to call.
SlidingComparison run_one(SlidingSequences& all, const WrittenProblem& w, SlidingOracle& oracle,
                          const RunOptions& o, bool may_be_marginal = false) {
  ++all.n_runs;
  const bool is_ida = o.engine == EngineKind::ida;
  const std::string who = w.name + " " + text_of(o.engine) + " " + to_text(o.rtol);
  const Solution s = try_to_simulate(w, o);
  // A tenth of a tolerance is as good as none: some exits are functions of time alone, and exact.
  const SlidingComparison c = compare_sliding(s, w.problem, 0.1 * o.rtol);
  if (!s.ok()) {
    all.wrong(who, s.report.message);
    return c;
  }
  if (!c.complete) {
    if (may_be_marginal && says_marginal(s, w.problem)) {
      ++all.n_marginal;
      const auto lost = first_lost(counted_sliding_events(s.event_log), w.problem.events);
      std::printf(" [marginal where it first differs, t = %.4f: %zu of %zu events]",
                  lost ? lost->t : 0.0, c.n_found, c.n_expected);
    } else {
      all.wrong(who, c.first_difference);
    }
    return c;
  }
  const double error = c.largest_time_error;
  double& worst = is_ida ? all.worst_ida : all.worst_one_step;
  worst = std::max(worst, error / o.rtol);
  const char* mark = "";
  if (error > (is_ida ? ida_tolerances : one_step_tolerances) * o.rtol) {
    const double reached = largest_of(oracle.located(o.engine, o.rtol, o.atol).time_errors);
    const bool excused = error <= 1.5 * reached;
    ++(excused ? all.n_by_oracle : all.n_late);
    mark = excused ? "o" : "L";
    std::printf(" [oracle %.1e]", reached / o.rtol);
  }
  std::printf(" %8.1e%s", error / o.rtol, mark);
  std::fflush(stdout);
  return c;
}

/// Geometric mean, over pairs of tolerances two decades apart, of the factors by which geometric means of errors fall.
double fall_per_two_decades(const std::vector<double>& mean_logs) {
  return std::exp((mean_logs.front() - mean_logs.back()) /
                  static_cast<double>(mean_logs.size() - 1));
}

void run_all_tolerances(SlidingSequences& all, const WrittenProblem& w, SlidingOracle& oracle,
                        EngineKind engine) {
  std::printf("   %-24s %-7s", w.name.c_str(), text_of(engine).c_str());
  std::vector<double> mean_logs;
  for (const double tolerance : sliding_tolerances) {
    // Steps of IDA at 1e-4 are as long as the shortest stretches of the relay.
    const bool may_be_marginal =
        w.name == disode_p3().name && engine == EngineKind::ida && tolerance == 1e-4;
    const SlidingComparison c =
        run_one(all, w, oracle, sliding_run_options(w.problem, engine, tolerance), may_be_marginal);
    if (c.complete) mean_logs.push_back(c.mean_log_time_error);
  }
  if (mean_logs.size() >= 2) {
    const double fall = fall_per_two_decades(mean_logs);
    all.slowest_fall = std::min(all.slowest_fall, fall);
    if (fall < 10.0) ++all.n_flat;
    std::printf("  falls %.0f-fold%s", fall, fall < 10.0 ? " F" : "");
  }
  std::printf("\n");
}

/// Too coarse for the last events of problem 4: what is lost must be called marginal.
void run_coarse(SlidingSequences& all, const WrittenProblem& w, SlidingOracle& oracle) {
  if (w.name != disode_p4().name) return;
  for (const EngineKind engine : sliding_engines) {
    std::printf("   %-24s %-7s at 1e-3:", w.name.c_str(), text_of(engine).c_str());
    run_one(all, w, oracle, sliding_run_options(w.problem, engine, 1e-3), true);
    std::printf("\n");
  }
}

/// Index 3, two hundred unknowns: minutes. SALTUS_STRINGS=explicit: only the fastest engine.
void run_strings(SlidingSequences& all) {
  const char* asked = std::getenv("SALTUS_STRINGS");
  const bool few = asked != nullptr && std::string(asked) == "explicit";
  for (const SlidingProblem& p : {bowed_string(), bowed_string_light()}) {
    const WrittenProblem w = as_model(p);
    SlidingOracle oracle(p);
    for (const EngineKind engine : sliding_engines) {
      if (few && engine != EngineKind::dop853) continue;
      std::printf("   %-24s %-7s", w.name.c_str(), text_of(engine).c_str());
      std::fflush(stdout);
      run_one(all, w, oracle, sliding_run_options(p, engine, 1e-6, 1e-10));
      std::printf("\n");
    }
  }
}

}  // namespace

bool show_sliding_sequences(int number) {
  Item item(number);
  SlidingSequences all;
  std::printf(
      "   largest error of a time in tolerances, at 1e-4, 1e-6, 1e-8, 1e-10 (o: as the oracle)\n");
  for (const WrittenProblem& w : written_problems()) {
    SlidingOracle oracle(w.problem);
    for (const EngineKind engine : sliding_engines) run_all_tolerances(all, w, oracle, engine);
    run_coarse(all, w, oracle);
  }
  run_strings(all);
  item.holds(std::to_string(all.n_runs - all.n_wrong) + " of " + std::to_string(all.n_runs) +
                 " sequences complete or, where that may be, with the first differing step called "
                 "marginal (" +
                 std::to_string(all.n_marginal) + ")",
             all.n_wrong == 0);
  if (all.n_wrong > 0) item.note(all.first_wrong);
  item.holds("times off by " + to_text(std::round(all.worst_one_step)) +
                 " tolerances on one-step engines, " + to_text(std::round(all.worst_ida)) +
                 " on ida; " + std::to_string(all.n_late) +
                 " beyond 300 or 5000 and 1.5 times the oracle's, " +
                 std::to_string(all.n_by_oracle) + " as late as the oracle",
             all.n_late == 0);
  item.holds(std::to_string(all.n_flat) + " falling less than tenfold per two decades",
             all.n_flat == 0);
  item.at_least("slowest", all.slowest_fall, 10.0, "-fold");
  item.leaves_out(
      "strings at other tolerances than 1e-6 and 1e-10; the fall is that of geometric means over "
      "all decades, "
      "errors below a tenth of a tolerance count as that");
  return item.print();
}

}  // namespace saltus::bench
