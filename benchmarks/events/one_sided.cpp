// Item 7: structural pounding whose square roots are not defined, or throw, beyond their surface.
#include <cstdio>

#include "events/event_runs.hpp"
#include "events/events.hpp"
#include "problems/disode_p2_functions.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

struct OneSidedResults {
  int n_runs = 0, n_complete = 0, n_late = 0;
  double worst_one_step = 0.0, worst_ida = 0.0;
  std::string first_wrong;
};

void run_one_sided(OneSidedResults& all, const std::string& who,
                   const std::map<std::string, std::string>& texts,
                   const std::function<Solution(const RunOptions&)>& simulate_it) {
  const SwitchedProblem p = pounding();
  Oracle oracle(p);
  for (const EngineKind engine : engines_for(p)) {
    std::printf("   %-28s %-7s", who.c_str(), std::string(name(engine)).c_str());
    for (const double tolerance : event_tolerances) {
      ++all.n_runs;
      const Solution s = simulate_it(event_run_options(p, engine, tolerance));
      const SequenceComparison c = compare_events(counted_events(s.event_log), p.events, texts);
      const double error = c.largest_time_error / tolerance;
      const double allowed = engine == EngineKind::ida ? 5000.0 : 300.0;
      double& worst = engine == EngineKind::ida ? all.worst_ida : all.worst_one_step;
      worst = std::max(worst, error);
      if (error > allowed &&
          c.largest_time_error > 1.5 * largest(oracle_time_errors(
                                           oracle, {.engine = engine, .tolerance = tolerance}))) {
        ++all.n_late;
      }
      all.n_complete += s.ok() && c.complete;
      std::printf(" %2zu %7.1e (%llu)", c.n_alike, error,
                  static_cast<unsigned long long>(s.report.total_work().n_evaluations));
      if (!s.ok() || !c.complete) {
        const std::string& what = s.ok() ? c.first_difference : s.report.message;
        if (all.first_wrong.empty())
          all.first_wrong = who + " " + std::string(name(engine)) + ": " + what;
        std::printf("\n     %s\n", what.c_str());
      }
      std::fflush(stdout);
    }
    std::printf("\n");
  }
}

}  // namespace

bool show_one_sided(int number) {
  std::printf("   events alike, error of times in tolerances (evaluations) at 1e-4 to 1e-10\n");
  OneSidedResults all;
  const std::map<std::string, std::string> texts = {{"contact", "contact"}, {"approach", "speed"}};
  const auto throwing = make_system(disode_p2_locked_functions(BeyondSurface::throws));
  run_one_sided(all, "told its side, throws", texts,
                [&](const RunOptions& o) { return simulate(throwing, o); });
  const auto own_signs = make_system(disode_p2_functions());
  run_one_sided(all, "f and g only", texts,
                [&](const RunOptions& o) { return simulate(own_signs, o); });
  const WrittenModel written = write_model(pounding());
  run_one_sided(all, "model, not a number beyond", written.texts,
                [&](const RunOptions& o) { return simulate(written.definition, o); });
  Item item(number);
  item.holds(std::to_string(all.n_complete) + " of " + std::to_string(all.n_runs) +
                 " runs with all 18 events",
             all.n_complete == all.n_runs);
  if (!all.first_wrong.empty()) item.note(all.first_wrong);
  item.note("times off by " + to_text(std::round(all.worst_one_step)) + " tolerances, " +
            to_text(std::round(all.worst_ida)) + " on ida");
  item.at_most("later than 300 (5,000) tolerances and the oracle", all.n_late, 0);
  return item.print();
}

}  // namespace saltus::bench
