#include "model/linear_forms.hpp"

#include <algorithm>
#include <cmath>

#include "model/mode_unknowns.hpp"

namespace saltus::detail {

namespace {

// Factors in equations of networks are small whole numbers; what is left of them after cancelling is rounding.
constexpr double negligible_factor = 1e-12;

/// A whole number that has suffered from dividing and multiplying.
double repaired(double factor) {
  const double whole = std::round(factor);
  return std::abs(factor - whole) <= negligible_factor * std::abs(whole) ? whole : factor;
}

template <class Key>
void add_scaled(std::map<Key, double>& to, const std::map<Key, double>& from, double factor) {
  for (const auto& [key, value] : from) {
    double& sum = to[key];
    const double scale = std::max(std::abs(sum), std::abs(factor * value));
    sum = repaired(sum + factor * value);
    if (std::abs(sum) <= negligible_factor * scale) to.erase(key);
  }
}

}  // namespace

LinearForm linear_form(const Graph& graph, NodeId node) {
  // Parts have smaller numbers than wholes: each is taken apart once, with its whole factor.
  std::map<NodeId, double, std::greater<>> open{{node, 1.0}};
  LinearForm form;
  while (!open.empty()) {
    const auto [id, factor] = *open.begin();
    open.erase(open.begin());
    if (factor == 0.0) continue;
    const Node& n = graph.node(id);
    const auto is_number = [&](NodeId part) { return graph.is_constant(part); };
    if (n.op == Op::constant) {
      form[none] += factor * graph.constant_value(id);
    } else if (n.op == Op::add || n.op == Op::sub) {
      open[n.a] += factor;
      open[n.b] += n.op == Op::add ? factor : -factor;
    } else if (n.op == Op::neg) {
      open[n.a] -= factor;
    } else if (n.op == Op::mul && is_number(n.a)) {
      open[n.b] += factor * graph.constant_value(n.a);
    } else if (n.op == Op::mul && is_number(n.b)) {
      open[n.a] += factor * graph.constant_value(n.b);
    } else if (n.op == Op::div && is_number(n.b)) {
      open[n.a] += factor / graph.constant_value(n.b);
    } else {
      form[id] += factor;
    }
  }
  std::erase_if(form, [](const auto& term) { return term.second == 0.0; });
  return form;
}

bool RowSpace::has_unknown(NodeId term) const {
  if (term == none) return false;
  const auto known = has_unknown_.find(term);
  if (known != has_unknown_.end()) return known->second;
  const Incidence occurring = incidence(*graph_, std::span(&term, 1));
  const bool any = std::ranges::any_of(occurring.inputs,
                                       [](const Input& in) { return is_unknown_kind(in.kind); });
  has_unknown_[term] = any;
  return any;
}

RowSpace::Reduced RowSpace::reduce(const LinearForm& form) const {
  Reduced found{form, {}};
  for (const Row& row : rows_) {
    const auto term = found.rest.find(row.pivot);
    if (term == found.rest.end()) continue;
    const double factor = term->second;
    add_scaled(found.rest, row.terms, -factor);
    add_scaled(found.of_rows, row.of_rows, factor);
  }
  return found;
}

RowSpace::Added RowSpace::add(const LinearForm& row, Label label) {
  Reduced found = reduce(row);
  NodeId pivot = none;
  double largest = 0.0;
  for (const auto& [term, factor] : found.rest) {
    if (!has_unknown(term) || std::abs(factor) <= largest) continue;
    largest = std::abs(factor);
    pivot = term;
  }
  if (pivot == none) {
    return {found.rest.empty() ? Kind::dependent : Kind::contradictory, std::move(found.of_rows)};
  }
  const double scale = 1.0 / found.rest[pivot];
  Row made{pivot, {}, {}};
  add_scaled(made.terms, found.rest, scale);
  add_scaled(made.of_rows, found.of_rows, -scale);
  if (label != none) made.of_rows[label] += scale;
  for (Row& other : rows_) {
    const auto term = other.terms.find(pivot);
    if (term == other.terms.end()) continue;
    const double factor = term->second;
    add_scaled(other.terms, made.terms, -factor);
    add_scaled(other.of_rows, made.of_rows, -factor);
  }
  rows_.push_back(std::move(made));
  return {};
}

}  // namespace saltus::detail
