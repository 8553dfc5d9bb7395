#include "lower/compiled_actions.hpp"

#include <algorithm>
#include <cmath>

#include "lower/compiled_workspace.hpp"

namespace saltus::detail {

CompiledActions::CompiledActions(const ActionPlan& plan, CompiledWorkspace& workspace)
    : plan_(plan), workspace_(workspace), truth_(plan.conditions()), evaluators_(count()) {}

void CompiledActions::triggers(std::span<const double> before_x,
                               std::span<const double> before_discrete,
                               std::span<std::uint8_t> truth) {
  truth_.refresh(workspace_.board(), workspace_.parameters(), workspace_.discrete(),
                 workspace_.previous_from(before_x, before_discrete));
  for (std::size_t k = 0; k < plan_.triggers().size(); ++k) {
    const Literal l = plan_.triggers()[k].place;
    const bool holds = truth_({condition_of(l), 1}, 0) == lock_true;
    truth[k] = holds != is_negated(l) ? 1 : 0;
  }
}

Evaluation CompiledActions::values(std::uint32_t number, double t, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> out) {
  const ActionPlan::Action& action = plan_.actions()[number];
  if (!action.values) return Evaluation::ok();
  Evaluators& e = evaluators_[number];
  if (!e.values) {
    e.values = std::make_unique<Locked<Evaluator<double>>>(workspace_.evaluator_of(action.values));
    if (action.decide) {
      e.decide =
          std::make_unique<Locked<Evaluator<double>>>(workspace_.evaluator_of(action.decide));
    }
  }
  workspace_.previous_from(x, workspace_.discrete());
  if (e.decide) {
    workspace_.run_at_event(*e.decide, t, x, xdot);
    workspace_.board().apply(*e.values);
    for (const SwitchId id : action.decided_here) {
      e.values->evaluator.set_lock(id, e.decide->evaluator.locks()[id]);
    }
  }
  workspace_.run_at_event(*e.values, t, x, xdot);
  const std::span<const double> computed = e.values->evaluator.outputs();
  std::copy(computed.begin(), computed.end(), out.begin());
  for (std::size_t k = 0; k < computed.size(); ++k) {
    if (!std::isfinite(computed[k]))
      return Evaluation::out_of_domain(static_cast<std::uint32_t>(k));
  }
  return Evaluation::ok();
}

}  // namespace saltus::detail
