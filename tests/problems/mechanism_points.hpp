// Where a mechanism is seen, by whichever way a solution can be asked, its constraints hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "problems/mechanisms.hpp"

namespace saltus::problems {

/// The largest residual of a constraint or its derivatives, relative to its largest term.
struct SeenResiduals {
  double rows = 0.0, times = 0.0, limits = 0.0;
  std::size_t n_events = 0;
  bool ok = true;
  std::string message = {};
};

/// With a clock and a threshold that its motion crosses. Seen in rows, at random times, and from both sides of events.
inline SeenResiduals seen_residuals(const Mechanism& mechanism, RunOptions options,
                                    std::size_t n_times) {
  Model model(mechanism.name);
  mechanism.write(model);
  const Expr count = model.discrete("count", 0.0);
  const auto& [watched, end] = mechanism.reference.front();
  const auto definition = model.build();
  for (const Variable& variable : definition->variables()) {
    if (variable.name != watched) continue;
    const Expr x{model.graph(), model.graph().input(variable.kind, variable.first)};
    model.when("passes", x > 0.5 * (*variable.start_of(0) + end), {{count, pre(count) + 1.0}});
    model.when("passes back", x < 0.5 * (*variable.start_of(0) + end), {{count, pre(count) + 1.0}});
  }
  const double interval = mechanism.t_end / 7;
  model.when("ticks", model.every("clock", interval, interval), {{count, pre(count) + 1.0}});
  options.t_end = mechanism.t_end;
  const Solution s = simulate(model, options);

  SeenResiduals seen;
  seen.ok = s.ok();
  seen.message = s.report.message;
  const auto variables = s.trajectory.variables();
  const auto note = [&](std::span<const double> values, double& worst) {
    for (std::size_t v = 0; v < variables.size(); ++v)
      for (const auto level : constraint_levels)
        if (variables[v].name.ends_with(level) && !(std::abs(values[v]) <= worst))
          worst = std::abs(values[v]);  // NaN counts
  };
  for (std::uint32_t r = 0; r < s.trajectory.n_rows(); ++r) note(s.trajectory.row(r), seen.rows);
  std::vector<double> values(variables.size());
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> between(0.0, s.t_end());
  for (std::size_t k = 0; k < n_times; ++k) {
    s.trajectory.at(between(random), values);
    note(values, seen.times);
  }
  for (const EventInstant& instant : s.event_log.instants()) {
    note(instant.x_minus, seen.limits);
    note(instant.x_plus, seen.limits);
    for (const Side side : {Side::left, Side::right}) {
      s.trajectory.at(instant.t, values, side);
      note(values, seen.limits);
    }
  }
  seen.n_events = s.event_log.n_events();
  return seen;
}

}  // namespace saltus::problems
