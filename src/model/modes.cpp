// Modes and the transitions between them.
#include <algorithm>
#include <unordered_set>

#include <saltus/core/error.hpp>
#include <saltus/model/model.hpp>

#include "model/mode_unknowns.hpp"

namespace saltus {

ModeId Model::mode(const std::string& name) {
  for (const Mode& m : parts_.modes_)
    if (m.name == name) throw ModelError("mode '" + name + "' is declared twice");
  parts_.modes_.push_back({name, {}});
  return static_cast<ModeId>(parts_.modes_.size() - 1);
}

void Model::check_mode(ModeId mode) const {
  if (mode >= parts_.modes_.size()) throw ModelError("there is no mode " + std::to_string(mode));
}

void Model::start_in(ModeId mode) {
  check_mode(mode);
  parts_.first_mode_ = mode;
}

void Model::equation(ModeId mode, const Equality& sides) { equation(mode, "", sides); }

void Model::equation(ModeId mode, const std::string& name, const Equality& sides) {
  check_mode(mode);
  add_equation(name, sides, mode);
}

namespace {

/// The relations that a condition is made of.
std::vector<std::uint32_t> relations_in(const Graph& graph, Literal condition) {
  std::vector<std::uint32_t> found;
  std::vector<ConditionId> open{condition_of(condition)};
  std::unordered_set<ConditionId> seen;
  while (!open.empty()) {
    const ConditionId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const Condition& c = graph.condition(id);
    if (c.kind == Condition::Kind::relation) found.push_back(c.a);
    if (c.kind != Condition::Kind::conjunction) continue;
    open.push_back(condition_of(c.a));
    open.push_back(condition_of(c.b));
  }
  return found;
}

void check_condition_of_mode(const Graph& graph, const Cond& condition, const std::string& who) {
  if (&condition.graph() != &graph) throw ModelError(who + " has a condition of another model");
  if (graph.condition(condition_of(condition.literal())).shape != 0)
    throw ModelError(who + " has a condition with elements: write one per element");
  for (const std::uint32_t r : relations_in(graph, condition.literal())) {
    const Relation& relation = graph.relation(r);
    if (!relation.tracked() && graph.node(relation.g).rate == Rate::varying)
      throw ModelError(
          who + " waits for '" + relation_text(graph, r) +
          "', which is untracked and never becomes an event: write it without untracked()");
  }
}

bool contains_tracked(const Graph& graph, Literal condition) {
  return std::ranges::any_of(relations_in(graph, condition),
                             [&](std::uint32_t r) { return graph.relation(r).tracked(); });
}

}  // namespace

void Model::require(ModeId mode, const Cond& condition) {
  check_mode(mode);
  check_condition_of_mode(graph_, condition,
                          "a requirement of mode '" + parts_.modes_[mode].name + "'");
  parts_.modes_[mode].requirements.push_back(condition.literal());
}

void Model::transition(const std::string& name, ModeId from, ModeId to, const Cond& guard,
                       TransitionOptions options) {
  transition(name, from, std::vector<ModeId>{to}, guard, std::move(options));
}

void Model::transition(const std::string& name, ModeId from, std::vector<ModeId> candidates,
                       const Cond& guard, TransitionOptions options) {
  check_mode(from);
  if (name.empty()) throw ModelError("a transition needs a name");
  const std::string who = "transition '" + name + "'";
  for (const Transition& known : parts_.transitions_)
    if (known.from == from && known.name == name)
      throw ModelError(who + " out of mode '" + parts_.modes_[from].name + "' is written twice");
  if (candidates.empty()) throw ModelError(who + " leads to no mode");
  for (auto to = candidates.begin(); to != candidates.end(); ++to) {
    check_mode(*to);
    if (std::find(candidates.begin(), to, *to) != to)
      throw ModelError(who + " leads to mode '" + parts_.modes_[*to].name + "' twice");
  }
  check_condition_of_mode(graph_, guard, who);
  if (options.at_accumulation && options.at_sliding)
    throw ModelError(who +
                     " cannot be taken both at_accumulation and at_sliding: write two transitions");
  if (options.at_accumulation && !contains_tracked(graph_, guard.literal()))
    throw ModelError(who + " waits for events that accumulate, but its guard has no relation");
  if (options.at_sliding && !contains_tracked(graph_, guard.literal()))
    throw ModelError(who + " waits for a surface to slide on, but its guard has no relation");
  Transition t;
  t.name = name;
  t.from = from;
  t.candidates = std::move(candidates);
  t.guard = guard.literal();
  t.priority = options.priority;
  t.restart = options.restart;
  t.at_accumulation = options.at_accumulation;
  t.at_sliding = options.at_sliding;
  t.conserved = std::move(options.conserved);
  for (const NewValue& s : options.maps) add_map(t, s, who);
  for (const Expr& v : options.free) add_free(t, v, who);
  std::size_t n_equations = 0;
  for (const Equality& sides : options.equations) {
    t.equations.push_back(as_equation("", sides));
    n_equations += t.equations.back().count;
  }
  if (n_equations > t.free.size())
    throw ModelError(who + " has " + std::to_string(n_equations) +
                     " equations between limits but " + std::to_string(t.free.size()) +
                     (t.free.size() == 1 ? " free unknown" : " free unknowns") +
                     ": free one for each equation");
  parts_.transitions_.push_back(std::move(t));
}

Input Model::start_of_transition(const Transition& t, const Expr& variable,
                                 const std::string& who) const {
  const Input target = target_of(variable, who, true);
  const std::string what = detail::input_text(graph_, target);
  if (!detail::is_unknown_kind(target.kind))
    throw ModelError(
        who + " sets the " + std::string(name_of(target.kind)) + " '" + what +
        "': only unknowns start anew in a mode; a when-clause sets discrete variables");
  for (const Assignment& a : t.maps)
    if (a.target == target) throw ModelError(who + " sets '" + what + "' twice");
  for (const Input& in : t.free)
    if (in == target) throw ModelError(who + " sets '" + what + "' twice");
  return target;
}

void Model::add_map(Transition& t, const NewValue& s, const std::string& who) {
  if (s.variable.is_array()) {
    const bool each = s.value.is_array();
    if (each && s.value.size() != s.variable.size())
      throw ModelError(who + " sets " + std::to_string(s.variable.size()) + " elements to " +
                       std::to_string(s.value.size()));
    for (std::uint32_t j = 0; j < s.variable.size(); ++j)
      add_map(t, {s.variable[j], each ? s.value[j] : s.value}, who);
    return;
  }
  const Input target = start_of_transition(t, s.variable, who);
  const NodeId value = s.value.in(graph_);
  if (graph_.is_array(value))
    throw ModelError(who + " sets '" + detail::input_text(graph_, target) + "' to an array");
  t.maps.push_back({target, value});
}

void Model::add_free(Transition& t, const Expr& variable, const std::string& who) {
  if (!variable.is_array()) {
    t.free.push_back(start_of_transition(t, variable, who));
    return;
  }
  for (std::uint32_t j = 0; j < variable.size(); ++j) add_free(t, variable[j], who);
}

}  // namespace saltus
