#include "lower/compiled/compiled_initial.hpp"

#include <algorithm>
#include <cmath>

#include "lower/compiled/compiled_workspace.hpp"

namespace saltus::detail {

CompiledInitialEquations::CompiledInitialEquations(const InitialPlan& plan,
                                                   const ModelDefinition& model,
                                                   CompiledWorkspace& workspace)
    : plan_(plan),
      model_(model),
      workspace_(workspace),
      before_(model.initial_values(InputKind::discrete)) {
  if (!plan.refusal().empty()) return;
  residual_.emplace(plan.residual());
  jacobian_.emplace(plan.jacobian());
}

void CompiledInitialEquations::load(Evaluator<double>& evaluator, double t,
                                    std::span<const double> x, std::span<const double> xdot) {
  if (plan_.arguments().empty()) return;
  using From = InitialPlan::Argument::From;
  const std::span<double> to = evaluator.input(0);
  for (std::size_t k = 0; k < to.size(); ++k) {
    const InitialPlan::Argument& a = plan_.arguments()[k];
    switch (a.from) {
      case From::time:
        to[k] = t;
        break;
      case From::x:
        to[k] = x[a.index];
        break;
      case From::xdot:
        to[k] = xdot[a.index];
        break;
      case From::signal:
        to[k] = model_.signal(a.index).value(t, a.order, workspace_.side_of(t));
        break;
      case From::parameter:
        to[k] = workspace_.parameters()[a.index];
        break;
      case From::discrete:
        to[k] = workspace_.discrete()[a.index];
        break;
      case From::before:
        to[k] = before_[a.index];
        break;
    }
  }
}

Evaluation CompiledInitialEquations::residual(double t, std::span<const double> x,
                                              std::span<const double> xdot, std::span<double> r) {
  load(*residual_, t, x, xdot);
  residual_->run();
  std::copy(residual_->outputs().begin(), residual_->outputs().end(), r.begin());
  for (std::size_t k = 0; k < r.size(); ++k)
    if (!std::isfinite(r[k])) return Evaluation::out_of_domain(static_cast<std::uint32_t>(k));
  return Evaluation::ok();
}

Evaluation CompiledInitialEquations::jacobian(double t, std::span<const double> x,
                                              std::span<const double> xdot, std::span<double> dr) {
  load(*jacobian_, t, x, xdot);
  jacobian_->run();
  std::fill(dr.begin(), dr.end(), 0.0);
  const std::span<const double> entries = jacobian_->outputs();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::size_t place = plan_.places()[k];
    dr[place] += entries[k];
    if (!std::isfinite(entries[k]))
      return Evaluation::out_of_domain(static_cast<std::uint32_t>(pattern().row[place]));
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
