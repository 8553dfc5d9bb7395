// Item 6: work beside an oracle that knows all changes of mode; modes are analysed once.
#include <cmath>
#include <cstdio>

#include "modes/mode_runs.hpp"
#include "modes/modes.hpp"

namespace saltus::bench {

namespace {

using namespace problems;

/// Evaluations of the equations.
struct ModeWorkSums {
  double run = 0.0, oracle = 0.0, repeated = 0.0, consistent = 0.0, given_up = 0.0;
  double analyses = 0.0;  // of modes, once each: neither in `run` nor in `oracle`

  ModeWorkSums& operator+=(const ModeWorkSums& w) {
    run += w.run, oracle += w.oracle;
    repeated += w.repeated, consistent += w.consistent, given_up += w.given_up;
    analyses += w.analyses;
    return *this;
  }
  void print(const std::string& who, double tolerance) const {
    std::printf(
        "   %-24s %.0e %7.0f beside %7.0f = %.3f; surplus %.0f: repeated steps %.0f, given up "
        "%.0f, "
        "consistency %.0f, other %.0f; analyses of modes %.0f\n",
        who.c_str(), tolerance, run, oracle, run / oracle, run - oracle, repeated, given_up,
        consistent, run - oracle - repeated - given_up - consistent, analyses);
    std::fflush(stdout);
  }
};

/// A ball that comes to rest: the oracle bounces as often as the run.
ModeProblem as_run(const ModeProblem& p, const Solution& s) {
  if (p.name != resting_ball().name) return p;
  int n_impacts = 0;
  for (const Event& e : s.events()) n_impacts += e.kind == EventKind::action && e.name == "bounce";
  return resting_ball(n_impacts);
}

ModeWorkSums measure_mode_work(const ModeProblem& p, EngineKind engine, double tolerance,
                               bool& complete) {
  const Solution s = run_modes(p, engine, tolerance);
  const ModeOracleRun o = best_mode_oracle(as_run(p, s), engine, tolerance);
  const ModeComparison c = compare_modes(s.event_log, p);
  if (!s.ok() || !c.complete || !o.ok) {
    complete = false;
    std::printf("     %s %s %g: %s %s %s\n", p.name.c_str(), std::string(name(engine)).c_str(),
                tolerance, s.report.message.c_str(), c.first_difference.c_str(), o.message.c_str());
    return {};
  }
  const EventWork& events = s.report.events;
  ModeWorkSums sums;
  sums.run =
      static_cast<double>(s.report.total_work().n_evaluations + events.n_evaluations_iterate);
  sums.oracle = o.n_evaluations;
  sums.repeated = static_cast<double>(events.n_evaluations_locate);
  sums.consistent = static_cast<double>(events.n_evaluations_iterate);
  sums.given_up = static_cast<double>(events.n_evaluations_one_sided);
  sums.analyses = static_cast<double>(events.n_evaluations_analyse);
  return sums;
}

void compare_with_mode_oracle(Item& item) {
  constexpr double bounds[] = {1.8, 1.5, 1.25, 1.15};
  bool complete = true;
  for (std::size_t k = 0; k < std::size(mode_tolerances); ++k) {
    ModeWorkSums all;
    std::string by_engine;
    for (const EngineKind engine : mode_engines) {
      ModeWorkSums sums;
      for (const ModeProblem& p : mode_problems()) {
        const ModeWorkSums one = measure_mode_work(p, engine, mode_tolerances[k], complete);
        one.print(p.name + " " + std::string(name(engine)), mode_tolerances[k]);
        sums += one;
      }
      char text[32];
      std::snprintf(text, sizeof text, "%s %.2f", std::string(name(engine)).c_str(),
                    sums.run / sums.oracle);
      by_engine += (by_engine.empty() ? "" : ", ") + std::string(text);
      all += sums;
    }
    all.print("all", mode_tolerances[k]);
    item.at_most("at " + to_text(mode_tolerances[k]), all.run / all.oracle, bounds[k]);
    item.note("[" + by_engine + "; beside " + to_text(std::round(100 * all.analyses / all.oracle)) +
              " % for analyses of modes]");
  }
  item.holds(complete ? "all modes right" : "modes differ", complete);
}

/// A hundred periods.
void count_analyses(Item& item) {
  RunOptions o = mode_run_options(0.0, 16.0, EngineKind::radau, 1e-6);
  const Solution s = simulate(write_model(boost_converter_dcm()), o);
  std::uint64_t n_entries = 0, most = 0, n_known = 0;
  for (const ModeVisit& v : s.report.modes) {
    n_entries += v.n_stays + v.n_tentative;
    most = std::max({most, v.n_analyses, v.n_reductions});
    n_known += v.n_analyses > 0 || v.n_reductions > 0;
  }
  item.holds(std::to_string(n_entries) + " entries of " + std::to_string(s.report.modes.size()) +
                 " modes, none analysed or reduced more than " + std::to_string(most) + " times",
             s.ok() && n_entries > 400 && n_known > 0 && most == 1);
}

}  // namespace

bool show_mode_work(int number) {
  Item item(number);
  compare_with_mode_oracle(item);
  count_analyses(item);
  item.leaves_out("evaluations for analyses of modes, shown beside");
  return item.print();
}

}  // namespace saltus::bench
