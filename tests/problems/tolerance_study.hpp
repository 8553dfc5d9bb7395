// How the error of a problem follows the tolerance.
#pragma once

#include <limits>
#include <optional>

#include "problems/smooth_problem.hpp"

namespace saltus::problems {

struct ToleranceRun {
  double rtol = 0.0;
  double atol = 0.0;
  double error = std::numeric_limits<double>::infinity();  // relative_error
  WorkCounts work = {};
};

struct ToleranceStudy {
  std::vector<ToleranceRun> runs;

  /// Factor by which errors fall while the tolerance falls by two decades, from the least-squares line
  /// through log(error) over log(rtol): the error at one time passes through zero now and then, so
  /// that the quotient of two single errors means little. 0 if a run failed.
  double fall_per_two_decades() const {
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (const ToleranceRun& run : runs) {
      if (!(run.error < 1.0)) return 0.0;
      const double x = std::log10(run.rtol);
      const double y = std::log10(std::max(run.error, std::numeric_limits<double>::epsilon()));
      n += 1.0;
      sx += x;
      sy += y;
      sxx += x * x;
      sxy += x * y;
    }
    return std::pow(10.0, 2.0 * (n * sxy - sx * sy) / (n * sxx - sx * sx));
  }
  double error_at(double rtol) const {
    for (const ToleranceRun& run : runs) {
      if (run.rtol == rtol) return run.error;
    }
    return std::numeric_limits<double>::infinity();
  }
};

/// atol = atol_per_rtol rtol, but not below least_atol.
struct ToleranceRule {
  double atol_per_rtol = 1.0;
  double least_atol = 0.0;
};

inline ToleranceRun run_at(const SmoothProblem& problem, const ReferencePoint& reference,
                           EngineKind engine, double rtol, double atol) {
  RunOptions options{.rtol = rtol, .atol = atol, .engine = engine};
  options.limits.max_wall_time_s = 20.0;
  const Solution solution = run_to(problem, reference, options);
  return {rtol, atol, relative_error(solution, reference), solution.report.total_work()};
}

inline ToleranceStudy study_tolerances(const SmoothProblem& problem,
                                       const ReferencePoint& reference, EngineKind engine,
                                       const std::vector<double>& rtols, ToleranceRule rule = {}) {
  ToleranceStudy study;
  for (const double rtol : rtols) {
    const double atol = std::max(rule.atol_per_rtol * rtol, rule.least_atol);
    study.runs.push_back(run_at(problem, reference, engine, rtol, atol));
  }
  return study;
}

}  // namespace saltus::problems
