#include "lower/compiled/compiled_levels.hpp"

#include <cmath>

#include "lower/compiled/compiled_system.hpp"
#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

namespace {

bool is_number(double x) { return std::isfinite(x); }
bool is_number(const Quad& x) { return std::isfinite(static_cast<double>(x)); }

}  // namespace

template <class T>
TaylorEvaluator<T>& CompiledLevels<T>::prepared(std::unique_ptr<Series>& evaluator,
                                                std::shared_ptr<const Program> program, double t,
                                                std::span<const T> path, int level) {
  if (!evaluator || evaluator->evaluator.order() < level) {
    evaluator = std::make_unique<Series>(TaylorEvaluator<T>(std::move(program), level));
  }
  workspace_.board().apply(*evaluator);
  TaylorEvaluator<T>& e = evaluator->evaluator;
  const std::size_t n = system_.size();
  const auto available = static_cast<std::size_t>(level) + 2;
  const auto kept = static_cast<std::size_t>(e.order()) + 1;
  const auto set = [&](std::span<T> series, auto&& coefficient) {
    for (std::size_t k = 0; k < kept; ++k) series[k] = coefficient(k);
  };
  set(e.input(Layout::time, 0), [&](std::size_t k) { return T(k == 0 ? t : k == 1 ? 1.0 : 0.0); });
  for (std::size_t i = 0; i < n; ++i) {
    set(e.input(Layout::x, i),
        [&](std::size_t k) { return k < available ? path[k * n + i] : T(0.0); });
    // x' = sum_j (j + 1) x_{j+1} tau^j
    set(e.input(Layout::xdot, i), [&](std::size_t k) {
      return k + 1 < available ? path[(k + 1) * n + i] * T(static_cast<double>(k + 1)) : T(0.0);
    });
  }
  const auto signals = system_.layout().signal_values();
  for (std::size_t i = 0; i < signals.size(); ++i) {
    double factorial = 1.0;
    set(e.input(Layout::signals, i), [&](std::size_t k) {
      if (k > 1) factorial *= static_cast<double>(k);
      if (static_cast<int>(k) > level) return T(0.0);
      return T(workspace_.signal_derivative(i, static_cast<int>(k), t)) / T(factorial);
    });
  }
  const auto hold = [&](std::size_t segment, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      set(e.input(segment, i), [&](std::size_t k) { return T(k == 0 ? values[i] : 0.0); });
    }
  };
  hold(Layout::parameters, workspace_.parameters());
  hold(Layout::discrete, workspace_.discrete());
  hold(Layout::previous, workspace_.settled_previous());
  e.run();
  return e;
}

template <class T>
Evaluation CompiledLevels<T>::residuals(double t, std::span<const T> path, int level,
                                        std::span<T> f) {
  const TaylorEvaluator<T>& e = prepared(residual_, system_.programs().residual, t, path, level);
  const std::size_t m = system_.n_equations();
  const std::size_t n = system_.size();
  const auto n_levels = static_cast<std::size_t>(level) + 1;
  for (std::size_t i = 0; i < system_.n_model_rows(); ++i) {
    for (std::size_t k = 0; k < n_levels; ++k) f[k * m + i] = e.output(i)[k];
  }
  std::size_t row = system_.n_model_rows();
  const Layout& layout = system_.layout();
  for (std::uint32_t i = 0; i < layout.size() && row < m; ++i) {
    if (layout[i].successor == none) continue;
    for (std::size_t k = 0; k < n_levels; ++k) {
      f[k * m + row] =
          path[(k + 1) * n + i] * T(static_cast<double>(k + 1)) - path[k * n + layout[i].successor];
    }
    ++row;
  }
  for (std::size_t i = 0; i < n_levels * m; ++i) {
    if (!is_number(f[i])) return Evaluation::out_of_domain(static_cast<std::uint32_t>(i % m));
  }
  return Evaluation::ok();
}

template <class T>
Evaluation CompiledLevels<T>::jacobians(double t, std::span<const T> path, int level,
                                        std::span<T> a, std::span<T> b) {
  const ModePrograms& programs = system_.programs();
  const TaylorEvaluator<T>& e = prepared(jacobian_, programs.jacobian, t, path, level);
  const auto nnz = static_cast<std::size_t>(programs.pattern.nnz());
  const std::size_t n_values = programs.jacobian->n_outputs();
  const auto n_levels = static_cast<std::size_t>(level) + 1;
  for (std::size_t k = 0; k < n_levels; ++k) {
    for (std::size_t slot = 0; slot < nnz; ++slot) {
      a[k * nnz + slot] = slot < n_values ? e.output(slot)[k] : T(0.0);
      b[k * nnz + slot] = nnz + slot < n_values ? e.output(nnz + slot)[k] : T(0.0);
    }
  }
  for (const ModePrograms::Constant& c : programs.constants) {
    (c.slot < nnz ? a[c.slot] : b[c.slot - nnz]) = T(c.value);
  }
  for (std::size_t i = 0; i < n_levels * nnz; ++i) {
    if (is_number(a[i]) && is_number(b[i])) continue;
    return Evaluation::out_of_domain(static_cast<std::uint32_t>(programs.pattern.row[i % nnz]));
  }
  return Evaluation::ok();
}

template class CompiledLevels<double>;
template class CompiledLevels<Quad>;

}  // namespace saltus::detail
