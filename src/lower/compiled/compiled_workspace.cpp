#include "lower/compiled/compiled_workspace.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/error.hpp>

#include "lower/compiled/compiled_system.hpp"

namespace saltus::detail {

namespace {

/// The first value that is not finite, or `none`.
std::uint32_t first_not_finite(std::span<const double> values) {
  // One sum tells whether anything is wrong: a NaN or an infinity times zero is NaN and stays one.
  double probe = 0.0;
  for (const double v : values) probe += v * 0.0;
  if (probe == 0.0) return none;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) return static_cast<std::uint32_t>(i);
  }
  return none;
}

}  // namespace

CompiledWorkspace::CompiledWorkspace(const CompiledSystem& system)
    : system_(system),
      signals_(system.layout().signal_values().size(), 0.0),
      parameters_(system.model().initial_values(InputKind::parameter)),
      discrete_(system.model().initial_values(InputKind::discrete)),
      previous_(system.model().graph().count(InputKind::previous), 0.0),
      no_derivative_(system.size(), 0.0),
      board_(system.model().graph().n_switches()),
      residual_(evaluator_of(system.programs().residual)),
      levels_(system, *this),
      quad_levels_(system, *this),
      input_derivatives_(system, evaluator_access()),
      output_derivatives_(system, evaluator_access()),
      directions_(system, *this) {
  const ModePrograms& programs = system.programs();
  jacobian_.emplace(evaluator_of(programs.jacobian));
  if (programs.explicit_form) {
    explicit_.emplace(evaluator_of(programs.explicit_form));
    explicit_->evaluator.bind(Layout::xdot, no_derivative_);
    offer<ExplicitForm>(*this);
  }
  if (programs.outputs) outputs_.emplace(evaluator_of(programs.outputs));
  offer<ScheduledTimes>(*this);
  offer<HeldValues>(*this);
  offer<DerivativeLevels<double>>(levels_);
  offer<DerivativeLevels<Quad>>(quad_levels_);
  offer<InputDerivatives>(input_derivatives_);
  offer<OutputDerivatives>(output_derivatives_);
  offer<OutputDirections>(directions_);
  if (system.initial().count() > 0) {
    initial_equations_.emplace(system.initial(), system.model(), *this);
    offer<InitialEquations>(*initial_equations_);
  }
  // Actions without relations are those of the start.
  if (system.switches().count() > 0 || !system.model().when_clauses().empty()) {
    switching_.emplace(system.switches(), *this, board_);
    enclosure_.emplace(*switching_, *this);
    offer<SwitchingFunctions>(*switching_);
    offer<SwitchingTangents>(*switching_);
    offer<StepEnclosure>(*enclosure_);
    if (system.switches().n_relations() > 0) offer<Locks>(*switching_);
    take_first_branches(system.start_values());
  }
  if (!system.actions().actions().empty()) {
    actions_.emplace(system.actions(), *this);
    offer<EventActions>(*actions_);
    if (system.contacts() != nullptr) offer<DriftCorrection>(*actions_);
  }
}

/// Some branch must be taken before anybody says which. An input that throws before the run has
/// begun does not matter: branches stay as they are.
void CompiledWorkspace::take_first_branches(const StartValues& start) {
  try {
    static_cast<void>(switching_->decide(0.0, start.x, start.xdot));
  } catch (...) {
    return;
  }
}

EvaluatorAccess CompiledWorkspace::evaluator_access() {
  return {
      [this](std::shared_ptr<const Program> program) { return evaluator_of(std::move(program)); },
      [this](Points& points, double t, std::span<const double> x, std::span<const double> xdot) {
        run(points, t, x, xdot);
      }};
}

CompiledWorkspace::Points CompiledWorkspace::evaluator_of(std::shared_ptr<const Program> program) {
  Evaluator<double> evaluator(std::move(program));
  evaluator.bind(Layout::time, std::span<const double>(&time_, 1));
  if (!signals_.empty()) evaluator.bind(Layout::signals, signals_);
  if (!parameters_.empty()) evaluator.bind(Layout::parameters, parameters_);
  if (!discrete_.empty()) evaluator.bind(Layout::discrete, discrete_);
  if (!previous_.empty()) evaluator.bind(Layout::previous, previous_);
  return Points(std::move(evaluator));
}

