// Ten states and any number of switches, a hundred of which are passed on the way.
#pragma once

#include <cmath>
#include <cstdint>

#include <saltus/saltus.hpp>

#include "support/allocation_counter.hpp"
#include "support/measure.hpp"

namespace saltus::bench {

/// Per event.
struct SwitchCounts {
  double events = 0.0;
  double evaluations = 0.0, jacobians = 0.0, factorizations = 0.0, allocations = 0.0;
  double microseconds = 0.0;

  double largest_deviation_from(const SwitchCounts& first) const {
    if (events != first.events) return 1e300;
    double most = 0.0;
    const auto compare = [&](double a, double b) {
      if (b > 0) most = std::max(most, std::abs(a / b - 1));
      if (b == 0 && a != 0) most = 1e300;
    };
    compare(evaluations, first.evaluations);
    compare(jacobians, first.jacobians);
    compare(factorizations, first.factorizations);
    compare(allocations, first.allocations);
    return most;
  }
};

/// A clock x[0] passes a level per second; each level passed adds the same to the drive of a chain of nine
/// relaxations. All other levels are out of reach and only watched.
inline std::shared_ptr<const ModelDefinition> write_many_switches(std::uint32_t n_switches,
                                                                  std::uint32_t n_events) {
  Model m("many switches");
  std::vector<double> levels(n_switches);
  for (std::uint32_t k = 0; k < n_switches; ++k) {
    levels[k] = k < n_events ? 0.5 + k : 1000.0 + k;
  }
  Expr clock = m.state("clock", 0.0), x = m.states("x", std::vector<double>(9, 0.0));
  Expr level = m.parameters("level", levels);
  Expr passed =
      sum(map(n_switches, [&](Index i) { return where(clock > level[i], Expr(1.0), Expr(0.0)); }));
  m.equation("clock", der(clock) == 1.0);
  m.equation("x[0]", der(x[0]) == 0.01 * passed - x[0]);
  for (std::uint32_t i = 1; i < 9; ++i) m.equation(der(x[i]) == x[i - 1] - x[i]);
  return m.build();
}

inline SwitchCounts count_per_event(EngineKind engine, std::uint32_t n_switches) {
  constexpr std::uint32_t n_events = 100;
  const auto model = write_many_switches(n_switches, n_events);
  RunOptions o;
  o.t_end = n_events;
  o.engine = engine;
  o.output.points = OutputPoints::times;
  o.output.times = {o.t_end};
  o.output.dense = false;
  Run run = start_run(model, o);
  // The first tenth sizes all buffers.
  while (run.t() < 0.1 * n_events && run.advance()) {
  }
  const WorkCounts before = run.report().total_work();
  const auto events_before = run.report().events.counts.n_interruptions;
  const long allocated = test::allocations();
  const double begin = cpu_seconds();
  while (run.advance()) {
  }
  SwitchCounts c;
  c.microseconds = 1e6 * (cpu_seconds() - begin);
  c.allocations = static_cast<double>(test::allocations() - allocated);
  const WorkCounts after = run.report().total_work();
  c.events = static_cast<double>(run.report().events.counts.n_interruptions - events_before);
  c.evaluations = static_cast<double>(after.n_evaluations - before.n_evaluations);
  c.jacobians = static_cast<double>(after.n_jacobians - before.n_jacobians);
  c.factorizations = static_cast<double>(after.n_factorizations - before.n_factorizations);
  for (double* count :
       {&c.evaluations, &c.jacobians, &c.factorizations, &c.allocations, &c.microseconds}) {
    *count /= c.events;
  }
  return c;
}

}  // namespace saltus::bench
