// Advances a run step by step and ends it after the third event.
#include <cstdint>
#include <cstdio>

#include <saltus/saltus.hpp>

// [program]
int main() {
  using namespace saltus;
  Model m("ball");
  Expr h = m.state("h", 1.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.when("bounce", h <= 0.0, {{v, -0.8 * pre(v)}});

  Run run = start_run(m, {.t_end = 5.0, .rtol = 1e-8, .atol = 1e-8});
  std::uint64_t n_events = 0;
  while (n_events < 3 && run.advance()) {
    n_events = run.report().events.counts.n_interruptions;
    std::printf("t = %.6f, h = %.6f, events: %d\n", run.t(), run.x()[0],
                static_cast<int>(n_events));
  }

  const Solution solution = run.finish();  // all results up to here
  for (double t : solution.event_times("bounce")) std::printf("bounce at %.6f\n", t);
  std::fputs(to_text(solution.report).c_str(), stderr);
  return solution.report.outcome == Outcome::stopped ? 0 : 1;
}
// [program]