Side CompiledWorkspace::side_of(double t) const {
  // At the end of a stretch its own piece is meant, which lies before it in the direction of the run.
  const bool forward = stretch_to_ >= stretch_from_;
  const bool at_end = t == stretch_to_;
  return forward != at_end ? Side::right : Side::left;
}

void CompiledWorkspace::read_signals(double t) {
  for (std::size_t i = 0; i < signals_.size(); ++i) signals_[i] = signal_derivative(i, 0, t);
}

double CompiledWorkspace::signal_derivative(std::size_t i, int order, double t) const {
  const Layout::SignalValue& wanted = system_.layout().signal_values()[i];
  const Signal& signal = system_.model().signal(wanted.signal);
  const int total = static_cast<int>(wanted.order) + order;
  if (total > signal.max_order())
    throw ModelError(
        "input '" + system_.model().graph().variable_name(InputKind::signal, wanted.signal) + "'",
        "has derivatives up to order " + std::to_string(signal.max_order()) +
            ", but the constraints of the model need order " + std::to_string(total) +
            ": give a smoother signal");
  return signal.value(t, total, side_of(t));
}

std::optional<SignalPiece> CompiledWorkspace::signal_piece(std::size_t i, double t_1,
                                                           double t_2) const {
  const Layout::SignalValue& wanted = system_.layout().signal_values()[i];
  std::optional<SignalPiece> piece = system_.model().signal(wanted.signal).piece(t_1, t_2);
  for (std::uint32_t order = 0; piece && order < wanted.order; ++order) {
    for (std::size_t k = 1; k < piece->c.size(); ++k) {
      piece->c[k - 1] = static_cast<double>(k) * piece->c[k];
    }
    piece->c.back() = 0.0;
  }
  return piece;
}

std::span<const double> CompiledWorkspace::previous_from(std::span<const double> x,
                                                         std::span<const double> discrete) {
  const Graph& g = system_.model().graph();
  for (std::uint32_t k = 0; k < previous_.size(); ++k) {
    const Input& variable = g.previous_variable(k);
    if (variable.kind == InputKind::discrete) {
      previous_[k] = discrete[variable.index];
    } else if (variable.kind == InputKind::parameter) {
      previous_[k] = parameters_[variable.index];
    } else if (variable.kind != InputKind::signal) {
      previous_[k] = x[system_.layout().unknown_of(g, variable)];
    }
  }
  return previous_;
}

std::span<const double> CompiledWorkspace::settled_previous() {
  const Graph& g = system_.model().graph();
  for (std::uint32_t k = 0; k < previous_.size(); ++k) {
    const Input& variable = g.previous_variable(k);
    if (variable.kind == InputKind::discrete) previous_[k] = discrete_[variable.index];
    if (variable.kind == InputKind::parameter) previous_[k] = parameters_[variable.index];
  }
  return previous_;
}

void CompiledWorkspace::run(Points& points, double t, std::span<const double> x,
                            std::span<const double> xdot) {
  if (!previous_.empty()) settled_previous();
  run_at_event(points, t, x, xdot);
}

void CompiledWorkspace::run_at_event(Points& points, double t, std::span<const double> x,
                                     std::span<const double> xdot) {
  points.evaluator.bind(Layout::xdot, xdot);
  run_with_bound_rates(points, t, x);
}

std::span<const double> CompiledWorkspace::run_with_bound_rates(Points& points, double t,
                                                                std::span<const double> x) {
  time_ = t;
  if (!signals_.empty()) read_signals(t);
  board_.apply(points);
  return points.evaluator.run_with(Layout::x, x);
}

Evaluation CompiledWorkspace::residual(double t, std::span<const double> x,
                                       std::span<const double> xdot, std::span<double> f) {
  if (!previous_.empty()) settled_previous();
  residual_.evaluator.bind(Layout::xdot, xdot);
  const std::span<const double> values = run_with_bound_rates(residual_, t, x);
  std::copy(values.begin(), values.end(), f.begin());
  const Layout& layout = system_.layout();
  std::uint32_t row = system_.n_model_rows();
  for (std::uint32_t i = 0; row < system_.n_equations(); ++i) {
    if (layout[i].successor != none) f[row++] = xdot[i] - x[layout[i].successor];
  }
  const std::uint32_t bad = first_not_finite(f);
  return bad == none ? Evaluation::ok() : Evaluation::out_of_domain(bad);
}

