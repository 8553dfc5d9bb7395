// Arguments of gathered programs, from a workspace.
#include <cmath>
#include <limits>

#include "lower/compiled/compiled_system.hpp"
#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

void fetch(Evaluator<double>& e, std::size_t argument, std::span<const std::uint32_t> numbers,
           std::span<const double> values) {
  const std::span<double> to = e.input(argument);
  for (std::size_t k = 0; k < numbers.size(); ++k) to[k] = values[numbers[k]];
}

}  // namespace

void CompiledWorkspace::load(Evaluator<double>& e, const GatheredProgram& p, double t,
                             std::span<const double> x) {
  if (p.reads_time) e.input(GatheredProgram::time)[0] = t;
  if (!p.unknowns.empty()) fetch(e, GatheredProgram::x, p.unknowns, x);
  if (p.reads_others) load_others(e, p, t);
}

void CompiledWorkspace::load_others(Evaluator<double>& e, const GatheredProgram& p, double t) {
  if (!p.signal_values.empty()) {
    const std::span<double> to = e.input(GatheredProgram::signals);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = signal_derivative(p.signal_values[k], 0, t);
  }
  if (!p.parameter_numbers.empty())
    fetch(e, GatheredProgram::parameters, p.parameter_numbers, parameters_);
  if (!p.discrete_numbers.empty())
    fetch(e, GatheredProgram::discrete, p.discrete_numbers, discrete_);
  if (!p.previous_numbers.empty())
    fetch(e, GatheredProgram::previous, p.previous_numbers, settled_previous());
}

double CompiledWorkspace::signal_rate(std::size_t i, double t) const {
  const Layout::SignalValue& wanted = system_.layout().signal_values()[i];
  if (static_cast<int>(wanted.order) < system_.model().signal(wanted.signal).max_order()) {
    return signal_derivative(i, 1, t);
  }
  // A difference into the stretch, over a way that balances rounding and curvature.
  const bool forward = stretch_to_ >= stretch_from_;
  const double way = std::sqrt(std::numeric_limits<double>::epsilon()) * (1.0 + std::abs(t));
  const bool ahead = t != stretch_to_;
  const double there = t + (forward == ahead ? way : -way);
  return (signal_derivative(i, 0, there) - signal_derivative(i, 0, t)) / (there - t);
}

void CompiledWorkspace::load_path(TaylorEvaluator<double>& e, const GatheredProgram& p, double t,
                                  std::span<const double> x, std::span<const double> xdot) {
  const auto set = [&](std::size_t argument, std::size_t k, double value, double rate) {
    const std::span<double> series = e.input(argument, k);
    series[0] = value;
    series[1] = rate;
  };
  if (p.reads_time) set(GatheredProgram::time, 0, t, 1.0);
  for (std::size_t k = 0; k < p.unknowns.size(); ++k) {
    set(GatheredProgram::x, k, x[p.unknowns[k]], xdot[p.unknowns[k]]);
  }
  for (std::size_t k = 0; k < p.signal_values.size(); ++k) {
    const std::uint32_t i = p.signal_values[k];
    set(GatheredProgram::signals, k, signal_derivative(i, 0, t), signal_rate(i, t));
  }
  const auto hold = [&](std::size_t argument, std::span<const std::uint32_t> numbers,
                        std::span<const double> values) {
    for (std::size_t k = 0; k < numbers.size(); ++k) set(argument, k, values[numbers[k]], 0.0);
  };
  hold(GatheredProgram::parameters, p.parameter_numbers, parameters_);
  hold(GatheredProgram::discrete, p.discrete_numbers, discrete_);
  if (!p.previous_numbers.empty()) {
    hold(GatheredProgram::previous, p.previous_numbers, settled_previous());
  }
}

}  // namespace saltus::detail
