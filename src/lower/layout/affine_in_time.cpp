#include "lower/layout/affine_in_time.hpp"

namespace saltus::detail {

namespace {

/// Recursion is as deep as the sum is long: relations of time are short, others end at once.
constexpr int deepest_sum = 200;

std::optional<AffineInTime> affine_part(Graph& g, NodeId id, int depth) {
  const Node n = g.node(id);
  if (n.rate != Rate::varying) return AffineInTime{g.constant(0.0), id};
  if (n.op == Op::input) {
    if (g.input(n.a).kind != InputKind::time) return std::nullopt;
    return AffineInTime{g.constant(1.0), g.constant(0.0)};
  }
  if (depth == 0) return std::nullopt;
  const auto part = [&](NodeId child) { return affine_part(g, child, depth - 1); };
  const auto is_held = [&](NodeId child) { return g.node(child).rate != Rate::varying; };
  switch (n.op) {
    case Op::neg:
      if (const auto a = part(n.a)) return AffineInTime{g.neg(a->slope), g.neg(a->offset)};
      return std::nullopt;
    case Op::add:
    case Op::sub: {
      const auto a = part(n.a);
      const auto b = a ? part(n.b) : std::nullopt;
      if (!b) return std::nullopt;
      if (n.op == Op::add)
        return AffineInTime{g.add(a->slope, b->slope), g.add(a->offset, b->offset)};
      return AffineInTime{g.sub(a->slope, b->slope), g.sub(a->offset, b->offset)};
    }
    case Op::mul: {
      const bool first_held = is_held(n.a);
      if (!first_held && !is_held(n.b)) return std::nullopt;
      const NodeId factor = first_held ? n.a : n.b;
      if (const auto a = part(first_held ? n.b : n.a))
        return AffineInTime{g.mul(factor, a->slope), g.mul(factor, a->offset)};
      return std::nullopt;
    }
    case Op::div:
      if (!is_held(n.b)) return std::nullopt;
      if (const auto a = part(n.a))
        return AffineInTime{g.div(a->slope, n.b), g.div(a->offset, n.b)};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<AffineInTime> affine_in_time(Graph& g, NodeId scalar) {
  return affine_part(g, scalar, deepest_sum);
}

}  // namespace saltus::detail
