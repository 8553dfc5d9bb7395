// Item 6: constraints hold wherever a solution is seen.
#include <algorithm>
#include <cstdio>

#include "problems/mechanism_points.hpp"
#include "support/measure.hpp"
#include "trust/trust.hpp"

namespace saltus::bench {

bool show_seen_constraints(int number) {
  using namespace problems;
  constexpr double allowed = 1e-11;
  constexpr std::size_t n_times = 1000;
  constexpr double longest_run_s = 150.0;
  double rows = 0.0, times = 0.0, limits = 0.0;
  std::size_t n_events = 0, n_early = 0;
  for (const Mechanism& mechanism : mechanisms()) {
    for (const EngineKind engine : {EngineKind::radau, EngineKind::ida, EngineKind::dop853}) {
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        RunOptions options{.rtol = tolerance, .atol = tolerance, .engine = engine};
        options.limits.max_wall_time_s = longest_run_s;
        const SeenResiduals seen = seen_residuals(mechanism, options, n_times);
        std::printf("   %-18s %-6s %.0e: rows %.1e, times %.1e, limits of %zu events %.1e%s%s\n",
                    mechanism.name.c_str(), std::string(name(engine)).c_str(), tolerance, seen.rows,
                    seen.times, seen.n_events, seen.limits,
                    seen.ok ? "" : "; ended early: ", seen.ok ? "" : seen.message.c_str());
        std::fflush(stdout);
        const auto add = [](double value, double& worst) {
          if (!(value <= worst)) worst = value;
        };
        add(seen.rows, rows);
        add(seen.times, times);
        add(seen.limits, limits);
        n_events += seen.n_events;
        n_early += seen.ok ? 0 : 1;
      }
    }
  }
  Item item(number);
  item.at_most("constraints and their derivatives, relative: in rows", rows, allowed);
  item.at_most("at 1,000 random times", times, allowed);
  item.at_most("at both limits of " + std::to_string(n_events) + " events", limits, allowed);
  item.note(std::to_string(n_early) + " of 60 runs ended early, seen up to there");
  return item.print();
}

}  // namespace saltus::bench
