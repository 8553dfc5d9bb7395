// Diodes, switches and thyristors, as they are declared.
#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/model/model.hpp>

#include "model/mode_unknowns.hpp"

namespace saltus {

namespace {

std::string kind_of_pair(SwitchingPair::Kind kind) {
  switch (kind) {
    case SwitchingPair::Kind::diode:
      return "diode";
    case SwitchingPair::Kind::ideal_switch:
      return "switch";
    case SwitchingPair::Kind::thyristor:
      return "thyristor";
  }
  return "pair";
}

NodeId checked_part(Graph& graph, const Expr& part, const std::string& what) {
  if (part.graph() != nullptr && part.graph() != &graph)
    throw ModelError(what + " is an expression of another model");
  const NodeId node = part.in(graph);
  if (graph.is_array(node))
    throw ModelError(what + " has elements: write one declaration per element");
  const Incidence occurring = incidence(graph, std::span(&node, 1));
  const bool any = std::ranges::any_of(
      occurring.inputs, [](const Input& in) { return detail::is_unknown_kind(in.kind); });
  if (!any)
    throw ModelError(
        what + ", '" + to_text(graph, node) +
        "', contains no unknown: no equation is left in the state in which it has to be zero");
  return node;
}

}  // namespace

void Model::add_pair(SwitchingPair::Kind kind, const std::string& name, const Expr& voltage,
                     const Expr& current, const Cond* condition) {
  if (name.empty()) throw ModelError("a " + kind_of_pair(kind) + " needs a name");
  const std::string who = kind_of_pair(kind) + " '" + name + "'";
  for (const SwitchingPair& known : parts_.pairs_)
    if (known.name == name)
      throw ModelError(who + " is declared twice (there is a " + kind_of_pair(known.kind) +
                       " of that name)");
  SwitchingPair pair{name, kind, none, none, literal_true};
  pair.voltage = checked_part(graph_, voltage, who + ": its voltage");
  pair.current = checked_part(graph_, current, who + ": its current");
  if (pair.voltage == pair.current)
    throw ModelError(who + ": its voltage and its current are both '" +
                     to_text(graph_, pair.voltage) + "'");
  if (condition != nullptr) {
    if (&condition->graph() != &graph_) throw ModelError(who + " has a condition of another model");
    if (graph_.condition(condition_of(condition->literal())).shape != 0)
      throw ModelError(who + " has a condition with elements");
    pair.condition = condition->literal();
  }
  output(name + ".conducts", 0.0, "",
         kind == SwitchingPair::Kind::ideal_switch ? "1 while it is closed, else 0"
                                                   : "1 while it conducts, else 0");
  parts_.pairs_.push_back(std::move(pair));
}

void Model::diode(const std::string& name, const Expr& voltage, const Expr& current) {
  add_pair(SwitchingPair::Kind::diode, name, voltage, current, nullptr);
}

void Model::ideal_switch(const std::string& name, const Expr& voltage, const Expr& current,
                         const Cond& closed) {
  add_pair(SwitchingPair::Kind::ideal_switch, name, voltage, current, &closed);
}

void Model::thyristor(const std::string& name, const Expr& voltage, const Expr& current,
                      const Cond& gate) {
  add_pair(SwitchingPair::Kind::thyristor, name, voltage, current, &gate);
}

}  // namespace saltus
