// Errors planted on purpose: a check that accepts them checks nothing.
#pragma once

#include "support/expression_checks.hpp"

namespace saltus::test {

/// The derivative of atan with the wrong sign inside: 1 / (1 - a^2).
inline NodeId wrong_elementary_rule(Graph& g, Op op, NodeId self, NodeId a, NodeId w) {
  if (op == Op::atan) return g.div(w, g.sub(g.constant(1.0), g.mul(a, a)));
  return elementary_rule(g, op, self, a, w);
}

/// Enclosures by one-sided rounding.
inline Interval enclose_one_sided(const RandomExpressions&, const Graph& g, NodeId f,
                                  const Boxes& box) {
  NaiveEvaluation<OneSidedInterval> e(g, [&](const Input& in) -> OneSidedInterval {
    switch (in.kind) {
      case InputKind::time:
        return box[0][0];
      case InputKind::parameter:
        return box[1][in.index];
      case InputKind::discrete:
        return box[1][RandomExpressions::n_parameters + in.index];
      default:
        return box[2 + in.order][in.index];
    }
  });
  return e.value(f).v;
}

}  // namespace saltus::test
