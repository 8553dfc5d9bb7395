// Building value nodes: folding, neutral elements, signs, and conditionals with a zero arm.
//
// Every rewrite here keeps the finite value bit for bit (the sign of a zero apart), so that an
// expression means the same in the graph as in the user's own code. 0 * x is folded to 0: a term
// that is structurally absent must not keep an incidence alive.
#include <cmath>
#include <optional>

#include <saltus/core/error.hpp>
#include <saltus/expr/graph.hpp>

#include "expr/exponents.hpp"

namespace saltus {

namespace {

// Constants are folded only where the result is exact. A rounded one would be right in double alone:
// the same program runs in quad precision, where ranks are decided at 1e-24, and in intervals, where
// a rounding must be enclosed. What is not folded is computed once, in the prologue.

std::optional<double> exact_sum(double a, double b) {
  const double s = a + b;
  const double part = s - a;
  const bool exact = (a - (s - part)) + (b - part) == 0;  // Knuth's TwoSum
  return std::isfinite(s) && exact ? std::optional(s) : std::nullopt;
}

std::optional<double> exact_product(double a, double b) {
  const double p = a * b;
  const bool underflows = std::abs(p) < 1e-290;  // the remainder below may not be representable
  const bool exact = a == 0 || b == 0 || (!underflows && std::fma(a, b, -p) == 0);
  return std::isfinite(p) && exact ? std::optional(p) : std::nullopt;
}

std::optional<double> exact_quotient(double a, double b) {
  const double q = a / b;
  const bool underflows = std::abs(a) < 1e-290 || std::abs(q) < 1e-290;
  const bool exact = a == 0 || (!underflows && std::fma(q, b, -a) == 0);
  return std::isfinite(q) && exact ? std::optional(q) : std::nullopt;
}

/// f(x) where it is an exact double.
std::optional<double> exact_value(Op op, double x) {
  const bool at_zero = x == 0;
  switch (op) {
    case Op::sqrt: {
      const double r = std::sqrt(x);
      return x >= 0 && std::isfinite(r) && exact_product(r, r) == x ? std::optional(r)
                                                                    : std::nullopt;
    }
    case Op::log:
    case Op::acos:
      return x == 1 ? std::optional(0.0) : std::nullopt;
    case Op::exp:
    case Op::cos:
    case Op::cosh:
      return at_zero ? std::optional(1.0) : std::nullopt;
    default:  // sin, tan, asin, atan, sinh, tanh
      return at_zero ? std::optional(0.0) : std::nullopt;
  }
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::isfinite(x) && std::abs(std::frexp(x, &exponent)) == 0.5 && std::isnormal(1 / x);
}

}  // namespace

// select(c, w, 0) * f: multiplying outside would evaluate f in the branch that is not taken and
// give 0 * inf there. Moved inside, f belongs to its branch and is skipped with it.
bool Graph::is_zero_armed(NodeId id) const {
  const Node& n = nodes_[id];
  return n.op == Op::select && (is_constant(n.a, 0.0) || is_constant(n.b, 0.0));
}

bool Graph::can_sink(NodeId id) const {
  // Nests are followed a little way: each level is a node of its own in the result.
  int levels = 0;
  while (is_zero_armed(id) && ++levels < 8)
    id = is_constant(nodes_[id].a, 0.0) ? nodes_[id].b : nodes_[id].a;
  return levels > 0 && levels < 8;
}

template <class F>
NodeId Graph::sink(NodeId zero_armed, F&& operation) {
  const Node n = nodes_[zero_armed];
  const Literal c = literal_of(n.c);
  return is_constant(n.a, 0.0) ? select(c, n.a, operation(n.b)) : select(c, operation(n.a), n.b);
}

NodeId Graph::add(NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b))
    if (const auto v = exact_sum(constant_value(a), constant_value(b))) return constant(*v);
  if (is_constant(a, 0.0)) return b;
  if (is_constant(b, 0.0)) return a;
  if (is_zero_armed(a) && is_zero_armed(b) && nodes_[a].c == nodes_[b].c) {
    const Node p = nodes_[a];
    const Node q = nodes_[b];
    const NodeId if_true = add(p.a, q.a);
    return select(literal_of(p.c), if_true, add(p.b, q.b));
  }
  if (nodes_[b].op == Op::neg) return sub(a, nodes_[b].a);
  if (nodes_[a].op == Op::neg) return sub(b, nodes_[a].a);
  if (a > b) std::swap(a, b);
  return make(Op::add, a, b);
}

