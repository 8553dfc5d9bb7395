// Item 8: a million events in one run. SALTUS_LONG_RUN changes their number.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <saltus/saltus.hpp>

#include "events/events.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

namespace {

/// Bytes of memory this process has in use.
double resident_bytes() {
  long size = 0, resident = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &size, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Up and down between 0 and 1, one event per second; y follows smoothly.
void write_zigzag(Model& m) {
  Expr x = m.state("x", 0.0), y = m.state("y", 0.0), up = m.discrete("up", 1.0);
  m.equation("x", der(x) == 2.0 * up - 1.0);
  m.equation("y", der(y) == x - y);
  m.when("turn down", x > 1.0, {{up, 0.0}});
  m.when("turn up", x < 0.0, {{up, 1.0}});
}

}  // namespace

bool show_long_run(int number) {
  const char* asked = std::getenv("SALTUS_LONG_RUN");
  const double n = asked != nullptr ? std::atof(asked) : 1e6;
  Model m("zigzag");
  write_zigzag(m);
  RunOptions o;
  o.t_end = n + 0.5;
  o.engine = EngineKind::dopri5;
  o.output.points = OutputPoints::times;
  o.output.times = {o.t_end};
  o.output.dense = false;
  o.events.keep = false;
  const double begin = cpu_seconds();
  Run run = start_run(m, o);
  while (run.t() < 0.1 * n && run.advance()) {
  }
  const double early = resident_bytes();
  while (run.advance()) {
  }
  const double late = resident_bytes();
  const Solution s = run.finish();
  const auto events = static_cast<double>(s.report.events.counts.n_interruptions);

  Item item(number);
  item.holds("events " + std::to_string(s.report.events.counts.n_interruptions) + " of " +
                 std::to_string(static_cast<long>(n)),
             s.ok() && events == n);
  if (!s.ok()) item.note(s.report.message);
  // A byte per event would be seen.
  item.at_most("growth after the first tenth", (late - early) / 1024, 0.9 * n / 1024, " KiB");
  item.note(std::to_string(static_cast<long>(early / 1024)) + " KiB in use");
  item.at_most("table kept", static_cast<double>(s.event_log.events().size()), 0.0);
  char text[64];
  std::snprintf(text, sizeof text, "%.1f us per event", 1e6 * (cpu_seconds() - begin) / n);
  item.note(text);
  // The same with the table kept must be seen to grow, or the measurement sees nothing.
  o.t_end = 0.02 * n + 0.5;
  o.events.keep = true;
  o.output.times = {o.t_end};
  const double before = resident_bytes();
  const Solution kept = simulate(m, o);
  item.at_least("control: growth of a kept table", (resident_bytes() - before) / (0.02 * n), 1.0,
                " B per event");
  item.note(std::to_string(kept.event_log.events().size()) + " entries");
  return item.print();
}

}  // namespace saltus::bench
