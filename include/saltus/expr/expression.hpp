// Expressions as users write them: values with operators, conditions, where.
//
//   Graph g;
//   Expr x = state(g, "x"), v = state(g, "v"), mu = parameter(g, "mu");
//   Expr f = where(v > 0, -mu * x, mu * x) + abs(x);
//
// An Expr carries its graph; a plain number becomes a constant of the graph it meets. A comparison
// is a Cond, not a bool: `if (x > 0)` does not compile and says what to write instead.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <saltus/expr/graph.hpp>

namespace saltus {

class Index;

/// A value: a number, a scalar expression, or an array of them.
class Expr {
 public:
  Expr() = default;
  Expr(double value) : value_(value) {}  // NOLINT: numbers are meant to convert
  Expr(Graph& graph, NodeId id) : graph_(&graph), id_(id) {}

  /// Returns the graph of the expression; null for a plain number.
  Graph* graph() const { return graph_; }
  /// Returns the node in that graph. A plain number has none until it meets a graph; see in().
  NodeId id() const { return id_; }
  /// Returns the value of a plain number.
  double number() const { return value_; }
  /// Returns the node of this expression in the given graph; creates a constant for a plain number.
  NodeId in(Graph& graph) const;

  bool is_array() const { return graph_ != nullptr && graph_->is_array(id_); }
  std::uint32_t size() const { return graph_ == nullptr ? 1 : graph_->lane_count(id_); }

  /// Returns one element of an array.
  Expr operator[](std::uint32_t which) const;
  /// Returns the elements an index runs over, in map().
  Expr operator[](const Index& index) const;
  /// Returns `count` elements from `first`, `stride` apart.
  Expr slice(std::uint32_t first, std::uint32_t count, std::uint32_t stride = 1) const;

  Expr& operator+=(const Expr& b);
  Expr& operator-=(const Expr& b);
  Expr& operator*=(const Expr& b);
  Expr& operator/=(const Expr& b);

 private:
  friend Graph* common_graph(std::initializer_list<const Expr*> operands);
  Graph* graph_ = nullptr;
  NodeId id_ = none;
  double value_ = 0;
};

namespace detail {
template <class T>
inline constexpr bool always_false = false;
}  // namespace detail

/// The truth of a comparison. Conditions are combined by &&, || and !.
class Cond {
 public:
  Cond(Graph& graph, Literal literal) : graph_(&graph), literal_(literal) {}
  /// Returns a condition that always or never holds.
  static Cond always(Graph& graph) { return {graph, literal_true}; }
  static Cond never(Graph& graph) { return {graph, literal_false}; }

  Graph& graph() const { return *graph_; }
  Literal literal() const { return literal_; }

  template <class B>
  requires std::same_as<B, bool>
  explicit operator B() const {
    static_assert(
        detail::always_false<B>,
        "a comparison of expressions is a condition, not a bool: the model must know both "
        "branches; write where(condition, a, b) instead of if or ?:");
    return false;
  }

 private:
  Graph* graph_;
  Literal literal_;
};

/// The two sides of lhs == rhs: an equation, or (between held values) a condition.
class Equality {
 public:
  Equality(Expr left, Expr right) : left_(left), right_(right) {}
  const Expr& left() const { return left_; }
  const Expr& right() const { return right_; }
  /// Converts to a condition. Throws ModelError for continuous quantities.
  operator Cond() const;  // NOLINT: where(d == 2, a, b) is meant to compile

  template <class B>
  requires std::same_as<B, bool>
  explicit operator B() const {
    static_assert(detail::always_false<B>,
                  "an equality of expressions is an equation or a condition, not a bool: write "
                  "where(condition, a, b) instead of if or ?:");
    return false;
  }

