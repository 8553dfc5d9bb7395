#include "lower/compiled/compiled_actions.hpp"

#include <algorithm>
#include <cmath>

#include "lower/compiled/compiled_system.hpp"
#include "lower/compiled/compiled_workspace.hpp"

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
  holds_.assign(truth.begin(), truth.end());
}

Evaluation CompiledActions::values(std::uint32_t number, double t, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> out) {
  const ActionPlan::Action& action = plan_.actions()[number];
  refusal_.clear();
  if (action.by_contacts) return values_by_contacts(action, number, t, x, out);
  if (!action.values) return Evaluation::ok();
  Evaluators& e = evaluators_of(number);
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

CompiledActions::Evaluators& CompiledActions::evaluators_of(std::uint32_t number) {
  const ActionPlan::Action& action = plan_.actions()[number];
  Evaluators& e = evaluators_[number];
  if (e.values) return e;
  e.values = std::make_unique<Locked<Evaluator<double>>>(workspace_.evaluator_of(action.values));
  if (action.decide)
    e.decide = std::make_unique<Locked<Evaluator<double>>>(workspace_.evaluator_of(action.decide));
  return e;
}

bool CompiledActions::along(std::uint32_t number, double t, std::span<const double> x,
                            std::span<const double> xdot, const Direction& way,
                            std::span<double> out) {
  const ActionPlan::Action& action = plan_.actions()[number];
  if (action.by_contacts) return false;
  if (!action.values) return true;
  Evaluators& e = evaluators_of(number);
  if (!e.along) e.along = series_of_one(action.values);
  if (!e.along) return false;
  const std::span<const double> previous = workspace_.previous_from(x, workspace_.discrete());
  workspace_.board().apply(*e.along);
  if (e.decide) {
    workspace_.run_at_event(*e.decide, t, x, xdot);
    for (const SwitchId id : action.decided_here)
      e.along->evaluator.set_lock(id, e.decide->evaluator.locks()[id]);
  }
  TaylorEvaluator<double>& series = e.along->evaluator;
  load_direction(series, workspace_, t, x, xdot, way);
  const Graph& g = workspace_.system().model().graph();
  for (std::uint32_t k = 0; k < previous.size(); ++k) {
    const Input& variable = g.previous_variable(k);
    const bool is_held = variable.kind == InputKind::discrete ||
                         variable.kind == InputKind::parameter ||
                         variable.kind == InputKind::signal;
    const std::span<double> to = series.input(Layout::previous, k);
    to[0] = previous[k];
    // Programs take what was before for a constant.
    if (!is_held && way.dx[workspace_.system().layout().unknown_of(g, variable)] != 0) return false;
  }
  series.run();
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = series.output(k)[1];
  return true;
}

/// None if the model has no contacts, or some whose motion cannot be told from their forces.
CompiledContacts* CompiledActions::contacts() {
  if (workspace_.system().contacts() == nullptr) return nullptr;
  if (!contacts_)
    contacts_ = std::make_unique<CompiledContacts>(*workspace_.system().contacts(), workspace_);
  return contacts_.get();
}

std::vector<double> CompiledActions::watched(double t, std::span<const double> x,
                                             std::span<const double> xdot) {
  return contacts() != nullptr ? contacts_->watched(t, x, xdot) : std::vector<double>();
}

void CompiledActions::compare_with(std::span<const double> watched, double time_error) {
  if (contacts() != nullptr) contacts_->compare_with(watched, time_error);
}

std::string CompiledActions::jumped(std::uint32_t action, double t, std::span<const double> x,
                                    std::span<const double> xdot) {
  // The actions of single contacts wait for accumulation.
  const ActionPlan::Action& asked = plan_.actions()[action];
  if (!asked.by_contacts || asked.rest_of_contact != none || contacts() == nullptr) return {};
  return contacts_->jumped(t, x, xdot, workspace_.discrete());
}

double CompiledActions::drift(double t, std::span<const double> x, std::span<const double> xdot,
                              std::span<const double> tolerance) {
  if (contacts() == nullptr) return 0.0;
  return contacts_->drift(t, x, xdot, workspace_.discrete(), tolerance);
}

Evaluation CompiledActions::put_back(double t, std::span<double> x) {
  const bool done = contacts() != nullptr && contacts_->put_back(t, workspace_.discrete(), x);
  return done ? Evaluation::ok() : Evaluation::out_of_domain(0);
}

/// Which triggers hold tells what the event is about.
Evaluation CompiledActions::values_by_contacts(const ActionPlan::Action& action,
                                               std::uint32_t number, double t,
                                               std::span<const double> x, std::span<double> out) {
  if (contacts() == nullptr) {
    refusal_ =
        "there are constraints beside the contacts, of which derivatives are needed: write them as "
        "joints";
    return Evaluation::out_of_domain(0);
  }
  const ContactPlan& plan = *workspace_.system().contacts();
  ContactEvent asked;
  const std::size_t n = plan.contacts().size();
  asked.touches.assign(n, 0);
  asked.separates.assign(n, 0);
  asked.gives_way.assign(n, 0);
  asked.stops.assign(n, 0);
  asked.rest_of = action.rest_of_contact;
  std::uint32_t trigger = 0;
  while (trigger < plan_.triggers().size() && plan_.triggers()[trigger].action != number) ++trigger;
  for (std::size_t i = 0; i < n && asked.rest_of == none; ++i) {
    const ContactDefinition& c = plan.contacts()[i];
    if (c.is_joint) continue;
    const auto take = [&] {
      const bool held = trigger < holds_.size() && holds_[trigger] != 0;
      ++trigger;
      return static_cast<std::uint8_t>(held ? 1 : 0);
    };
    asked.touches[i] = take();
    asked.separates[i] = take();
    if (!c.has_friction()) continue;
    if (take() != 0) asked.gives_way[i] = 1;
    if (take() != 0) asked.gives_way[i] = -1;
    asked.stops[i] = take();
  }
  std::vector<double> x_new(x.begin(), x.end());
  std::vector<double> discrete(workspace_.discrete().begin(), workspace_.discrete().end());
  if (auto said = contacts_->decide(std::move(asked), t, x_new, discrete)) {
    refusal_ = std::move(*said);
    return Evaluation::out_of_domain(0);
  }
  const std::vector<ActionTarget>& targets = action.info.targets;
  for (std::size_t k = 0; k < targets.size(); ++k)
    out[k] = targets[k].is_unknown ? x_new[targets[k].index] : discrete[targets[k].index];
  return Evaluation::ok();
}

}  // namespace saltus::detail
