// Relations, conditions and the switches they own.
#include <algorithm>
#include <array>

#include <saltus/core/error.hpp>
#include <saltus/expr/graph.hpp>
#include <saltus/expr/text.hpp>

#include "algebras.hpp"
#include "relation_keys.hpp"

namespace saltus {

namespace {

Test test_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::greater:
      return Test::positive;
    case Comparison::greater_equal:
      return Test::non_negative;
    case Comparison::less:
      return Test::negative;
    case Comparison::less_equal:
      return Test::non_positive;
    default:
      return Test::zero;
  }
}

/// The test that holds exactly where the given one does not; `zero` has none.
Test opposite(Test test) {
  switch (test) {
    case Test::positive:
      return Test::non_positive;
    case Test::non_negative:
      return Test::negative;
    case Test::negative:
      return Test::non_negative;
    case Test::non_positive:
      return Test::positive;
    case Test::zero:
      return Test::zero;
  }
  return test;
}

/// The same test of -g.
Test mirrored(Test test) {
  switch (test) {
    case Test::positive:
      return Test::negative;
    case Test::non_negative:
      return Test::non_positive;
    case Test::negative:
      return Test::positive;
    case Test::non_positive:
      return Test::non_negative;
    case Test::zero:
      return Test::zero;
  }
  return test;
}

}  // namespace

ConditionId Graph::intern_condition(const Condition& c) {
  conditions_.push_back(c);
  return static_cast<ConditionId>(conditions_.size() - 1);
}

ConditionId Graph::relation_condition(const Relation& r) {
  relations_.push_back(r);
  const auto index = static_cast<std::uint32_t>(relations_.size() - 1);
  // The value of a tracked relation is its lock, which changes at events at least.
  const Rate rate = r.tracked() ? Rate::varying : nodes_[r.g].rate;
  return intern_condition({Condition::Kind::relation, r.shape, rate, index, 0});
}

Literal Graph::find_relation(NodeId g, Test test, bool tracked) const {
  auto found = relation_ids_.find(relation_key(g, test, tracked));
  if (found != relation_ids_.end()) return literal_of(found->second);
  if (test == Test::zero) return none;
  found = relation_ids_.find(relation_key(g, opposite(test), tracked));
  return found == relation_ids_.end() ? none : literal_of(found->second, true);
}

Literal Graph::relation(NodeId left, Comparison comparison, NodeId right, Tracking tracking) {
  common_shape(nodes_[left].shape, nodes_[right].shape, "the sides of a comparison");
  const NodeId g = sub(left, right);
  const Test test = test_of(comparison);
  const bool negated = comparison == Comparison::not_equal;
  auto signed_literal = [&](Literal l) { return negated ? negate(l) : l; };
  if (is_constant(g))
    return signed_literal(detail::TwoValued::decide(constant_value(g), test) != 0 ? literal_true
                                                                                  : literal_false);

  const Rate rate = nodes_[g].rate;
  const bool tracked = tracking == Tracking::automatic && rate == Rate::varying;
  if (test == Test::zero && rate == Rate::varying)
    throw ModelError("'" + to_text(*this, left) + (negated ? " != " : " == ") +
                     to_text(*this, right) +
                     "' tests a continuous quantity for equality: compare with < or >, or test a "
                     "discrete variable");

  // x > y, x <= y, y < x and y >= x are one surface and one switch: each is the first written or
  // its negation.
  if (const Literal known = find_relation(g, test, tracked); known != none) {
    Relation& r = relations_[conditions_[condition_of(known)].a];
    if (r.implied && !is_negated(known)) {
      r.left = left;
      r.right = right;
      r.implied = false;
    }
    return signed_literal(known);
  }
  if (const NodeId minus_g = find_negative(g); minus_g != none)
    if (const Literal known = find_relation(minus_g, mirrored(test), tracked); known != none)
      return signed_literal(known);

  Relation r{g,     left, right, negated ? Comparison::equal : comparison, test, nodes_[g].shape,
             false, none};
  if (tracked) {
    r.first_switch = static_cast<SwitchId>(n_switches_);
    switch_blocks_.push_back({r.first_switch, static_cast<std::uint32_t>(relations_.size())});
    n_switches_ += shapes_[r.shape];
  }
  const ConditionId id = relation_condition(r);
  relation_ids_.emplace(relation_key(g, test, tracked), id);
  return signed_literal(literal_of(id));
}

