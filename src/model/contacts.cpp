// Declaring contacts.
#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/model/model.hpp>

namespace saltus {

namespace {

/// As far as they are numbers.
void check_coefficients(const Graph& g, const std::string& who, NodeId mu, NodeId mu_static) {
  if (!g.is_constant(mu) || !g.is_constant(mu_static)) return;
  if (g.constant_value(mu_static) >= g.constant_value(mu)) return;
  throw ModelError(who + " has a mu_static of " + to_text(g, mu_static) +
                   ", below its mu_kinetic of " + to_text(g, mu));
}

}  // namespace

/// Scalars of this model only.
NodeId Model::part_of_contact(const Expr& expression, const std::string& who) const {
  const bool foreign = expression.graph() != nullptr && expression.graph() != &graph_;
  if (foreign) throw ModelError(who + " is an expression of another model");
  if (expression.is_array()) throw ModelError(who + " is an array: write one contact per element");
  return expression.in(const_cast<Graph&>(graph_));
}

ContactDefinition& Model::add_contact(const std::string& name, const Expr& gap) {
  if (name.empty()) throw ModelError("a contact needs a name");
  for (const ContactDefinition& known : parts_.contacts_)
    if (known.name == name) throw ModelError("contact '" + name + "' is written twice");
  ContactDefinition contact;
  contact.name = name;
  contact.gap = part_of_contact(gap, "the gap of contact '" + name + "'");
  contact.force = graph_.count(InputKind::algebraic);
  (void)algebraic(name + ".force");
  parts_.contacts_.push_back(std::move(contact));
  return parts_.contacts_.back();
}

Expr Model::unilateral(const std::string& name, const Expr& gap, UnilateralOptions options) {
  const std::string who = "restitution of contact '" + name + "'";
  const NodeId restitution = part_of_contact(options.restitution, who);
  if (graph_.is_constant(restitution)) {
    const double e = graph_.constant_value(restitution);
    if (!(e >= 0) || e > 1)
      throw ModelError(who + " is " + to_text(graph_, restitution) +
                       ": it must be between 0 and 1");
  }
  if (!(options.rest_velocity >= 0))
    throw ModelError("contact '" + name + "' has a rest velocity of " +
                     to_text(options.rest_velocity) + ": it must not be negative");
  if (graph_.node(restitution).rate == Rate::varying)
    throw ModelError(who + " changes with time: only constants and parameters are allowed");
  ContactDefinition& contact = add_contact(name, gap);
  contact.restitution = restitution;
  contact.rest_velocity = options.rest_velocity;
  return {graph_, graph_.input(InputKind::algebraic, contact.force)};
}

Expr Model::joint(const std::string& name, const Expr& gap) {
  ContactDefinition& contact = add_contact(name, gap);
  contact.is_joint = true;
  return {graph_, graph_.input(InputKind::algebraic, contact.force)};
}

/// Where the normal force is known, bodies that stick slide on the surface of a sign().
Expr Model::friction_by_sign(const std::string& name, const Expr& slip, NodeId normal,
                             const FrictionOptions& options) {
  const std::string who = "friction '" + name + "'";
  const NodeId velocity = part_of_contact(slip, "the slip velocity of " + who);
  const NodeId mu = part_of_contact(options.mu_kinetic, "mu_kinetic of " + who);
  const NodeId mu_static =
      options.mu_static ? part_of_contact(*options.mu_static, "mu_static of " + who) : mu;
  const auto is_below = [&](NodeId a, double least) {
    return graph_.is_constant(a) && !(graph_.constant_value(a) >= least);
  };
  // Without it nothing would rub, and mu_static is measured by it.
  if (graph_.is_constant(mu) && graph_.constant_value(mu) == 0.0)
    throw ModelError(who +
                     ": mu_kinetic is not given, or 0: give the coefficient with which it slips");
  for (const NodeId coefficient : {mu, mu_static}) {
    if (is_below(coefficient, 0.0))
      throw ModelError(who + " has a negative coefficient, " + to_text(graph_, coefficient));
  }
  if (is_below(normal, 0.0))
    throw ModelError(who + " has a negative normal force, " + to_text(graph_, normal));
  check_coefficients(graph_, who, mu, mu_static);
  if (graph_.node(velocity).rate != Rate::varying)
    throw ModelError(who + " has a slip velocity that never changes: " + to_text(graph_, velocity));
  const Literal forward = graph_.relation(velocity, Comparison::greater, graph_.constant(0.0));
  const std::uint32_t relation = graph_.condition(condition_of(forward)).a;
  if (!is_negated(forward) && parts_.relation_name(relation).empty())
    parts_.relation_names_.emplace_back(relation, "slip of " + name + " > 0");
  if (mu_static != mu) {
    for (const HoldingRelation& known : parts_.holding_relations_) {
      if (known.relation == relation)
        throw ModelError(who + " has the slip velocity of friction '" + known.name +
                         "': write one friction for both");
    }
    parts_.holding_relations_.push_back({name, relation, graph_.div(mu, mu_static), normal});
  }
  const NodeId limit = graph_.mul(mu, normal);
  return {graph_, graph_.neg(graph_.mul(limit, graph_.sign(velocity)))};
}

Expr Model::friction(const std::string& name, const Expr& slip, const Expr& normal_force,
                     FrictionOptions options) {
  const std::string who = "friction '" + name + "'";
  if (name.empty()) throw ModelError("friction needs a name");
  const NodeId normal = part_of_contact(normal_force, "the normal force of " + who);
  const auto contact = std::find_if(
      parts_.contacts_.begin(), parts_.contacts_.end(), [&](const ContactDefinition& c) {
        return !c.is_joint && graph_.find_input(InputKind::algebraic, c.force, 0) == normal;
      });
  if (contact == parts_.contacts_.end()) return friction_by_sign(name, slip, normal, options);
  if (contact->has_friction())
    throw ModelError(who + ": contact '" + contact->name + "' already has friction, '" +
                     contact->friction_name + "'");
  contact->friction_name = name;
  contact->slip = part_of_contact(slip, "the slip velocity of " + who);
  contact->mu_kinetic = part_of_contact(options.mu_kinetic, "mu_kinetic of " + who);
  contact->mu_static = options.mu_static
                           ? part_of_contact(*options.mu_static, "mu_static of " + who)
                           : contact->mu_kinetic;
  for (const NodeId mu : {contact->mu_kinetic, contact->mu_static}) {
    if (graph_.is_constant(mu) && !(graph_.constant_value(mu) >= 0))
      throw ModelError(who + " has a negative coefficient, " + to_text(graph_, mu));
  }
  check_coefficients(graph_, who, contact->mu_kinetic, contact->mu_static);
  contact->friction_force = graph_.count(InputKind::algebraic);
  return algebraic(name + ".force");
}

}  // namespace saltus
