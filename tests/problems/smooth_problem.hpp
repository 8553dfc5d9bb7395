// What a named smooth problem consists of.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

namespace saltus::problems {

/// Certified values at one time; see tests/reference for where they come from.
struct ReferencePoint {
  double t = 0.0;
  std::vector<Named<double>> values = {};
};

struct SmoothProblem {
  std::string name;
  void (*write)(Model& model);
  std::vector<ReferencePoint> references;  // each run begins at t = 0
  std::string file = {};                   // in tests/reference; empty: a closed solution
};

/// Largest error of a single unknown relative to its own size; infinity for a run that did not
/// arrive.
inline double relative_error(const Solution& solution, const ReferencePoint& reference) {
  if (!solution.ok() || solution.t_end() != reference.t) {
    return std::numeric_limits<double>::infinity();
  }
  double worst = 0.0;
  for (const auto& [name, value] : reference.values) {
    worst = std::max(worst, std::abs(solution.final(name) - value) / std::abs(value));
  }
  return worst;
}

/// Runs to the time of a reference; only the end is kept.
inline Solution run_to(const SmoothProblem& problem, const ReferencePoint& reference,
                       RunOptions options) {
  Model model(problem.name);
  problem.write(model);
  options.t_end = reference.t;
  options.output.points = OutputPoints::times;
  options.output.times = {reference.t};
  options.output.dense = false;
  return simulate(model, options);
}

}  // namespace saltus::problems
