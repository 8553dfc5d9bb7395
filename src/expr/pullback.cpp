#include "pullback.hpp"

#include "checks.hpp"

#include <saltus/core/error.hpp>

namespace saltus {

NodeId elementary_rule(Graph& g, Op op, NodeId self, NodeId a, NodeId w) {
  auto one_plus = [&](NodeId x) { return g.add(g.constant(1.0), x); };
  auto one_minus = [&](NodeId x) { return g.sub(g.constant(1.0), x); };
  // sqrt(1 - a^2) without cancellation near |a| = 1
  auto leg = [&] { return g.elementary(Op::sqrt, g.mul(one_minus(a), one_plus(a))); };
  switch (op) {
    case Op::sqrt:
      return g.div(g.mul(g.constant(0.5), w), self);
    case Op::exp:
      return g.mul(w, self);
    case Op::log:
      return g.div(w, a);
    case Op::sin:
      return g.mul(w, g.elementary(Op::cos, a));
    case Op::cos:
      return g.neg(g.mul(w, g.elementary(Op::sin, a)));
    case Op::tan:
      return g.mul(w, one_plus(g.mul(self, self)));
    case Op::asin:
      return g.div(w, leg());
    case Op::acos:
      return g.neg(g.div(w, leg()));
    case Op::atan:
      return g.div(w, one_plus(g.mul(a, a)));
    case Op::sinh:
      return g.mul(w, g.elementary(Op::cosh, a));
    case Op::cosh:
      return g.mul(w, g.elementary(Op::sinh, a));
    case Op::tanh:
      return g.mul(w, one_minus(g.mul(self, self)));
    default:
      SALTUS_ASSERT(false);
      return none;
  }
}

std::uint32_t operand_count(const Graph& g, const Node& n) {
  if (n.op == Op::external) return static_cast<std::uint32_t>(g.call(n.a).arguments.size());
  return static_cast<std::uint32_t>(arity(n.op));
}

NodeId operand(const Graph& g, const Node& n, std::uint32_t which) {
  if (n.op == Op::external) return g.call(n.a).arguments[which];
  return which == 0 ? n.a : n.b;
}

namespace {

/// The condition under which the first operand of max (the positive branch of abs) is live.
Literal first_is_live(Graph& g, const Node& n) {
  if (n.c != none) return literal_of(n.c);
  const NodeId right = arity(n.op) == 2 ? n.b : g.constant(0.0);
  return g.relation(n.a, Comparison::greater, right, Tracking::untracked);
}

/// d(a^b)/db = a^b log a, which is 0 at a = 0 for positive b: valve and orifice laws sit there.
NodeId pull_exponent(Graph& g, NodeId id, NodeId w) {
  const NodeId base = g.node(id).a;
  const NodeId zero = g.constant(0.0);
  const Literal positive = g.relation(base, Comparison::greater, zero, Tracking::untracked);
  const Literal negative = g.relation(base, Comparison::less, zero, Tracking::untracked);
  const NodeId slope = g.mul(w, g.mul(id, g.elementary(Op::log, base)));
  return g.select(g.disjunction(positive, negative), slope, zero);
}

NodeId pull_external(Graph& g, const Node& n, std::uint32_t which, NodeId w) {
  const ExternalCall& call = g.call(n.a);
  auto jacobian = g.jacobian_of(*call.function);
  if (jacobian == nullptr)
    throw ModelError("function '" + call.function->name() +
                     "' has no derivatives: give it a jacobian, or keep it out of equations that "
                     "must be differentiated");
  SALTUS_ASSERT(jacobian->n_in() == call.function->n_in() &&
                jacobian->n_out() == call.function->n_in() * call.function->n_out());
  const auto n_in = static_cast<std::uint32_t>(call.function->n_in());
  const std::vector<NodeId> arguments = call.arguments;  // the call table may grow
  return g.mul(w, g.external(std::move(jacobian), arguments, n.b * n_in + which));
}

}  // namespace

Literal live_branch(Graph& g, NodeId id, std::uint32_t which) {
  const Node n = g.node(id);
  if (n.op != Op::select && n.op != Op::max && n.op != Op::min) return literal_true;
  const Literal condition = n.op == Op::select ? literal_of(n.c) : first_is_live(g, n);
  const bool live_if_true = (which == 0) != (n.op == Op::min);
  return live_if_true ? condition : negate(condition);
}

NodeId pull(Graph& g, NodeId id, std::uint32_t which, NodeId w, ElementaryRule rule) {
  const Node n = g.node(id);
  const bool first = which == 0;
  const NodeId zero = g.constant(0.0);
  switch (n.op) {
    case Op::add:
      return w;
    case Op::sub:
      return first ? w : g.neg(w);
    case Op::mul:
      return g.mul(w, first ? n.b : n.a);
    case Op::div:
      return first ? g.div(w, n.b) : g.neg(g.div(g.mul(w, id), n.b));
    case Op::neg:
      return g.neg(w);
    case Op::sqr:
      return g.mul(w, g.mul(g.constant(2.0), n.a));
    case Op::powi: {
      const auto exponent = static_cast<std::int32_t>(n.b);
      return g.mul(w, g.mul(g.constant(exponent), g.powi(n.a, exponent - 1)));
    }
    case Op::pow:
      if (first) return g.mul(w, g.mul(n.b, g.pow(n.a, g.sub(n.b, g.constant(1.0)))));
      return pull_exponent(g, id, w);
    case Op::atan2: {
      const NodeId squares = g.add(g.mul(n.a, n.a), g.mul(n.b, n.b));
      return first ? g.div(g.mul(w, n.b), squares) : g.neg(g.div(g.mul(w, n.a), squares));
    }
    case Op::select:
    case Op::max:
    case Op::min:
      return g.select(live_branch(g, id, which), w, zero);
    case Op::abs:
      return g.mul(w, g.select(first_is_live(g, n), g.constant(1.0), g.constant(-1.0)));
    case Op::sign:
      return zero;
    case Op::external:
      return pull_external(g, n, which, w);
    default:
      SALTUS_ASSERT(is_elementary(n.op));
      return rule(g, n.op, id, n.a, w);
  }
}

std::vector<NodeId> tangent(Graph& g, std::span<const NodeId> nodes, const Seed& seed,
                            ElementaryRule rule) {
  for (NodeId id : nodes) check_node(g, id);
  NodeId end = 0;
  for (NodeId id : nodes) end = std::max(end, id + 1);
  std::vector<std::uint8_t> needed(end, 0);
  for (NodeId id : nodes) needed[id] = 1;
  for (NodeId id = end; id-- > 0;)
    if (needed[id] != 0) g.for_each_child(g.node(id), [&](NodeId child) { needed[child] = 1; });

  const NodeId zero = g.constant(0.0);
  std::vector<NodeId> derivative(end, zero);
  for (NodeId id = 0; id < end; ++id) {
    if (needed[id] == 0) continue;
    const Node n = g.node(id);
    if (n.op == Op::input) {
      derivative[id] = seed(g, n.a);
    } else if (n.op == Op::lanes) {
      std::vector<NodeId> elements = g.table(n.a);
      for (NodeId& e : elements) e = derivative[e];
      const bool same = std::equal(elements.begin() + 1, elements.end(), elements.begin());
      derivative[id] = same ? elements[0] : g.lanes(elements);
    } else if (n.op == Op::take) {
      const NodeId d = derivative[n.a];
      derivative[id] = g.is_array(d) ? g.take(d, g.table(n.b)) : d;
    } else if (n.op == Op::sum) {
      const NodeId d = derivative[n.a];
      derivative[id] = g.is_array(d) ? g.sum(d) : g.mul(g.constant(g.lane_count(n.a)), d);
    } else {
      NodeId d = zero;
      for (std::uint32_t k = 0; k < operand_count(g, n); ++k) {
        const NodeId moves = derivative[operand(g, n, k)];
        if (moves != zero) d = g.add(d, pull(g, id, k, moves, rule));
      }
      derivative[id] = d;
    }
  }
  std::vector<NodeId> out;
  for (NodeId id : nodes)  // a derivative that is the same in all lanes is still one of each
    out.push_back(g.is_array(id) ? g.broadcast(derivative[id], g.lane_count(id)) : derivative[id]);
  return out;
}

std::vector<NodeId> total_derivative(Graph& g, std::span<const NodeId> nodes) {
  return tangent(g, nodes, [](Graph& graph, InputId id) {
    const Input in = graph.input(id);
    if (in.kind == InputKind::time) return graph.constant(1.0);
    if (!has_derivatives(in.kind)) return graph.constant(0.0);
    return graph.input(in.kind, in.index, in.order + 1);
  });
}

}  // namespace saltus
