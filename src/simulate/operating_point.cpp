#include "simulate/operating_point.hpp"

#include <unordered_map>
#include <utility>

#include <saltus/core/text.hpp>
#include <saltus/system/started_system.hpp>
#include <saltus/system/unknown_name.hpp>

namespace saltus {

Result<OperatingPoint> point_of_run(const System& system, const Run& run) {
  if (run.report().outcome == Outcome::not_started && run.ended()) {
    return Failure{run.report().failure.value_or(FailureCode::not_converged), run.report().message};
  }
  std::unordered_map<std::string, std::uint32_t> number;
  for (std::uint32_t i = 0; i < run.system().size(); ++i) {
    number.emplace(run.system().unknown_name(i), i);
  }
  OperatingPoint point;
  point.t = run.t();
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    const auto found = number.find(system.unknown_name(i));
    if (found == number.end()) {
      return Failure{
          FailureCode::not_converged,
          "the run has no unknown '" + system.unknown_name(i) + "': does it belong to this model?"};
    }
    point.x.push_back(run.x()[found->second]);
    point.xdot.push_back(run.xdot()[found->second]);
  }
  return point;
}

Result<OperatingPoint> consistent_point(const std::string& name,
                                        std::shared_ptr<const System> system, double t) {
  // Nothing is integrated: a run finds its start when it is made.
  RunOptions options;
  options.t_begin = t;
  options.t_end = t + 1.0;
  const System& equations = *system;
  const Run run(name, std::make_shared<SingleConfiguration>(std::move(system)), options);
  return point_of_run(equations, run);
}

Result<OperatingPoint> consistent_point(const std::string& name,
                                        std::shared_ptr<const System> system,
                                        const OperatingPoint& guess) {
  return consistent_point(
      name,
      std::make_shared<StartedSystem>(
          std::move(system),
          StartValues{guess.x, guess.xdot, std::vector<std::uint8_t>(guess.x.size(), 0)}),
      guess.t);
}

Result<OperatingPoint> point_of_solution(const System& system, const Solution& solution, double t,
                                         Side side) {
  OperatingPoint point;
  point.t = t;
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    const auto [variable, order] = variable_and_order(system.unknown_name(i));
    if (order > 1) {
      return Failure{FailureCode::limit_reached,
                     "'" + system.unknown_name(i) +
                         "' is not in a solution; linearise at the point of a Run instead"};
    }
    const double slope = solution.derivative_at(variable, t, side);
    point.x.push_back(order == 0 ? solution.at(variable, t, side) : slope);
    point.xdot.push_back(order == 0 ? slope : 0.0);
  }
  return point;
}

}  // namespace saltus
