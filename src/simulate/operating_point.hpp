// Points of solutions, in the unknowns of the system a model compiles to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <saltus/core/result.hpp>
#include <saltus/hybrid/run.hpp>

namespace saltus {

struct OperatingPoint {
  double t = 0.0;
  std::vector<double> x, xdot;
};

/// Where a run of the system would begin at t; or from the given values instead of start values.
/// Runs may integrate another system, reduced or differentiated: unknowns are found by name.
Result<OperatingPoint> consistent_point(const std::string& name,
                                        std::shared_ptr<const System> system, double t);
Result<OperatingPoint> consistent_point(const std::string& name,
                                        std::shared_ptr<const System> system,
                                        const OperatingPoint& guess);

Result<OperatingPoint> point_of_run(const System& system, const Run& run);

/// Not consistent: unknowns that are derivatives are those of polynomials.
Result<OperatingPoint> point_of_solution(const System& system, const Solution& solution, double t,
                                         Side side);

}  // namespace saltus
