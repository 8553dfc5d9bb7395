// What happens at events.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/model/model.hpp>

namespace saltus {

std::string ModelDefinition::relation_name(std::uint32_t relation) const {
  const auto found = std::find_if(relation_names_.begin(), relation_names_.end(),
                                  [&](const auto& named) { return named.first == relation; });
  return found == relation_names_.end() ? "" : found->second;
}

Input Model::target_of(const Expr& variable, const std::string& where,
                       bool with_derivatives) const {
  if (variable.graph() == &graph_) {
    const Node& n = graph_.node(variable.id());
    if (n.op == Op::input && (with_derivatives || graph_.input(n.a).order == 0))
      return graph_.input(n.a);
  }
  throw ModelError(where + " sets something that is not a variable of this model");
}

void Model::add_assignments(WhenClause& clause, const Set& s, const std::string& who) {
  if (s.variable.is_array()) {
    const bool each = s.value.is_array();
    if (each && s.value.size() != s.variable.size())
      throw ModelError(who + " sets " + std::to_string(s.variable.size()) + " elements to " +
                       std::to_string(s.value.size()));
    for (std::uint32_t j = 0; j < s.variable.size(); ++j) {
      add_assignments(clause, {s.variable[j], each ? s.value[j] : s.value}, who);
    }
    return;
  }
  const Input target = target_of(s.variable, who, true);
  const std::string what = graph_.variable_name(target.kind, target.index);
  if (target.kind != InputKind::discrete && target.kind != InputKind::state)
    throw ModelError(who + " sets the " + std::string(name_of(target.kind)) + " '" + what +
                     "': only discrete variables and states can be set at an event");
  const bool again = std::any_of(clause.assignments.begin(), clause.assignments.end(),
                                 [&](const Assignment& a) { return a.target == target; });
  if (again) throw ModelError(who + " sets '" + what + "' twice");
  const NodeId value = s.value.in(graph_);
  if (graph_.is_array(value)) throw ModelError(who + " sets '" + what + "' to an array");
  clause.assignments.push_back({target, value});
}

WhenClause& Model::add_clause(const std::string& name, std::span<const Cond> conditions,
                              std::vector<Set> assignments) {
  const std::string who = "when-clause '" + name + "'";
  if (name.empty()) throw ModelError("a when-clause needs a name");
  if (clause_names_.contains(name)) throw ModelError(who + " is written twice");
  if (conditions.empty()) throw ModelError(who + " has no condition");
  WhenClause clause;
  clause.name = name;
  for (const Cond& c : conditions) {
    if (&c.graph() != &graph_) throw ModelError(who + " has a condition of another model");
    if (graph_.condition(condition_of(c.literal())).shape != 0)
      throw ModelError(who + " has a condition with elements: write one clause per element");
    clause.conditions.push_back(c.literal());
  }
  const std::vector<Set> sets = std::move(assignments);
  for (const Set& s : sets) add_assignments(clause, s, who);
  clause_names_.insert(name);
  parts_.when_clauses_.push_back(std::move(clause));
  return parts_.when_clauses_.back();
}

void Model::when(const std::string& name, const Cond& condition, std::vector<Set> assignments,
                 WhenOptions options) {
  when_any(name, std::span(&condition, 1), std::move(assignments), options);
}

void Model::when_any(const std::string& name, std::span<const Cond> conditions,
                     std::vector<Set> assignments, WhenOptions options) {
  add_clause(name, conditions, std::move(assignments)).priority = options.priority;
}

void Model::terminate_when(const std::string& name, const Cond& condition,
                           const std::string& message) {
  WhenClause& clause = add_clause(name, std::span(&condition, 1), {});
  clause.terminal = true;
  clause.message = message;
}

void Model::at_start(const std::string& name, std::vector<Set> assignments) {
  const Cond never = Cond::never(graph_);
  WhenClause& clause = add_clause(name, std::span(&never, 1), std::move(assignments));
  clause.conditions.clear();
  clause.at_start = true;
}

void Model::at_end(const std::string& name, std::vector<Set> assignments) {
  const Cond never = Cond::never(graph_);
  WhenClause& clause = add_clause(name, std::span(&never, 1), std::move(assignments));
  clause.conditions.clear();
  clause.at_end = true;
}

void Model::assert_always(const std::string& name, const Cond& condition,
                          const std::string& message) {
  const Cond broken = !condition;
  WhenClause& clause = add_clause(name, std::span(&broken, 1), {});
  clause.fails = true;
  clause.message = message;
}

Cond Model::every(const std::string& name, double start, double interval) {
  if (!std::isfinite(start)) throw ModelError("clock '" + name + "' starts at " + to_text(start));
  if (!(interval > 0) || !std::isfinite(interval))
    throw ModelError("clock '" + name + "' has interval " + to_text(interval) +
                     ": it must be positive and finite");
  const Expr ticks = discrete(name + ".ticks", 0.0);
  parts_.variables_.back().hidden = true;
  Clock clock = clock_of(name, start, interval);
  clock.counter = parts_.variables_.back().first;
  const Expr next = clock.first + ticks * clock.step;
  const Cond tick = named(name, time() >= (clock.parts == 1 ? next : next / clock.parts));
  parts_.clocks_.push_back(std::move(clock));
  when(name + ".tick", tick, {{ticks, pre(ticks) + 1.0}});
  return tick;
}

Cond Model::named(const std::string& name, const Cond& relation) {
  const Condition& c = graph_.condition(condition_of(relation.literal()));
  if (&relation.graph() != &graph_ || c.kind != Condition::Kind::relation ||
      !graph_.relation(c.a).tracked())
    throw ModelError("'" + name +
                     "' cannot name a condition that is not a single relation: name the relations "
                     "it is made of");
  if (const std::string known = parts_.relation_name(c.a); !known.empty() && known != name)
    throw ModelError("'" + name + "' cannot name a relation whose name is '" + known + "' already");
  parts_.relation_names_.emplace_back(c.a, name);
  return relation;
}

}  // namespace saltus