NodeId Graph::sub(NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b))
    if (const auto v = exact_sum(constant_value(a), -constant_value(b))) return constant(*v);
  if (is_constant(b, 0.0)) return a;
  if (is_constant(a, 0.0)) return neg(b);
  if (a == b) return constant(0.0);
  if (nodes_[b].op == Op::neg) return add(a, nodes_[b].a);
  return make(Op::sub, a, b);
}

NodeId Graph::neg(NodeId a) {
  if (is_constant(a)) return constant(-constant_value(a));
  const Node n = nodes_[a];
  if (n.op == Op::neg) return n.a;
  if (n.op == Op::sub) return make(Op::sub, n.b, n.a);
  if (n.op == Op::mul && is_constant(n.a)) return mul(constant(-constant_value(n.a)), n.b);
  if (can_sink(a)) return sink(a, [&](NodeId x) { return neg(x); });
  return make(Op::neg, a);
}

NodeId Graph::mul(NodeId a, NodeId b) {
  if (is_constant(a) && is_constant(b))
    if (const auto v = exact_product(constant_value(a), constant_value(b)))
      return constant(*v == 0 ? 0.0 : *v);  // one zero, whatever its sign
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    const double v = constant_value(a);
    if (v == 0) return constant(0.0);
    if (v == 1) return b;
    if (v == -1) return neg(b);
    if (nodes_[b].op == Op::neg) return mul(constant(-v), nodes_[b].a);
  }
  if (can_sink(b)) std::swap(a, b);
  if (can_sink(a)) {
    // A factor decided by the same condition contributes only the arm that is live here.
    const Node p = nodes_[a];
    NodeId factor = b;
    if (nodes_[b].op == Op::select && nodes_[b].c == p.c)
      factor = is_constant(p.a, 0.0) ? nodes_[b].b : nodes_[b].a;
    return sink(a, [&](NodeId x) { return mul(x, factor); });
  }
  if (a == b) return make(Op::sqr, a);
  if (nodes_[a].op == Op::neg) return neg(mul(nodes_[a].a, b));
  if (nodes_[b].op == Op::neg) return neg(mul(a, nodes_[b].a));
  if (!is_constant(a) && a > b) std::swap(a, b);
  return make(Op::mul, a, b);
}

NodeId Graph::div(NodeId a, NodeId b) {
  if (is_constant(b)) {
    const double v = constant_value(b);
    if (is_constant(a) && v != 0)
      if (const auto q = exact_quotient(constant_value(a), v)) return constant(*q);
    if (v == 1) return a;
    if (v == -1) return neg(a);
    if (is_power_of_two(v)) return mul(constant(1 / v), a);  // exact
  }
  if (is_constant(a, 0.0)) return a;
  if (nodes_[a].op == Op::neg) return neg(div(nodes_[a].a, b));
  if (can_sink(a)) return sink(a, [&](NodeId x) { return div(x, b); });
  return make(Op::div, a, b);
}

NodeId Graph::powi(NodeId a, std::int32_t exponent) {
  if (exponent == 0) return constant(1.0);
  if (exponent == 1) return a;
  if (exponent == 2) return mul(a, a);
  if (exponent == -1) return div(constant(1.0), a);
  return make(Op::powi, a, static_cast<std::uint32_t>(exponent));
}

NodeId Graph::pow(NodeId a, NodeId b) {
  if (is_constant(b)) {
    const double v = constant_value(b);
    if (detail::is_product(v)) return powi(a, static_cast<std::int32_t>(v));
  }
  return make(Op::pow, a, b);
}

NodeId Graph::atan2(NodeId y, NodeId x) { return make(Op::atan2, y, x); }

NodeId Graph::elementary(Op op, NodeId a) {
  SALTUS_ASSERT(is_elementary(op));
  if (is_constant(a))
    if (const auto v = exact_value(op, constant_value(a))) return constant(*v);
  return make(op, a);
}

}  // namespace saltus
