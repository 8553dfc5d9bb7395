// Evaluating a graph node by node in any scalar type: slow, obvious, and independent of programs.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include <saltus/expr.hpp>

namespace saltus::test {

/// Needs of T: arithmetic, the elementary functions by argument-dependent lookup, and
/// `truth(T, Test)` giving lock_true, lock_false or lock_undecided, and `unite(T, T)`.
template <class T>
class NaiveEvaluation {
 public:
  NaiveEvaluation(const Graph& g, std::function<T(const Input&)> input)
      : g_(g), input_(std::move(input)) {}

  T value(NodeId id) {
    if (const auto found = known_.find(id); found != known_.end()) return found->second;
    const T v = compute(g_.node(id), id);
    known_.emplace(id, v);
    return v;
  }

 private:
  T compute(const Node& n, NodeId id) {
    switch (n.op) {
      case Op::constant:
        return T(g_.constant_value(id));
      case Op::input:
        return input_(g_.input(n.a));
      case Op::add:
        return value(n.a) + value(n.b);
      case Op::sub:
        return value(n.a) - value(n.b);
      case Op::mul:
        return value(n.a) * value(n.b);
      case Op::div:
        return value(n.a) / value(n.b);
      case Op::neg:
        return -value(n.a);
      case Op::sqr:
        return sqr(value(n.a));
      case Op::powi:
        return powi(value(n.a), static_cast<std::int32_t>(n.b));
      case Op::pow:
        return pow(value(n.a), value(n.b));
      case Op::atan2:
        return atan2(value(n.a), value(n.b));
      case Op::select:
        return choose(condition(literal_of(n.c)), n.a, n.b);
      case Op::abs: {
        const std::uint8_t m = decides(n, value(n.a));
        return m == lock_undecided ? abs(value(n.a)) : m != 0 ? value(n.a) : -value(n.a);
      }
      case Op::sign: {
        const std::uint8_t m = decides(n, value(n.a));
        return m == lock_undecided ? unite(T(-1.0), T(1.0)) : T(m != 0 ? 1.0 : -1.0);
      }
      case Op::min:
        return choose(decides(n, value(n.a) - value(n.b)), n.b, n.a);
      case Op::max:
        return choose(decides(n, value(n.a) - value(n.b)), n.a, n.b);
      default:
        return elementary(n.op, value(n.a));
    }
  }

  static T elementary(Op op, const T& x) {
    switch (op) {
      case Op::sqrt:
        return sqrt(x);
      case Op::exp:
        return exp(x);
      case Op::log:
        return log(x);
      case Op::sin:
        return sin(x);
      case Op::cos:
        return cos(x);
      case Op::tan:
        return tan(x);
      case Op::asin:
        return asin(x);
      case Op::acos:
        return acos(x);
      case Op::atan:
        return atan(x);
      case Op::sinh:
        return sinh(x);
      case Op::cosh:
        return cosh(x);
      default:
        return tanh(x);
    }
  }

  std::uint8_t decides(const Node& n, const T& by_value) {
    return n.c == none ? truth(by_value, Test::positive) : condition(literal_of(n.c));
  }

  T choose(std::uint8_t m, NodeId a, NodeId b) {
    if (m == lock_undecided) return unite(value(a), value(b));
    return value(m != 0 ? a : b);
  }

  std::uint8_t condition(Literal l) {
    const Condition& c = g_.condition(condition_of(l));
    std::uint8_t m = lock_true;
    if (c.kind == Condition::Kind::relation) {
      const Relation& r = g_.relation(c.a);
      m = truth(value(r.g), r.test);
    } else if (c.kind == Condition::Kind::conjunction) {
      const std::uint8_t a = condition(c.a);
      const std::uint8_t b = condition(c.b);
      m = a == lock_false || b == lock_false ? lock_false
          : a == lock_true && b == lock_true ? lock_true
                                             : lock_undecided;
    }
    if (m == lock_undecided || !is_negated(l)) return m;
    return m == lock_true ? lock_false : lock_true;
  }

