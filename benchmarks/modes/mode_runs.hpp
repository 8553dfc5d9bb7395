// One named problem on one engine at one tolerance, as several items need it.
#pragma once

#include <cstdio>
#include <string>

#include "modes/mode_oracle.hpp"
#include "problems/mode_problems.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

inline constexpr double mode_tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
inline constexpr EngineKind mode_engines[] = {EngineKind::radau, EngineKind::ida};
inline double tolerances_allowed(EngineKind engine) {
  return engine == EngineKind::ida ? 5000.0 : 300.0;
}

/// What runs of several problems came to.
struct ModeRuns {
  int n_runs = 0, n_wrong = 0, n_late = 0, n_by_oracle = 0, n_broken = 0, n_conserved = 0;
  double worst_radau = 0.0, worst_ida = 0.0;  // in tolerances: times, jumps, impulses, end

  void wrong(const std::string& who, const std::string& what) {
    ++n_wrong;
    std::printf("\n     %s: %s\n", who.c_str(), what.c_str());
  }
};

inline Solution run_modes(const problems::ModeProblem& p, EngineKind engine, double tolerance,
                          RestartPolicy restart = RestartPolicy::keep) {
  RunOptions o = mode_run_options(0.0, p.t_end, engine, tolerance);
  o.restart = restart;
  return simulate(problems::write_model(p), o);
}

/// Runs at one tolerance; a bound that the oracle misses too is 1.5 times what it reaches.
inline Solution judge_run(ModeRuns& all, const problems::ModeProblem& p, EngineKind engine,
                          double tolerance) {
  ++all.n_runs;
  const std::string who = p.name + " " + std::string(name(engine)) + " " + to_text(tolerance);
  Solution s;
  try {
    s = run_modes(p, engine, tolerance);
  } catch (const Error& refused) {
    all.wrong(who, refused.what());
    return s;
  }
  const problems::ModeComparison c = compare_modes(s.event_log, p);
  if (!s.ok()) {
    all.wrong(who, s.report.message);
    return s;
  }
  if (!c.complete) {
    all.wrong(who, c.first_difference);
    return s;
  }
  for (const EventInstant& i : s.instants()) {
    for (const ConservedRecord& q : i.conserved) {
      ++all.n_conserved;
      if (!q.kept) ++all.n_broken;
    }
  }
  const double end = end_error(s, p), jump = jump_error(s, p);
  const double error = std::max({c.largest_time_error, end, jump});
  double& worst = engine == EngineKind::ida ? all.worst_ida : all.worst_radau;
  worst = std::max(worst, error / tolerance);
  std::printf(" %8.1e", error / tolerance);
  if (!(error <= tolerances_allowed(engine) * tolerance)) {
    const double reached = best_mode_oracle(p, engine, tolerance).end_error;
    const bool excused =
        std::max(c.largest_time_error, jump) <= tolerances_allowed(engine) * tolerance &&
        end <= 1.5 * reached;
    ++(excused ? all.n_by_oracle : all.n_late);
    std::printf("%s[times %.1e jumps %.1e end %.1e oracle %.1e]", excused ? "o" : "L",
                c.largest_time_error, jump, end, reached);
  }
  return s;
}

inline void judge_problem(ModeRuns& all, const problems::ModeProblem& p, const std::string& who) {
  for (const EngineKind engine : mode_engines) {
    std::printf("   %-32s %-6s", who.c_str(), std::string(name(engine)).c_str());
    for (const double tolerance : mode_tolerances) {
      judge_run(all, p, engine, tolerance);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
}

inline void add_to_item(Item& item, const ModeRuns& all) {
  item.holds(
      std::to_string(all.n_runs) + " runs, " + std::to_string(all.n_wrong) + " with other modes",
      all.n_runs > 0 && all.n_wrong == 0);
  item.note("times, jumps, impulses and ends within " + to_text(std::round(all.worst_radau)) +
            " tolerances on radau, " + to_text(std::round(all.worst_ida)) + " on ida");
  item.holds(std::to_string(all.n_late) + " beyond 300 or 5,000 and the oracle's, " +
                 std::to_string(all.n_by_oracle) + " as far off as the oracle",
             all.n_late == 0);
}

}  // namespace saltus::bench
