#include "model/contact_rows.hpp"

#include <algorithm>

#include <saltus/core/error.hpp>
#include <saltus/expr/differentiate.hpp>
#include <saltus/expr/incidence.hpp>
#include <saltus/expr/substitute.hpp>

namespace saltus::detail {

void ContactCompletion::operator()() {
  if (model_.contacts_.empty()) return;
  if (!model_.modes_.empty())
    throw ModelError("contact '" + model_.contacts_.front().name + "'",
                     "stands in a model with modes: contacts have their own, so write what the "
                     "modes change with where() and discrete variables");
  const bool all_joints = std::all_of(model_.contacts_.begin(), model_.contacts_.end(),
                                      [](const ContactDefinition& c) { return c.is_joint; });
  if (all_joints)
    throw ModelError("joint '" + model_.contacts_.front().name + "'",
                     "is in a model without contacts: write its constraint as an equation, with an "
                     "algebraic unknown for the force; that keeps it exactly");
  find_velocities();
  std::uint32_t n = 0;
  for (ContactDefinition& c : model_.contacts_) {
    c.row = n++;
    force_.push_back(g_.input(InputKind::algebraic, c.force));
  }
  for (ContactDefinition& c : model_.contacts_) {
    if (!c.has_friction()) continue;
    c.friction_row = n++;
    force_.push_back(g_.input(InputKind::algebraic, c.friction_force));
  }
  model_.contact_rows_.n = n;
  for (ContactDefinition& c : model_.contacts_) {
    c.rate = with_velocities(differentiated(c.gap));
    check_motion(c, c.rate, "gap");
    c.acceleration = with_velocities(differentiated(c.rate));
    if (!c.has_friction()) continue;
    check_motion(c, c.slip, "slip velocity");
    c.slip_acceleration = with_velocities(differentiated(c.slip));
  }
  add_rows();
  add_clauses();
}

/// Equations der(q) == ..., whose right-hand side is made of unknowns that do not jump by themselves.
void ContactCompletion::find_velocities() {
  for (const Equation& q : model_.equations_) {
    for (std::uint32_t lane = 0; lane < q.count; ++lane) {
      const auto scalar = [&](NodeId node) {
        return g_.is_array(node) ? g_.lane(node, lane) : node;
      };
      for (const bool turned : {false, true}) {
        const NodeId left = scalar(turned ? q.right : q.left);
        const NodeId right = scalar(turned ? q.left : q.right);
        if (g_.node(left).op != Op::input) continue;
        const Input derivative = g_.input(g_.node(left).a);
        if (derivative.kind != InputKind::state || derivative.order != 1) continue;
        const Incidence read = incidence(g_, std::vector{right});
        const bool plain = std::all_of(read.inputs.begin(), read.inputs.end(), [](const Input& in) {
          return in.order == 0 && in.kind != InputKind::algebraic;
        });
        if (plain) velocities_.push_back({derivative, right});
      }
    }
  }
}

NodeId ContactCompletion::with_velocities(NodeId node) {
  return substitute(g_, std::vector{node},
                    [&](Graph& g, InputId input) {
                      for (const Velocity& v : velocities_)
                        if (g.input(input) == v.derivative) return v.value;
                      return none;
                    })
      .front();
}

NodeId ContactCompletion::differentiated(NodeId node) {
  return total_derivative(g_, std::vector{node}).front();
}

/// Velocities must be known from unknowns alone; derivatives in them are second-order unknowns.
void ContactCompletion::check_motion(const ContactDefinition& contact, NodeId rate,
                                     const std::string& what) const {
  std::vector<NodeId> rows;
  for (const Equation& q : model_.equations_) rows.push_back(q.residual);
  const Incidence equations = incidence(g_, rows);
  const std::string who = "contact '" + contact.name + "'";
  bool moves = false;
  const Incidence read = incidence(g_, std::vector{rate});
  for (const Input& in : read.inputs) {
    if (in.kind == InputKind::state) moves = true;
    if (in.kind == InputKind::algebraic)
      throw ModelError(who, "its " + what + " depends on '" + g_.variable_name(in.kind, in.index) +
                                "', which is not a state: write it in positions and velocities");
    if (in.kind != InputKind::state || in.order == 0) continue;
    const bool is_unknown =
        std::any_of(equations.inputs.begin(), equations.inputs.end(), [&](const Input& other) {
          return other.kind == in.kind && other.index == in.index && other.order > in.order;
        });
    if (!is_unknown)
      throw ModelError(who, "its " + what + " moves with '" + g_.variable_name(in.kind, in.index) +
                                "', whose velocity is not known: write an equation der(" +
                                g_.variable_name(in.kind, in.index) + ") == velocity");
  }
  if (!moves)
    throw ModelError(
        who, "its " + what + " reads no position or velocity: write it in states of the model");
}

std::uint32_t ContactCompletion::add_discrete(const std::string& name, std::uint32_t count,
                                              double start) {
  const std::uint32_t first = count > 1 ? g_.declare_array(InputKind::discrete, name, count)
                                        : g_.declare(InputKind::discrete, name);
  Variable variable;
  variable.name = name;
  variable.kind = InputKind::discrete;
  variable.first = first;
  variable.count = count;
  variable.is_array = count > 1;
  variable.attributes.start = start;
  variable.hidden = true;
  model_.variables_.push_back(std::move(variable));
  return first;
}

/// (C.1).
void ContactCompletion::add_row(const std::string& name, std::uint32_t row, NodeId acceleration,
                                NodeId slipping) {
  const ContactRows& rows = model_.contact_rows_;
  NodeId sum = g_.mul(discrete(rows.first_on + row), acceleration);
  for (std::uint32_t k = 0; k < rows.n; ++k) {
    sum = g_.add(sum, g_.mul(discrete(rows.first_share + row * rows.n + k), force_[k]));
  }
  if (slipping != none) sum = g_.add(sum, slipping);
  Equation equation;
  equation.name = name;
  equation.left = equation.residual = sum;
  equation.right = g_.constant(0.0);
  model_.equations_.push_back(std::move(equation));
}

void ContactCompletion::add_rows() {
  ContactRows& rows = model_.contact_rows_;
  rows.first_equation = static_cast<std::uint32_t>(model_.equations_.size());
  rows.first_on = add_discrete("contacts.on", rows.n, 0.0);
  rows.first_share = add_discrete("contacts.share", rows.n * rows.n, 0.0);
  Variable& share = model_.variables_.back();
  share.starts.assign(static_cast<std::size_t>(rows.n) * rows.n, 0.0);
  for (std::uint32_t i = 0; i < rows.n; ++i) share.starts[i * rows.n + i] = 1.0;
  for (ContactDefinition& c : model_.contacts_) {
    c.closed = add_discrete(c.name + ".closed", 1, 0.0);
    model_.variables_.back().hidden = false;
    if (!c.is_joint) c.slack = add_discrete(c.name + ".slack", c.has_friction() ? 2 : 1, 0.0);
    if (!c.has_friction()) continue;
    c.sticks = add_discrete(c.friction_name + ".sticks", 1, 0.0);
    model_.variables_.back().hidden = false;
    c.direction = add_discrete(c.friction_name + ".direction", 1, 0.0);
  }
  for (const ContactDefinition& c : model_.contacts_)
    add_row("contact '" + c.name + "'", c.row, c.acceleration, none);
  for (const ContactDefinition& c : model_.contacts_) {
    if (!c.has_friction()) continue;
    const NodeId mu = g_.mul(discrete(c.direction), c.mu_kinetic);
    add_row("friction '" + c.friction_name + "'", c.friction_row, c.slip_acceleration,
            g_.mul(mu, force_[c.row]));
  }
}

/// off + (1 - off) value < 0, where `off` is 0 or 1: a relation that only exists while it matters.
Literal ContactCompletion::becomes_negative(const std::string& name, NodeId off, NodeId value) {
  const NodeId on = g_.sub(g_.constant(1.0), off);
  const Literal relation =
      g_.relation(g_.add(off, g_.mul(on, value)), Comparison::less, g_.constant(0.0));
  model_.relation_names_.emplace_back(g_.condition(condition_of(relation)).a, name);
  return relation;
}

void ContactCompletion::add_clauses() {
  WhenClause clause;
  clause.name = "contacts";
  clause.by_contacts = true;
  const NodeId one = g_.constant(1.0);
  std::vector<std::vector<Literal>> repeats;  // per contact, what may happen ever faster
  for (const ContactDefinition& c : model_.contacts_) {
    repeats.emplace_back();
    if (c.is_joint) continue;
    const NodeId closed = discrete(c.closed), open = g_.sub(one, closed);
    repeats.back().push_back(
        becomes_negative(c.name + " touches", closed, g_.add(c.gap, discrete(c.slack))));
    clause.conditions.push_back(repeats.back().back());
    clause.conditions.push_back(becomes_negative(c.name + " separates", open, force_[c.row]));
    if (!c.has_friction()) continue;
    const NodeId loose = g_.sub(one, discrete(c.sticks));
    const NodeId most = g_.mul(c.mu_static, force_[c.row]), force = force_[c.friction_row];
    clause.conditions.push_back(
        becomes_negative(c.friction_name + " gives way forward", loose, g_.add(most, force)));
    clause.conditions.push_back(
        becomes_negative(c.friction_name + " gives way backward", loose, g_.sub(most, force)));
    const NodeId direction = discrete(c.direction);
    const NodeId does_not_slip = g_.sub(one, g_.mul(direction, direction));
    const NodeId along = g_.add(g_.mul(direction, c.slip), discrete(c.slack + 1));
    repeats.back().push_back(
        becomes_negative(c.friction_name + " stops slipping", does_not_slip, along));
    clause.conditions.push_back(repeats.back().back());
  }
  clause.assignments = assignments();
  model_.when_clauses_.push_back(clause);
  for (std::uint32_t i = 0; i < model_.contacts_.size(); ++i) {
    const ContactDefinition& c = model_.contacts_[i];
    // One that bounces alone, or one of several without restitution: a brick that rocks.
    if (c.is_joint) continue;
    WhenClause rest = clause;
    rest.name = c.name + " comes to rest";
    rest.conditions = repeats[i];
    rest.rest_of_contact = i;
    model_.when_clauses_.push_back(std::move(rest));
  }
}

/// All that may change: discrete variables of contacts, and unknowns with derivatives.
std::vector<Assignment> ContactCompletion::assignments() const {
  std::vector<Assignment> all;
  const ContactRows& rows = model_.contact_rows_;
  const auto add = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      all.push_back({{InputKind::discrete, first + i, 0}, none});
  };
  add(rows.first_on, rows.n);
  add(rows.first_share, rows.n * rows.n);
  for (const ContactDefinition& c : model_.contacts_) {
    add(c.closed, 1);
    if (!c.is_joint) add(c.slack, c.has_friction() ? 2 : 1);
    if (!c.has_friction()) continue;
    add(c.sticks, 1);
    add(c.direction, 1);
  }
  std::vector<NodeId> residuals;
  for (const Equation& q : model_.equations_) residuals.push_back(q.residual);
  std::vector<std::uint32_t> order(g_.count(InputKind::state), 0);
  for (const Input& in : incidence(g_, residuals).inputs) {
    if (in.kind == InputKind::state) order[in.index] = std::max(order[in.index], in.order);
  }
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    for (std::uint32_t k = 0; k < order[i]; ++k) all.push_back({{InputKind::state, i, k}, none});
  }
  return all;
}

}  // namespace saltus::detail