 private:
  Expr left_;
  Expr right_;
};

// ---- inputs ------------------------------------------------------------------------------------

Expr time(Graph& g);
Expr state(Graph& g, std::string name);
Expr algebraic(Graph& g, std::string name);
Expr signal(Graph& g, std::string name);
Expr parameter(Graph& g, std::string name);
Expr discrete(Graph& g, std::string name);
/// The same as arrays of n elements.
Expr states(Graph& g, std::string name, std::uint32_t n);
Expr algebraics(Graph& g, std::string name, std::uint32_t n);
Expr parameters(Graph& g, std::string name, std::uint32_t n);
/// Returns the time derivative of a variable, or of each element of an array of variables.
Expr der(const Expr& variable, std::uint32_t order = 1);
/// Returns the value of a variable before the event.
Expr pre(const Expr& variable);

// ---- arithmetic and functions ------------------------------------------------------------------

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
inline Expr operator+(const Expr& a) { return a; }

Expr sqr(const Expr& a);
/// Integer exponents are exact repeated multiplication, also for negative bases.
Expr pow(const Expr& a, const Expr& b);
Expr sqrt(const Expr& a);
Expr exp(const Expr& a);
Expr log(const Expr& a);
Expr sin(const Expr& a);
Expr cos(const Expr& a);
Expr tan(const Expr& a);
Expr asin(const Expr& a);
Expr acos(const Expr& a);
Expr atan(const Expr& a);
Expr atan2(const Expr& y, const Expr& x);
Expr sinh(const Expr& a);
Expr cosh(const Expr& a);
Expr tanh(const Expr& a);

// Each function carries a switch on its argument (or on a - b): crossings are events, and the
// branch is locked during a step. With Tracking::untracked the value alone decides.
Expr abs(const Expr& a, Tracking tracking = Tracking::automatic);
Expr sign(const Expr& a, Tracking tracking = Tracking::automatic);
Expr min(const Expr& a, const Expr& b, Tracking tracking = Tracking::automatic);
Expr max(const Expr& a, const Expr& b, Tracking tracking = Tracking::automatic);

/// Returns all outputs of an external function.
std::vector<Expr> call(std::shared_ptr<const ExternalFunction> function,
                       std::span<const Expr> arguments);

// ---- conditions --------------------------------------------------------------------------------

Cond operator>(const Expr& a, const Expr& b);
Cond operator>=(const Expr& a, const Expr& b);
Cond operator<(const Expr& a, const Expr& b);
Cond operator<=(const Expr& a, const Expr& b);
inline Equality operator==(const Expr& a, const Expr& b) { return {a, b}; }
Cond operator!=(const Expr& a, const Expr& b);
/// Returns a comparison that is never an event (Modelica's noEvent).
Cond untracked(const Expr& a, Comparison comparison, const Expr& b);
Cond operator&&(const Cond& a, const Cond& b);
Cond operator||(const Cond& a, const Cond& b);
Cond operator!(const Cond& a);

/// Returns a where the condition holds, b elsewhere. The value of the branch not taken never
/// matters: sqrt(x) under x > 0 is safe.
Expr where(const Cond& condition, const Expr& a, const Expr& b);

/// Returns the nodes of expressions in a graph, for compile, jacobian and similar functions. A
/// plain number becomes a constant; a variable of another graph is refused.
std::vector<NodeId> nodes_of(Graph& g, std::initializer_list<Expr> expressions);
std::vector<NodeId> nodes_of(Graph& g, std::span<const Expr> expressions);

// ---- families ----------------------------------------------------------------------------------

/// An affine index that runs over the lanes of a family: first + stride * lane.
class Index {
 public:
  Index(std::int64_t first, std::int64_t stride, std::uint32_t count)
      : first_(first), stride_(stride), count_(count) {}
  std::uint32_t count() const { return count_; }
  std::int64_t operator()(std::uint32_t lane) const { return first_ + stride_ * lane; }
  friend Index operator+(Index i, std::int64_t k) { return {i.first_ + k, i.stride_, i.count_}; }
  friend Index operator-(Index i, std::int64_t k) { return i + (-k); }
  friend Index operator*(std::int64_t k, Index i) {
    return {k * i.first_, k * i.stride_, i.count_};
  }

 private:
  std::int64_t first_;
  std::int64_t stride_;
  std::uint32_t count_;
};

/// Returns body(i) for i = first … first+count-1 as one array. The body is recorded once, for any
/// count:
///   map(n, [&](Index i) { return u[i] - u[i-1]; })
template <class Body>
Expr map(std::uint32_t count, Body&& body, std::int64_t first = 0) {
  return body(Index{first, 1, count});
}

/// Joins arrays and scalars.
Expr concat(std::initializer_list<Expr> parts);
Expr sum(const Expr& array);
/// Return the smallest and the largest element. Each comparison carries a switch.
Expr min_of(const Expr& array);
Expr max_of(const Expr& array);

}  // namespace saltus