Literal Graph::conjunction(Literal a, Literal b) {
  if (a == literal_true) return b;
  if (b == literal_true) return a;
  if (a == literal_false || b == literal_false || a == negate(b)) return literal_false;
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  const std::uint64_t key = (std::uint64_t{a} << 32) | b;
  if (const auto found = conjunction_ids_.find(key); found != conjunction_ids_.end())
    return literal_of(found->second);
  const Condition& p = conditions_[condition_of(a)];
  const Condition& q = conditions_[condition_of(b)];
  const Condition both{Condition::Kind::conjunction,
                       common_shape(p.shape, q.shape, "the conditions of an 'and' or 'or'"),
                       std::max(p.rate, q.rate), a, b};
  const ConditionId id = intern_condition(both);
  conjunction_ids_.emplace(key, id);
  return literal_of(id);
}

Graph::SwitchOwner Graph::owner(SwitchId id) const {
  SALTUS_ASSERT(id < n_switches_);
  auto block = std::upper_bound(switch_blocks_.begin(), switch_blocks_.end(), id,
                                [](SwitchId s, const SwitchBlock& b) { return s < b.first; });
  --block;
  return {block->relation, id - block->first};
}

NodeId Graph::select(Literal condition, NodeId if_true, NodeId if_false) {
  const std::uint16_t arms =
      common_shape(nodes_[if_true].shape, nodes_[if_false].shape, "the two values of a 'where'");
  common_shape(conditions_[condition_of(condition)].shape, arms,
               "the condition and the values of a 'where'");
  if (condition == literal_true) return if_true;
  if (condition == literal_false) return if_false;
  if (is_negated(condition)) return select(negate(condition), if_false, if_true);
  const ConditionId c = condition_of(condition);
  auto under_same = [&](NodeId id) { return nodes_[id].op == Op::select && nodes_[id].c == c; };
  if (under_same(if_true)) if_true = nodes_[if_true].a;
  if (under_same(if_false)) if_false = nodes_[if_false].b;
  if (if_true == if_false) return if_true;
  return make(Op::select, if_true, if_false, c);
}

/// abs, sign, min and max with the relation a > 0 or a > b that decides them. A relation met
/// before as its opposite comes back negated; the operands are then exchanged instead.
NodeId Graph::switched(Op op, NodeId a, NodeId b, Tracking tracking) {
  const bool binary = arity(op) == 2;
  if (binary)
    common_shape(nodes_[a].shape, nodes_[b].shape,
                 "the operands of '" + std::string(name_of(op)) + "'");
  const NodeId right = binary ? b : constant(0.0);
  const NodeId g = sub(a, right);
  // Between held or constant values there is nothing to lock: the value decides.
  if (nodes_[g].rate != Rate::varying || tracking == Tracking::untracked)
    return make(op, a, binary ? b : 0, none);
  const std::size_t n_before = relations_.size();
  const Literal literal = relation(a, Comparison::greater, right, tracking);
  if (relations_.size() > n_before) relations_.back().implied = true;
  const ConditionId c = condition_of(literal);
  if (!is_negated(literal)) return make(op, a, binary ? b : 0, c);
  if (binary) return make(op, b, a, c);
  const NodeId mirrored = make(op, neg(a), 0, c);
  return op == Op::sign ? neg(mirrored) : mirrored;
}

NodeId Graph::abs(NodeId a, Tracking tracking) {
  if (is_constant(a)) return constant(std::abs(constant_value(a)));
  if (nodes_[a].op == Op::abs || nodes_[a].op == Op::sqr) return a;
  if (nodes_[a].op == Op::neg) a = nodes_[a].a;
  return switched(Op::abs, a, 0, tracking);
}

NodeId Graph::sign(NodeId a, Tracking tracking) {
  if (is_constant(a)) return constant(constant_value(a) > 0 ? 1.0 : -1.0);
  return switched(Op::sign, a, 0, tracking);
}

NodeId Graph::min(NodeId a, NodeId b, Tracking tracking) {
  if (a == b) return a;
  if (is_constant(a) && is_constant(b)) return constant_value(a) > constant_value(b) ? b : a;
  return switched(Op::min, a, b, tracking);
}

NodeId Graph::max(NodeId a, NodeId b, Tracking tracking) {
  if (a == b) return a;
  if (is_constant(a) && is_constant(b)) return constant_value(a) > constant_value(b) ? a : b;
  return switched(Op::max, a, b, tracking);
}

}  // namespace saltus