Evaluation CompiledWorkspace::jacobian(double t, std::span<const double> x,
                                       std::span<const double> xdot, std::span<double> df_dx,
                                       std::span<double> df_dxdot) {
  run(*jacobian_, t, x, xdot);
  const std::span<const double> values = jacobian_->evaluator.outputs();
  const std::size_t nnz = df_dx.size();
  const std::size_t n_first = std::min(nnz, values.size());
  const std::size_t n_second = values.size() - n_first;
  std::copy_n(values.begin(), n_first, df_dx.begin());
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(n_first), n_second, df_dxdot.begin());
  // Slots after the last expression belong to no program.
  std::fill(df_dx.begin() + static_cast<std::ptrdiff_t>(n_first), df_dx.end(), 0.0);
  std::fill(df_dxdot.begin() + static_cast<std::ptrdiff_t>(n_second), df_dxdot.end(), 0.0);
  for (const ModePrograms::Constant& c : system_.programs().constants) {
    (c.slot < nnz ? df_dx[c.slot] : df_dxdot[c.slot - nnz]) = c.value;
  }
  for (const std::span<double> part : {df_dx, df_dxdot}) {
    const std::uint32_t bad = first_not_finite(part);
    if (bad != none) {
      return Evaluation::out_of_domain(static_cast<std::uint32_t>(system_.pattern().row[bad]));
    }
  }
  return Evaluation::ok();
}

Evaluation CompiledWorkspace::derivative(double t, std::span<const double> x,
                                         std::span<double> xdot) {
  if (!previous_.empty()) settled_previous();
  const double* values = run_with_bound_rates(*explicit_, t, x).data();
  const std::span<const ExplicitRow> rows = system_.programs().explicit_rows;
  double probe = 0.0;  // as in first_not_finite()
  const double* value = values;
  for (const ExplicitRow& r : rows) {
    const double slope = r.output == none ? r.slope : values[r.output];
    const double rate = -*value++ / slope;
    xdot[r.unknown] = rate;
    probe += rate * 0.0;
  }
  const Layout& layout = system_.layout();
  if (layout.size() > rows.size()) {
    for (std::uint32_t i = 0; i < layout.size(); ++i) {
      if (layout[i].successor == none) continue;
      xdot[i] = x[layout[i].successor];
      probe += xdot[i] * 0.0;
    }
  }
  if (probe == 0.0) return Evaluation::ok();
  const std::uint32_t bad = first_not_finite(xdot);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].unknown == bad) return Evaluation::out_of_domain(static_cast<std::uint32_t>(i));
  }
  return Evaluation::out_of_domain(0);
}

std::span<const double> CompiledWorkspace::outputs(double t, std::span<const double> x,
                                                   std::span<const double> xdot) {
  if (!outputs_) return {};
  run(*outputs_, t, x, xdot);
  return outputs_->evaluator.outputs();
}

double CompiledWorkspace::next(double t, double t_end) const {
  double nearest = t_end;
  const auto wanted = system_.layout().signal_values();
  for (const Layout::SignalValue& s : wanted) {
    const Signal& signal = system_.model().signal(s.signal);
    nearest = signal.next_breakpoint(t, nearest).value_or(nearest);
  }
  return nearest;
}

/// A clock's ticks before a run begins are not made up for, and one at the very beginning is none.
void CompiledWorkspace::start_clocks(double t) {
  clocks_started_ = true;
  for (const Clock& clock : system_.model().clocks()) {
    double& k = discrete_[clock.counter];
    if (clock.tick(k) > t) continue;
    k = std::max(k, std::floor((t - clock.start) / clock.interval) - 1.0);
    while (clock.tick(k) <= t) k += 1.0;
  }
}

void CompiledWorkspace::enter_stretch(double t_from, double t_to) {
  stretch_from_ = t_from;
  stretch_to_ = t_to;
  if (!clocks_started_) start_clocks(t_from);
}

}  // namespace saltus::detail
