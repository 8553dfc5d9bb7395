#include "lower/compiled/compiled_transition.hpp"

#include <algorithm>
#include <cmath>

#include <saltus/core/side.hpp>

namespace saltus::detail {

namespace {

/// Both limits are those of one instant: inputs that jump there have their left value in maps, which
/// only look back, and their right one in equations of the right limit.
void load_limits(Evaluator<double>& evaluator, const LimitProgram& program,
                 const ModelDefinition& model, const LeftLimit& left,
                 std::span<const double> x_plus, Side side) {
  if (program.arguments.empty()) return;
  using From = LimitArgument::From;
  const std::span<double> to = evaluator.input(0);
  for (std::size_t k = 0; k < to.size(); ++k) {
    const LimitArgument& a = program.arguments[k];
    switch (a.from) {
      case From::time:
        to[k] = left.t;
        break;
      case From::left:
        to[k] = left.x[a.index];
        break;
      case From::left_rate:
        to[k] = left.xdot[a.index];
        break;
      case From::right:
        to[k] = x_plus[a.index];
        break;
      case From::signal:
        to[k] = model.signal(a.index).value(left.t, a.order, side);
        break;
      case From::parameter:
        to[k] = left.parameters[a.index];
        break;
      case From::discrete:
        to[k] = left.discrete[a.index];
        break;
    }
  }
}

}  // namespace

CompiledLimitEquations::CompiledLimitEquations(const TransitionPlan& plan, const LeftLimit& left)
    : plan_(plan),
      left_(left),
      residual_(plan.residual().program),
      jacobian_(plan.jacobian().program) {}

Evaluation CompiledLimitEquations::residual(std::span<const double> x_plus, std::span<double> r) {
  load_limits(residual_, plan_.residual(), plan_.whole(), left_, x_plus, Side::right);
  residual_.run();
  std::copy(residual_.outputs().begin(), residual_.outputs().end(), r.begin());
  for (std::size_t k = 0; k < r.size(); ++k) {
    if (!std::isfinite(r[k])) return Evaluation::out_of_domain(static_cast<std::uint32_t>(k));
  }
  return Evaluation::ok();
}

Evaluation CompiledLimitEquations::jacobian(std::span<const double> x_plus, std::span<double> dr) {
  load_limits(jacobian_, plan_.jacobian(), plan_.whole(), left_, x_plus, Side::right);
  jacobian_.run();
  std::fill(dr.begin(), dr.end(), 0.0);
  const std::span<const double> entries = jacobian_.outputs();
  const std::span<const std::size_t> places = plan_.jacobian_places();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    dr[places[k]] = entries[k];
    if (!std::isfinite(entries[k]))
      return Evaluation::out_of_domain(
          static_cast<std::uint32_t>(places[k] / plan_.unknowns().size()));
  }
  return Evaluation::ok();
}

CompiledTransition::CompiledTransition(std::shared_ptr<const TransitionPlan> plan,
                                       StartValues fresh)
    : plan_(std::move(plan)), fresh_(std::move(fresh)) {
  if (plan_->maps().program) maps_ = std::make_unique<Evaluator<double>>(plan_->maps().program);
  if (plan_->residual().program)
    equations_ = std::make_unique<CompiledLimitEquations>(*plan_, left_);
}

void CompiledTransition::set_left(double t, std::span<const double> x, std::span<const double> xdot,
                                  std::span<const double> parameters,
                                  std::span<const double> discrete) {
  left_.t = t;
  left_.x.assign(x.begin(), x.end());
  left_.xdot.assign(xdot.begin(), xdot.end());
  left_.parameters.assign(parameters.begin(), parameters.end());
  left_.discrete.assign(discrete.begin(), discrete.end());
}

Evaluation CompiledTransition::wish(StartValues& start) {
  start = fresh_;
  const auto unknowns = plan_->unknowns();
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const TransitionPlan::Unknown& u = unknowns[i];
    if (u.before != none) {
      start.x[i] = left_.x[u.before];
      start.xdot[i] = left_.xdot[u.before];
    } else if (u.rate != none) {
      start.x[i] = left_.xdot[u.rate];
    }
    if (u.start == UnknownStart::held) start.x_given[i] = u.carries_derivative ? 1 : 0;
    if (u.start == UnknownStart::free) start.x_given[i] = 0;
  }
  if (maps_) {
    load_limits(*maps_, plan_->maps(), plan_->whole(), left_, {}, Side::left);
    maps_->run();
    for (std::size_t k = 0; k < plan_->mapped().size(); ++k) {
      const std::uint32_t i = plan_->mapped()[k];
      start.x[i] = maps_->outputs()[k];
      start.x_given[i] = 1;
      if (!std::isfinite(start.x[i])) return Evaluation::out_of_domain(i);
    }
  }
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (unknowns[i].successor != none) start.xdot[i] = start.x[unknowns[i].successor];
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
