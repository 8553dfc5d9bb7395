#include "simulate/operating_point.hpp"

#include <unordered_map>

#include <saltus/core/text.hpp>

namespace saltus {

namespace {

/// The same system, starting from other values.
class StartedElsewhere final : public System {
 public:
  StartedElsewhere(std::shared_ptr<const System> system, const OperatingPoint& point)
      : system_(std::move(system)),
        start_{point.x, point.xdot, std::vector<std::uint8_t>(point.x.size(), 0)} {}

  std::uint32_t size() const override { return system_->size(); }
  std::uint32_t n_equations() const override { return system_->n_equations(); }
  const CscPattern& pattern() const override { return system_->pattern(); }
  std::span<const std::uint8_t> carries_derivative() const override {
    return system_->carries_derivative();
  }
  std::string unknown_name(std::uint32_t i) const override { return system_->unknown_name(i); }
  std::string equation_name(std::uint32_t i) const override { return system_->equation_name(i); }
  double nominal(std::uint32_t i) const override { return system_->nominal(i); }
  StartValues start_values() const override { return start_; }
  const VariableMap& variable_map() const override { return system_->variable_map(); }
  std::unique_ptr<Workspace> workspace() const override { return system_->workspace(); }

 private:
  std::shared_ptr<const System> system_;
  StartValues start_;
};

/// "der(der(x))" is derivative number 2 of "x".
std::pair<std::string, int> without_derivatives(std::string name) {
  int order = 0;
  while (name.starts_with("der(") && name.ends_with(")")) {
    name = name.substr(4, name.size() - 5);
    ++order;
  }
  return {name, order};
}

}  // namespace

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
          "the run has no unknown '" + system.unknown_name(i) + "': is it of this model?"};
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
  const Run run(name, std::make_shared<SingleConfiguration>(system), options);
  return point_of_run(*system, run);
}

Result<OperatingPoint> consistent_point(const std::string& name,
                                        std::shared_ptr<const System> system,
                                        const OperatingPoint& guess) {
  return consistent_point(name, std::make_shared<StartedElsewhere>(std::move(system), guess),
                          guess.t);
}

Result<OperatingPoint> point_of_solution(const System& system, const Solution& solution, double t,
                                         Side side) {
  OperatingPoint point;
  point.t = t;
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    const auto [variable, order] = without_derivatives(system.unknown_name(i));
    if (order > 1) {
      return Failure{FailureCode::limit_reached,
                     "'" + system.unknown_name(i) +
                         "' is not in a solution; linearise where a run is instead"};
    }
    const double slope = solution.derivative_at(variable, t, side);
    point.x.push_back(order == 0 ? solution.at(variable, t, side) : slope);
    point.xdot.push_back(order == 0 ? slope : 0.0);
  }
  return point;
}

}  // namespace saltus
