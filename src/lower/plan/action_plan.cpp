#include "lower/plan/action_plan.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/expr/switches.hpp>
#include <saltus/expr/text.hpp>

namespace saltus::detail {

namespace {

void refuse_what_never_crosses(const Graph& g, const WhenClause& clause, ConditionId condition) {
  for (const ConditionId id : with_parts(g, std::span(&condition, 1))) {
    const Condition& c = g.condition(id);
    if (c.kind != Condition::Kind::relation || g.relation(c.a).tracked()) continue;
    if (g.node(g.relation(c.a).g).rate == Rate::varying)
      throw ModelError(
          "when-clause '" + clause.name + "'",
          "waits for '" + relation_text(g, c.a) +
              "', which is untracked and never becomes an event: write it without untracked()");
  }
}

}  // namespace

ActionPlan::ActionPlan(const ModelDefinition& model, const Layout& layout,
                       const SwitchPlan& switches) {
  const Graph& g = model.graph();
  std::vector<ConditionId> conditions;
  for (const WhenClause& w : model.when_clauses()) {
    for (const Literal l : w.conditions) {
      refuse_what_never_crosses(g, w, condition_of(l));
      conditions.push_back(condition_of(l));
    }
  }
  for (const ModeExit& exit : model.exits()) {
    if (exit.is_triggered()) conditions.push_back(condition_of(exit.condition));
  }
  conditions_ = std::make_unique<ConditionPlan>(g, layout, conditions);
  for (const WhenClause& w : model.when_clauses()) add(model, layout, switches, w);
  for (const ModeExit& exit : model.exits()) add(g, switches, exit);
}

void ActionPlan::add_trigger(Literal condition, std::string text) {
  const ConditionPlan::Place place = conditions_->place_of(condition_of(condition));
  triggers_.push_back({static_cast<std::uint32_t>(actions_.size()), std::move(text),
                       literal_of(place.first, is_negated(condition))});
}

void ActionPlan::add(const Graph& g, const SwitchPlan& switches, const ModeExit& exit) {
  Action action;
  action.info.name = exit.name;
  action.info.priority = exit.priority;
  if (exit.transition == none) {
    action.info.kind = ActionKind::requirement;
  } else {
    action.info.kind = ActionKind::transition;
    action.info.transition = exit.transition;
  }
  if (exit.is_triggered()) {
    add_trigger(exit.condition, condition_text(g, exit.condition));
  } else {
    auto& waits_for = exit.at_sliding ? action.info.at_sliding_of : action.info.at_accumulation_of;
    const ConditionId guard = condition_of(exit.condition);
    for (const SwitchId id : tracked_in(g, std::span(&guard, 1))) {
      waits_for.push_back(switches.info(switches.number_of(id)).name);
    }
  }
  actions_.push_back(std::move(action));
}

void ActionPlan::add(const ModelDefinition& model, const Layout& layout, const SwitchPlan& switches,
                     const WhenClause& clause) {
  const Graph& g = model.graph();
  Action action;
  action.by_contacts = clause.by_contacts;
  action.rest_of_contact = clause.rest_of_contact;
  action.info.at_start = clause.at_start || (clause.by_contacts && clause.rest_of_contact == none);
  action.info.at_end = clause.at_end;
  if (clause.fails) action.info.kind = ActionKind::requirement;
  action.info.comes_last = clause.by_contacts;
  action.info.by_laws = clause.by_contacts;
  for (const Literal l : clause.conditions) {
    const ConditionId guard = condition_of(l);
    std::vector<std::string> relations;
    for (const SwitchId id : tracked_in(g, std::span(&guard, 1)))
      relations.push_back(switches.info(switches.number_of(id)).name);
    // Relations of contacts have names; how they are written is nobody's business.
    if (clause.rest_of_contact == none)
      add_trigger(l, clause.by_contacts ? relations.front() : condition_text(g, l));
    else
      action.info.at_accumulation_of.insert(action.info.at_accumulation_of.end(), relations.begin(),
                                            relations.end());
  }
  action.info.name = clause.name;
  action.info.priority = clause.priority;
  action.info.terminal = clause.terminal;
  action.info.message = clause.message;
  action.info.lacks = clause.lacks;
  std::vector<NodeId> values;
  for (const Assignment& a : clause.assignments) {
    std::string name = g.variable_name(a.target.kind, a.target.index);
    for (std::uint32_t order = 0; order < a.target.order; ++order) name = "der(" + name + ")";
    ActionTarget target{false, a.target.index};
    if (a.target.kind != InputKind::discrete) {
      target = {true, layout.unknown_of(g, a.target)};
      if (target.index == none)
        throw ModelError(
            "when-clause '" + clause.name + "'",
            "sets '" + name + "', which is not an unknown: its equation determines it");
    }
    // What only the machinery reads has no name that would tell anybody anything.
    const bool is_hidden = clause.by_contacts && !target.is_unknown &&
                           std::ranges::any_of(model.variables(), [&](const Variable& v) {
                             return v.hidden && v.kind == InputKind::discrete &&
                                    v.first <= target.index && target.index < v.first + v.count;
                           });
    action.info.targets.push_back(target);
    action.info.target_names.push_back(is_hidden ? "" : std::move(name));
    if (!clause.by_contacts) values.push_back(a.value);
  }
  if (!values.empty()) {
    const std::vector<Output> outputs = outputs_in_order(g, values);
    action.values = compile(g, outputs, layout.segments(g));
    for (const SwitchEntry& e : SwitchTable(g, values)) {
      for (SwitchId id = e.first; id < e.first + e.count; ++id) {
        if (!switches.knows(id)) action.decided_here.push_back(id);
      }
    }
    if (!action.decided_here.empty()) {
      action.decide = compile(g, outputs, layout.segments(g), {.locking = Locking::unlocked});
    }
  }
  actions_.push_back(std::move(action));
}

}  // namespace saltus::detail
