#include <saltus/expr/expression.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <saltus/core/error.hpp>
#include <saltus/numerics/scalar.hpp>

#include "expr/exponents.hpp"

namespace saltus {

/// The one graph the operands belong to; null if all are plain numbers.
Graph* common_graph(std::initializer_list<const Expr*> operands) {
  Graph* graph = nullptr;
  for (const Expr* e : operands) {
    if (e->graph_ == nullptr) continue;
    if (graph != nullptr && graph != e->graph_)
      throw ModelError("an expression mixes variables of two different models");
    graph = e->graph_;
  }
  return graph;
}

namespace {

// A simplification may have lost the array (0 * u): its size is part of what the user wrote.
Expr in_graph(Graph& g, NodeId id, std::initializer_list<const Expr*> operands) {
  for (const Expr* e : operands)
    if (e->is_array()) return {g, g.broadcast(id, e->size())};
  return {g, id};
}

// Numbers among themselves are plain arithmetic; with a variable they become nodes.
template <class F, class Plain>
Expr unary(const Expr& a, F&& build, Plain&& plain) {
  if (a.graph() == nullptr) return plain(a.number());
  return in_graph(*a.graph(), build(*a.graph(), a.in(*a.graph())), {&a});
}

template <class F, class Plain>
Expr binary(const Expr& a, const Expr& b, F&& build, Plain&& plain) {
  Graph* graph = common_graph({&a, &b});
  if (graph == nullptr) return plain(a.number(), b.number());
  return in_graph(*graph, build(*graph, a.in(*graph), b.in(*graph)), {&a, &b});
}

Cond compare(const Expr& a, Comparison comparison, const Expr& b,
             Tracking tracking = Tracking::automatic) {
  Graph* graph = common_graph({&a, &b});
  if (graph == nullptr)
    throw ModelError(
        "a comparison of two numbers is not a condition of a model: compare a variable or a "
        "parameter");
  return {*graph, graph->relation(a.in(*graph), comparison, b.in(*graph), tracking)};
}

Expr declare(Graph& g, InputKind kind, std::string name) {
  const std::uint32_t index = g.declare(kind, std::move(name));
  return {g, g.input(kind, index)};
}

Expr declare_array(Graph& g, InputKind kind, std::string name, std::uint32_t n) {
  const std::uint32_t first = g.declare_array(kind, std::move(name), n);
  return {g, g.lanes(InputRange{kind, first, n, 0})};
}

/// Replaces every variable of an input or an array of inputs.
template <class F>
Expr each_variable(const Expr& e, const char* what, F&& replace) {
  auto refuse = [&] {
    throw ModelError(std::string(what) +
                     " takes a variable, not an expression: introduce a variable for it");
  };
  if (e.graph() == nullptr) refuse();
  Graph& g = *e.graph();
  auto one = [&](NodeId id) {
    if (g.node(id).op != Op::input) refuse();
    return replace(g, g.input(g.node(id).a));
  };
  const Node n = g.node(e.id());
  if (n.op != Op::lanes) return {g, one(e.id())};
  std::vector<NodeId> elements = g.table(n.a);
  for (NodeId& id : elements) id = one(id);
  return {g, g.lanes(elements)};
}

}  // namespace

NodeId Expr::in(Graph& graph) const {
  if (graph_ == nullptr) return graph.constant(value_);
  if (graph_ != &graph) throw ModelError("an expression mixes variables of two different models");
  SALTUS_ASSERT(id_ < graph.size());  // the graph was frozen or moved since
  return id_;
}

Expr Expr::operator[](std::uint32_t which) const {
  if (!is_array()) throw ModelError("only arrays have elements");
  if (which >= size())
    throw ModelError("there is no element " + std::to_string(which) +
                     ": the array has elements 0 to " + std::to_string(size() - 1));
  return {*graph_, graph_->lane(id_, which)};
}

Expr Expr::operator[](const Index& index) const {
  if (!is_array()) throw ModelError("only arrays have elements");
  std::vector<std::uint32_t> which(index.count());
  for (std::uint32_t j = 0; j < index.count(); ++j) {
    const std::int64_t k = index(j);
    if (k < 0 || k >= size())
      throw ModelError("number " + std::to_string(j) + " of a family reads element " +
                       std::to_string(k) + ": the array has elements 0 to " +
                       std::to_string(size() - 1));
    which[j] = static_cast<std::uint32_t>(k);
  }
  return {*graph_, graph_->take(id_, std::move(which))};
}

Expr Expr::slice(std::uint32_t first, std::uint32_t count, std::uint32_t stride) const {
  return (*this)[Index{first, stride, count}];
}

Expr& Expr::operator+=(const Expr& b) { return *this = *this + b; }
Expr& Expr::operator-=(const Expr& b) { return *this = *this - b; }
Expr& Expr::operator*=(const Expr& b) { return *this = *this * b; }
Expr& Expr::operator/=(const Expr& b) { return *this = *this / b; }

Equality::operator Cond() const { return compare(left_, Comparison::equal, right_); }

Expr time(Graph& g) { return {g, g.time()}; }
Expr state(Graph& g, std::string name) { return declare(g, InputKind::state, std::move(name)); }
Expr algebraic(Graph& g, std::string name) {
  return declare(g, InputKind::algebraic, std::move(name));
}
Expr signal(Graph& g, std::string name) { return declare(g, InputKind::signal, std::move(name)); }
Expr parameter(Graph& g, std::string name) {
  return declare(g, InputKind::parameter, std::move(name));
}
Expr discrete(Graph& g, std::string name) {
  return declare(g, InputKind::discrete, std::move(name));
}
Expr states(Graph& g, std::string name, std::uint32_t n) {
  return declare_array(g, InputKind::state, std::move(name), n);
}
Expr algebraics(Graph& g, std::string name, std::uint32_t n) {
  return declare_array(g, InputKind::algebraic, std::move(name), n);
}
Expr parameters(Graph& g, std::string name, std::uint32_t n) {
  return declare_array(g, InputKind::parameter, std::move(name), n);
}

Expr der(const Expr& variable, std::uint32_t order) {
  return each_variable(variable, "der", [order](Graph& g, Input in) {
    return g.input(in.kind, in.index, in.order + order);
  });
}

Expr pre(const Expr& variable) {
  return each_variable(variable, "pre", [](Graph& g, Input in) {
    if (in.order > 0) throw ModelError("pre takes a variable, not a derivative");
    if (in.kind == InputKind::previous)
      throw ModelError("pre takes a variable: '" + g.variable_name(in.kind, in.index) +
                       "' is a previous value already");
    return g.previous(in);
  });
}

Expr operator+(const Expr& a, const Expr& b) {
  return binary(
      a, b, [](Graph& g, NodeId x, NodeId y) { return g.add(x, y); },
      [](double x, double y) { return x + y; });
}
Expr operator-(const Expr& a, const Expr& b) {
  return binary(
      a, b, [](Graph& g, NodeId x, NodeId y) { return g.sub(x, y); },
      [](double x, double y) { return x - y; });
}
Expr operator*(const Expr& a, const Expr& b) {
  return binary(
      a, b, [](Graph& g, NodeId x, NodeId y) { return g.mul(x, y); },
      [](double x, double y) { return x * y; });
}
Expr operator/(const Expr& a, const Expr& b) {
  return binary(
      a, b, [](Graph& g, NodeId x, NodeId y) { return g.div(x, y); },
      [](double x, double y) { return x / y; });
}
Expr operator-(const Expr& a) {
  return unary(
      a, [](Graph& g, NodeId x) { return g.neg(x); }, [](double x) { return -x; });
}
Expr sqr(const Expr& a) { return a * a; }
Expr pow(const Expr& a, const Expr& b) {
  return binary(
      a, b, [](Graph& g, NodeId x, NodeId y) { return g.pow(x, y); },
      [](double x, double y) {
        return detail::is_product(y) ? powi(x, static_cast<int>(y)) : std::pow(x, y);
      });
}
Expr atan2(const Expr& y, const Expr& x) {
  return binary(
      y, x, [](Graph& g, NodeId p, NodeId q) { return g.atan2(p, q); },
      [](double p, double q) { return std::atan2(p, q); });
}

namespace {
Expr elementary(Op op, const Expr& a, double (*plain)(double)) {
  return unary(
      a, [op](Graph& g, NodeId x) { return g.elementary(op, x); }, plain);
}
}  // namespace

Expr sqrt(const Expr& a) { return elementary(Op::sqrt, a, std::sqrt); }
Expr exp(const Expr& a) { return elementary(Op::exp, a, std::exp); }
Expr log(const Expr& a) { return elementary(Op::log, a, std::log); }
Expr sin(const Expr& a) { return elementary(Op::sin, a, std::sin); }
Expr cos(const Expr& a) { return elementary(Op::cos, a, std::cos); }
Expr tan(const Expr& a) { return elementary(Op::tan, a, std::tan); }
Expr asin(const Expr& a) { return elementary(Op::asin, a, std::asin); }
Expr acos(const Expr& a) { return elementary(Op::acos, a, std::acos); }
Expr atan(const Expr& a) { return elementary(Op::atan, a, std::atan); }
Expr sinh(const Expr& a) { return elementary(Op::sinh, a, std::sinh); }
Expr cosh(const Expr& a) { return elementary(Op::cosh, a, std::cosh); }
Expr tanh(const Expr& a) { return elementary(Op::tanh, a, std::tanh); }

Expr abs(const Expr& a, Tracking tracking) {
  return unary(
      a, [tracking](Graph& g, NodeId x) { return g.abs(x, tracking); },
      [](double x) { return std::abs(x); });
}
Expr sign(const Expr& a, Tracking tracking) {
  return unary(
      a, [tracking](Graph& g, NodeId x) { return g.sign(x, tracking); },
      [](double x) { return x > 0 ? 1.0 : -1.0; });
}
Expr min(const Expr& a, const Expr& b, Tracking tracking) {
  return binary(
      a, b, [tracking](Graph& g, NodeId x, NodeId y) { return g.min(x, y, tracking); },
      [](double x, double y) { return x > y ? y : x; });
}
Expr max(const Expr& a, const Expr& b, Tracking tracking) {
  return binary(
      a, b, [tracking](Graph& g, NodeId x, NodeId y) { return g.max(x, y, tracking); },
      [](double x, double y) { return x > y ? x : y; });
}

std::vector<Expr> call(std::shared_ptr<const ExternalFunction> function,
                       std::span<const Expr> arguments) {
  Graph* graph = nullptr;
  for (const Expr& e : arguments)
    if (e.graph() != nullptr) graph = e.graph();
  if (graph == nullptr)
    throw ModelError("function '" + function->name() +
                     "' is called with numbers only: give it at least one expression of a model");
  std::vector<NodeId> ids;
  for (const Expr& e : arguments) ids.push_back(e.in(*graph));
  std::vector<Expr> outputs;
  const std::shared_ptr<const ExternalFunction> called = std::move(function);
  for (std::uint32_t i = 0; i < called->n_out(); ++i)
    outputs.emplace_back(*graph, graph->external(called, ids, i));
  return outputs;
}

Cond operator>(const Expr& a, const Expr& b) { return compare(a, Comparison::greater, b); }
Cond operator>=(const Expr& a, const Expr& b) { return compare(a, Comparison::greater_equal, b); }
Cond operator<(const Expr& a, const Expr& b) { return compare(a, Comparison::less, b); }
Cond operator<=(const Expr& a, const Expr& b) { return compare(a, Comparison::less_equal, b); }
Cond operator!=(const Expr& a, const Expr& b) { return compare(a, Comparison::not_equal, b); }
Cond untracked(const Expr& a, Comparison comparison, const Expr& b) {
  return compare(a, comparison, b, Tracking::untracked);
}

Cond operator&&(const Cond& a, const Cond& b) {
  if (&a.graph() != &b.graph())
    throw ModelError("a condition mixes variables of two different models");
  return {a.graph(), a.graph().conjunction(a.literal(), b.literal())};
}
Cond operator!(const Cond& a) { return {a.graph(), negate(a.literal())}; }
Cond operator||(const Cond& a, const Cond& b) { return !(!a && !b); }

Expr where(const Cond& condition, const Expr& a, const Expr& b) {
  Graph& g = condition.graph();
  const NodeId id = g.select(condition.literal(), a.in(g), b.in(g));
  const std::uint16_t shape = g.condition(condition_of(condition.literal())).shape;
  if (shape != 0) return {g, g.broadcast(id, g.shape_length(shape))};
  return in_graph(g, id, {&a, &b});
}

std::vector<NodeId> nodes_of(Graph& g, std::span<const Expr> expressions) {
  std::vector<NodeId> nodes;
  for (const Expr& e : expressions) nodes.push_back(e.in(g));
  return nodes;
}
std::vector<NodeId> nodes_of(Graph& g, std::initializer_list<Expr> expressions) {
  return nodes_of(g, std::span(expressions.begin(), expressions.size()));
}

Expr concat(std::initializer_list<Expr> parts) {
  Graph* graph = nullptr;
  for (const Expr& e : parts)
    if (e.graph() != nullptr) graph = e.graph();
  if (graph == nullptr) throw ModelError("concat needs at least one variable");
  std::vector<NodeId> elements;
  for (const Expr& e : parts) {
    const NodeId id = e.in(*graph);
    for (std::uint32_t j = 0; j < e.size(); ++j) elements.push_back(graph->lane(id, j));
  }
  return {*graph, graph->lanes(elements)};
}

Expr sum(const Expr& array) {
  return array.is_array() ? Expr{*array.graph(), array.graph()->sum(array.id())} : array;
}

namespace {
template <class F>
Expr fold(const Expr& array, F&& combine) {
  if (!array.is_array()) return array;
  Expr r = array[0];
  for (std::uint32_t j = 1; j < array.size(); ++j) r = combine(r, array[j]);
  return r;
}
}  // namespace

Expr min_of(const Expr& array) {
  return fold(array, [](const Expr& a, const Expr& b) { return min(a, b); });
}
Expr max_of(const Expr& array) {
  return fold(array, [](const Expr& a, const Expr& b) { return max(a, b); });
}

}  // namespace saltus
