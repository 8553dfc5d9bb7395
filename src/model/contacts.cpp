// Declaring contacts.
#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/core/text.hpp>
#include <saltus/model/model.hpp>

namespace saltus {

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
      throw ModelError(who + " is " + to_text(graph_, restitution) + ": it is between 0 and 1");
  }
  if (!(options.rest_velocity >= 0))
    throw ModelError("contact '" + name + "' has a rest velocity of " +
                     to_text(options.rest_velocity) + ": it is not negative");
  if (graph_.node(restitution).rate == Rate::varying)
    throw ModelError(who + " changes with time: only constants and parameters are meant");
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

Expr Model::friction(const std::string& name, const Expr& slip, const Expr& normal_force,
                     FrictionOptions options) {
  const std::string who = "friction '" + name + "'";
  if (name.empty()) throw ModelError("friction needs a name");
  const NodeId normal = part_of_contact(normal_force, "the normal force of " + who);
  const auto contact = std::find_if(
      parts_.contacts_.begin(), parts_.contacts_.end(), [&](const ContactDefinition& c) {
        return !c.is_joint && graph_.find_input(InputKind::algebraic, c.force, 0) == normal;
      });
  if (contact == parts_.contacts_.end())
    throw ModelError(who + " has a normal force that is no unilateral contact's");
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
  contact->friction_force = graph_.count(InputKind::algebraic);
  return algebraic(name + ".force");
}

}  // namespace saltus
