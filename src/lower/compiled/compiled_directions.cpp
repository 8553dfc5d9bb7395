#include "lower/compiled/compiled_directions.hpp"

#include <vector>

#include <saltus/core/error.hpp>

#include "lower/compiled/compiled_system.hpp"
#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

void set_series(TaylorEvaluator<double>& e, std::size_t argument, std::size_t k, double value,
                double rate) {
  const std::span<double> series = e.input(argument, k);
  series[0] = value;
  series[1] = rate;
}

}  // namespace

std::unique_ptr<SeriesOfOne> series_of_one(std::shared_ptr<const Program> program) {
  try {
    return std::make_unique<SeriesOfOne>(TaylorEvaluator<double>(std::move(program), 1));
  } catch (const ModelError&) {
    return nullptr;
  }
}

void load_direction(TaylorEvaluator<double>& e, const CompiledWorkspace& workspace, double t,
                    std::span<const double> x, std::span<const double> xdot, const Direction& way) {
  set_series(e, Layout::time, 0, t, way.dt);
  // Systems that contain this one may have unknowns beyond its own.
  for (std::size_t i = 0; i < workspace.system().size(); ++i) {
    set_series(e, Layout::x, i, x[i], way.dx[i]);
    set_series(e, Layout::xdot, i, xdot[i], way.dxdot[i]);
  }
  const std::size_t n_signals = workspace.system().layout().signal_values().size();
  for (std::size_t i = 0; i < n_signals; ++i)
    set_series(e, Layout::signals, i, workspace.signal_derivative(i, 0, t),
               way.dt != 0 ? workspace.signal_rate(i, t) * way.dt : 0.0);
  const auto hold = [&](std::size_t argument, std::span<const double> values) {
    for (std::size_t k = 0; k < values.size(); ++k) set_series(e, argument, k, values[k], 0.0);
  };
  hold(Layout::parameters, workspace.held_parameters());
  hold(Layout::discrete, workspace.held_discrete());
}

bool CompiledDirections::along(double t, std::span<const double> x, std::span<const double> xdot,
                               const Direction& way, std::span<double> out) {
  const auto& program = system_.programs().outputs;
  if (!tried_ && program) outputs_ = series_of_one(program);
  tried_ = true;
  if (program && !outputs_) return false;
  std::vector<double> rates(program ? program->n_outputs() : 0);
  if (outputs_) {
    TaylorEvaluator<double>& e = outputs_->evaluator;
    workspace_.board().apply(*outputs_);
    load_direction(e, workspace_, t, x, xdot, way);
    const std::span<const double> previous = workspace_.settled_previous();
    for (std::size_t k = 0; k < previous.size(); ++k)
      set_series(e, Layout::previous, k, previous[k], 0.0);
    e.run();
    for (std::size_t k = 0; k < rates.size(); ++k) rates[k] = e.output(k)[1];
  }
  system_.compiled_map().place(way.dx, rates, out);
  return true;
}

}  // namespace saltus::detail