  const Graph& g_;
  std::function<T(const Input&)> input_;
  std::map<NodeId, T> known_;
};

/// Interval arithmetic with a planted error: upper bounds of sums and products are rounded to
/// nearest instead of upwards. A check of enclosures that accepts it checks nothing.
struct OneSidedInterval {
  Interval v;
  OneSidedInterval(double x) : v(x) {}
  OneSidedInterval(const Interval& x) : v(x) {}

  friend OneSidedInterval operator+(const OneSidedInterval& a, const OneSidedInterval& b) {
    return careless(a.v + b.v, a.v.hi() + b.v.hi());
  }
  friend OneSidedInterval operator-(const OneSidedInterval& a, const OneSidedInterval& b) {
    return careless(a.v - b.v, a.v.hi() - b.v.lo());
  }
  friend OneSidedInterval operator*(const OneSidedInterval& a, const OneSidedInterval& b) {
    const double h = std::max(
        {a.v.lo() * b.v.lo(), a.v.lo() * b.v.hi(), a.v.hi() * b.v.lo(), a.v.hi() * b.v.hi()});
    return careless(a.v * b.v, h);
  }
  friend OneSidedInterval operator/(const OneSidedInterval& a, const OneSidedInterval& b) {
    return a.v / b.v;
  }
  friend OneSidedInterval operator-(const OneSidedInterval& a) { return -a.v; }
  friend OneSidedInterval sqr(const OneSidedInterval& a) { return sqr(a.v); }
  friend OneSidedInterval powi(const OneSidedInterval& a, int n) { return powi(a.v, n); }
  friend OneSidedInterval pow(const OneSidedInterval& a, const OneSidedInterval& b) {
    return pow(a.v, b.v);
  }
  friend OneSidedInterval atan2(const OneSidedInterval& a, const OneSidedInterval& b) {
    return atan2(a.v, b.v);
  }
  friend OneSidedInterval abs(const OneSidedInterval& a) { return abs(a.v); }
  friend OneSidedInterval sqrt(const OneSidedInterval& a) { return sqrt(a.v); }
  friend OneSidedInterval exp(const OneSidedInterval& a) { return exp(a.v); }
  friend OneSidedInterval log(const OneSidedInterval& a) { return log(a.v); }
  friend OneSidedInterval sin(const OneSidedInterval& a) { return sin(a.v); }
  friend OneSidedInterval cos(const OneSidedInterval& a) { return cos(a.v); }
  friend OneSidedInterval tan(const OneSidedInterval& a) { return tan(a.v); }
  friend OneSidedInterval asin(const OneSidedInterval& a) { return asin(a.v); }
  friend OneSidedInterval acos(const OneSidedInterval& a) { return acos(a.v); }
  friend OneSidedInterval atan(const OneSidedInterval& a) { return atan(a.v); }
  friend OneSidedInterval sinh(const OneSidedInterval& a) { return sinh(a.v); }
  friend OneSidedInterval cosh(const OneSidedInterval& a) { return cosh(a.v); }
  friend OneSidedInterval tanh(const OneSidedInterval& a) { return tanh(a.v); }
  friend OneSidedInterval unite(const OneSidedInterval& a, const OneSidedInterval& b) {
    return hull(a.v, b.v);
  }
  friend std::uint8_t truth(const OneSidedInterval& g, Test test) {
    if (test == Test::negative || test == Test::non_positive) {
      const std::uint8_t m = truth(g, test == Test::negative ? Test::non_negative : Test::positive);
      return m == lock_undecided ? m : static_cast<std::uint8_t>(1 - m);
    }
    const bool strict = test == Test::positive;
    if (test == Test::zero)
      return g.v.lo() == 0 && g.v.hi() == 0 ? lock_true
             : g.v.contains(0.0)            ? lock_undecided
                                            : lock_false;
    if (strict ? g.v.certainly_positive() : g.v.certainly_nonnegative()) return lock_true;
    if (strict ? g.v.certainly_nonpositive() : g.v.certainly_negative()) return lock_false;
    return lock_undecided;
  }

 private:
  static OneSidedInterval careless(const Interval& right, double nearest) {
    return std::isfinite(nearest) && nearest >= right.lo() ? Interval(right.lo(), nearest) : right;
  }
};

}  // namespace saltus::test
