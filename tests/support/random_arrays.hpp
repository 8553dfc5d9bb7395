// Random arrays over all operations, and their evaluation lane by lane: slow, obvious, independent
// of programs, of families and of symbolic derivatives.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <unordered_map>
#include <vector>

#include <saltus/expr.hpp>

namespace saltus::test {

/// A graph with a fixed set of inputs and a generator of arrays of `n` lanes over them. Domains are
/// kept as in RandomExpressions. Arrays made before are used again, directly and through their
/// lanes, so that families share values.
class RandomArrays {
 public:
  RandomArrays(std::uint64_t seed, std::uint32_t n) : rng_(seed), n_(n), wide_(2 * n + 3) {
    t_ = time(g_);
    u_ = states(g_, "u", wide_);
    v_ = states(g_, "v", n);
    x_ = {state(g_, "x0"), state(g_, "x1")};
    p_ = parameters(g_, "p", n);
    q_ = parameter(g_, "q");
    d_ = discrete(g_, "d");
    const std::uint32_t m = n_states();
    segments_ = {{{InputKind::time, 0, 1, 0}},
                 {{InputKind::parameter, 0, n + 1, 0}, {InputKind::discrete, 0, 1, 0}},
                 {{InputKind::state, 0, m, 0}},
                 {{InputKind::state, 0, m, 1}},
                 {{InputKind::state, 0, m, 2}}};
  }

  Graph& graph() { return g_; }
  std::uint32_t n() const { return n_; }
  std::uint32_t n_states() const { return wide_ + n_ + 2; }
  const std::vector<InputSegment>& segments() const { return segments_; }
  std::mt19937_64& rng() { return rng_; }
  std::size_t pick(std::size_t k) {
    return std::uniform_int_distribution<std::size_t>(0, k - 1)(rng_);
  }

  /// An array of n lanes.
  Expr array(int depth) {
    const Expr made = whole(depth == 0 || pick(8) == 0 ? leaf() : operation(depth));
    pool_.push_back(made);
    return made;
  }

  /// A scalar, often a reduction of an array.
  Expr scalar(int depth) {
    if (depth == 0) return scalar_leaf();
    switch (pick(8)) {
      case 0:
        return sum(array(depth - 1));
      case 1:
        return sum(-array(depth - 1)) * scalar_leaf();
      case 2:
        return n_ <= 8 ? min_of(array(depth - 1)) : scalar_leaf();
      case 3:
        return n_ <= 8 ? max_of(array(depth - 1)) : scalar_leaf();
      case 4:
        return array(depth - 1)[static_cast<std::uint32_t>(pick(n_))];
      case 5:
        if (pick(2) == 0) return where(scalar_leaf() > 0.1, scalar_leaf(), sum(array(depth - 1)));
        return where(scalar_leaf() > 0.1, sum(array(depth - 1)), scalar_leaf());
      case 6:
        return abs(scalar_leaf()) + sign(scalar_leaf());
      default:
        return sin(scalar_leaf()) * scalar_leaf();
    }
  }

  /// Values for all segments.
  std::vector<std::vector<double>> point() {
    std::uniform_real_distribution<double> range(-1.5, 1.5);
    auto several = [&](std::size_t k) {
      std::vector<double> values(k);
      for (double& e : values) e = range(rng_);
      return values;
    };
    auto held = several(n_ + 1);
    held.push_back(pick(2) == 0 ? 1.0 : 2.0);
    return {several(1), held, several(n_states()), several(n_states()), several(n_states())};
  }

 private:
  static Expr bounded(const Expr& a) { return 2.0 * sin(a); }
  Tracking tracking() { return pick(4) == 0 ? Tracking::untracked : Tracking::automatic; }

  /// A scalar as an array: a simplification may have found all lanes equal.
  Expr whole(const Expr& e) { return {g_, g_.broadcast(e.in(g_), n_)}; }

  Expr scalar_leaf() {
    switch (pick(7)) {
      case 0:
        return t_;
      case 1:
        return q_;
      case 2:
        return u_[static_cast<std::uint32_t>(pick(wide_))];
      case 3:
        return {g_, g_.constant(std::uniform_real_distribution<double>(-2, 2)(rng_))};
      case 4:
        return der(x_[1]);
      default:
        return x_[pick(2)];
    }
  }

  /// n lanes of an array of `size`: shifted, strided, reversed, one lane repeated.
  Expr some_lanes(const Expr& a, std::uint32_t size) {
    const auto n = static_cast<std::int64_t>(n_);
    const auto spare = static_cast<std::int64_t>(size) - n;
    switch (pick(5)) {
      case 0:
        return map(n_, [&](Index i) { return a[i + spare]; });
      case 1:
        return map(n_, [&](Index i) { return a[-1 * i + (n - 1)]; });
      case 2:
        return map(n_, [&](Index i) { return a[0 * i + static_cast<std::int64_t>(pick(size))]; });
      case 3:
        return size >= 2 * n_ ? map(
                                    n_, [&](Index i) { return a[2 * (i - 1)]; }, 1)
                              : a.slice(0, n_);
      default:
        return size >= 2 * n_ ? a.slice(1, n_, 2) : a.slice(size - n_, n_);
    }
  }

  Expr leaf() {
    if (!pool_.empty() && pick(3) == 0) return pool_[pick(pool_.size())];
    switch (pick(9)) {
      case 0:
        return p_;
      case 1:
        return v_;
      case 2:
        return der(v_);
      case 3:
        return whole(scalar_leaf());
      case 4: {
        const Expr first = sin(x_[0]) * q_;  // a computed scalar beside variables and a constant
        if (n_ == 1) return concat({first});
        if (n_ == 2) return concat({first, v_.slice(1, 1)});
        return concat({first, v_.slice(0, n_ - 2), 0.25});
      }
      case 5:
        return some_lanes(sin(u_) * u_, wide_);
      default:
        return some_lanes(u_, wide_);
    }
  }

  Expr either(int depth) { return pick(4) == 0 ? scalar(depth) : array(depth); }

  Expr operation(int depth) {
    const Expr a = array(depth - 1);
    switch (pick(32)) {
      case 0:
        return a + either(depth - 1);
      case 1:
        return either(depth - 1) - a;
      case 2:
        return a * either(depth - 1);
      case 3:
        return a / (sqr(either(depth - 1)) + 0.7);
      case 4:
        return -a;
      case 5:
        return sqr(a);
      case 6:
        return pow(a, 3);
      case 7:
        return pow(sqr(a) + 0.6, -2);
      case 8:
        return pow(sqr(a) + 0.3, bounded(either(depth - 1)));
      case 9:
        return sqrt(sqr(a) + 0.2);
      case 10:
        return exp(bounded(a));
      case 11:
        return log(sqr(a) + 0.4);
      case 12:
        return sin(a) + cos(a);
      case 13:
        return tan(0.9 * sin(a));
      case 14:
        return asin(0.9 * sin(a)) - acos(0.9 * cos(a));
      case 15:
        return atan(a);
      case 16:
        return sinh(bounded(a)) + cosh(bounded(a));
      case 17:
        return tanh(a);
      case 18:
        return atan2(a, sqr(either(depth - 1)) + 0.5);
      case 19:
        return abs(a, tracking()) + min(a, either(depth - 1), tracking());
      case 20:
        return max(a, either(depth - 1), tracking()) - sign(a, tracking());
      case 21:
      case 22:
        return where(condition(depth - 1), a, either(depth - 1));
      case 23:  // undefined beyond the branch
        return where(a > 0.1, log(a) + sqrt(a), a);
      case 24:
        return where(a > 0.1 && a < 0.9, asin(a) / a, either(depth - 1));
      case 25:
      case 26:
        return some_lanes(a, n_);
      case 27:
        return a - some_lanes(a, n_);  // the array itself and its lanes
      case 28:
        return n_ > 1 ? concat({a.slice(1, n_ - 1), scalar(depth - 1)}) : a;
      case 29:
        return a * sum(a) + scalar(depth - 1);
      case 30:
        return scalar(depth - 1) * a;
      default:
        return a * sum(concat({x_[0] * x_[1], a, 1.0}) * 0.5);
    }
  }

  Cond condition(int depth) {
    const Expr a = v_ + array(depth);
    switch (pick(7)) {
      case 0:
        return a > scalar_leaf();
      case 1:
        return a <= array(depth) - 0.05;
      case 2:
        return !(a >= 0.2) || some_lanes(u_, wide_) < p_;
      case 3:
        return d_ == 2.0;
      case 4:
        return untracked(a, Comparison::less, 0.1) && x_[0] > x_[1];
      case 5:
        return x_[0] + scalar(depth) > 0.1;
      default:
        return a < 0.3 && (d_ >= 1.5 || !(p_ < 0.2));
    }
  }

  Graph g_;
  std::mt19937_64 rng_;
  std::uint32_t n_;
  std::uint32_t wide_;
  Expr t_, u_, v_, p_, q_, d_;
  std::vector<Expr> x_;
  std::vector<Expr> pool_;
  std::vector<InputSegment> segments_;
};

/// A value and its derivative along one direction: an oracle for derivatives that knows nothing of
/// graphs. Comparisons look at the value.
template <class T>
struct Dual {
  T v, d;
  Dual(double x = 0) : v(x), d(0.0) {}
  Dual(T value, T derivative) : v(value), d(derivative) {}

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.v + b.v, a.d + b.d}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.v - b.v, a.d - b.d}; }
  friend Dual operator-(const Dual& a) { return {-a.v, -a.d}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    return {a.v / b.v, (a.d * b.v - a.v * b.d) / (b.v * b.v)};
  }
  friend Dual sqr(const Dual& a) { return a * a; }
  friend Dual powi(const Dual& a, int n) {
    return {powi(a.v, n), T(static_cast<double>(n)) * powi(a.v, n - 1) * a.d};
  }
  friend Dual pow(const Dual& a, const Dual& b) {
    const T f = pow(a.v, b.v);
    return {f, f * (b.d * log(a.v) + b.v * a.d / a.v)};
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    return {atan2(y.v, x.v), (y.d * x.v - y.v * x.d) / (x.v * x.v + y.v * y.v)};
  }
  friend Dual sqrt(const Dual& a) { return {sqrt(a.v), a.d / (T(2.0) * sqrt(a.v))}; }
  friend Dual exp(const Dual& a) { return {exp(a.v), a.d * exp(a.v)}; }
  friend Dual log(const Dual& a) { return {log(a.v), a.d / a.v}; }
  friend Dual sin(const Dual& a) { return {sin(a.v), a.d * cos(a.v)}; }
  friend Dual cos(const Dual& a) { return {cos(a.v), -a.d * sin(a.v)}; }
  friend Dual tan(const Dual& a) { return {tan(a.v), a.d / (cos(a.v) * cos(a.v))}; }
  friend Dual asin(const Dual& a) { return {asin(a.v), a.d / sqrt(T(1.0) - a.v * a.v)}; }
  friend Dual acos(const Dual& a) { return {acos(a.v), -a.d / sqrt(T(1.0) - a.v * a.v)}; }
  friend Dual atan(const Dual& a) { return {atan(a.v), a.d / (T(1.0) + a.v * a.v)}; }
  friend Dual sinh(const Dual& a) { return {sinh(a.v), a.d * cosh(a.v)}; }
  friend Dual cosh(const Dual& a) { return {cosh(a.v), a.d * sinh(a.v)}; }
  friend Dual tanh(const Dual& a) { return {tanh(a.v), a.d / (cosh(a.v) * cosh(a.v))}; }
};

inline double plain_value(double x) { return x; }
inline Quad plain_value(const Quad& x) { return x; }
template <class T>
T plain_value(const Dual<T>& x) {
  return x.v;
}

/// One lane of a node by recursion: T = double, Quad or Dual of them. Only branches taken are met.
template <class T>
class LaneByLane {
 public:
  LaneByLane(const Graph& g, std::function<T(const Input&)> input)
      : g_(g), input_(std::move(input)) {}

  T value(NodeId id, std::uint32_t lane = 0) {
    if (!g_.is_array(id)) lane = 0;
    const std::uint64_t key = (std::uint64_t{id} << 32) | lane;
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const T v = compute(g_.node(id), id, lane);
    known_.emplace(key, v);
    return v;
  }

 private:
  T compute(const Node& n, NodeId id, std::uint32_t j) {
    // The functions of plain numbers; those of T are found by argument.
    using saltus::powi;
    using std::acos;
    using std::asin;
    using std::atan;
    using std::atan2;
    using std::cos;
    using std::cosh;
    using std::exp;
    using std::log;
    using std::pow;
    using std::sin;
    using std::sinh;
    using std::sqrt;
    using std::tan;
    using std::tanh;
    switch (n.op) {
      case Op::constant:
        return T(g_.constant_value(id));
      case Op::input:
        return input_(g_.input(n.a));
      case Op::lanes:
        return value(g_.table(n.a)[j]);
      case Op::take:
        return value(n.a, g_.table(n.b)[j]);
      case Op::sum: {
        T s = value(n.a, 0);
        for (std::uint32_t k = 1; k < g_.lane_count(n.a); ++k) s = s + value(n.a, k);
        return s;
      }
      case Op::add:
        return value(n.a, j) + value(n.b, j);
      case Op::sub:
        return value(n.a, j) - value(n.b, j);
      case Op::mul:
        return value(n.a, j) * value(n.b, j);
      case Op::div:
        return value(n.a, j) / value(n.b, j);
      case Op::neg:
        return -value(n.a, j);
      case Op::sqr:
        return value(n.a, j) * value(n.a, j);
      case Op::powi:
        return powi(value(n.a, j), static_cast<std::int32_t>(n.b));
      case Op::pow:
        return pow(value(n.a, j), value(n.b, j));
      case Op::atan2:
        return atan2(value(n.a, j), value(n.b, j));
      case Op::select:
        return value(holds(literal_of(n.c), j) ? n.a : n.b, j);
      case Op::abs:
        return decided(n, j) ? value(n.a, j) : -value(n.a, j);
      case Op::sign:
        return T(decided(n, j) ? 1.0 : -1.0);
      case Op::min:
        return value(decided(n, j) ? n.b : n.a, j);
      case Op::max:
        return value(decided(n, j) ? n.a : n.b, j);
      case Op::sqrt:
        return sqrt(value(n.a, j));
      case Op::exp:
        return exp(value(n.a, j));
      case Op::log:
        return log(value(n.a, j));
      case Op::sin:
        return sin(value(n.a, j));
      case Op::cos:
        return cos(value(n.a, j));
      case Op::tan:
        return tan(value(n.a, j));
      case Op::asin:
        return asin(value(n.a, j));
      case Op::acos:
        return acos(value(n.a, j));
      case Op::atan:
        return atan(value(n.a, j));
      case Op::sinh:
        return sinh(value(n.a, j));
      case Op::cosh:
        return cosh(value(n.a, j));
      case Op::tanh:
        return tanh(value(n.a, j));
      case Op::external:
        break;
    }
    return T(std::nan(""));
  }

  bool decided(const Node& n, std::uint32_t j) {
    if (n.c != none) return holds(literal_of(n.c), j);
    const auto a = plain_value(value(n.a, j));
    return arity(n.op) == 2 ? a > plain_value(value(n.b, j)) : a > decltype(a)(0.0);
  }

  bool holds(Literal literal, std::uint32_t j) {
    const Condition& c = g_.condition(condition_of(literal));
    bool truth = true;
    if (c.kind == Condition::Kind::relation) {
      const Relation& r = g_.relation(c.a);
      const auto x = plain_value(value(r.g, j));
      const decltype(x) zero(0.0);
      truth = r.test == Test::positive       ? x > zero
              : r.test == Test::non_negative ? x >= zero
              : r.test == Test::negative     ? x < zero
              : r.test == Test::non_positive ? x <= zero
                                             : x == zero;
    } else if (c.kind == Condition::Kind::conjunction) {
      truth = holds(c.a, j) && holds(c.b, j);
    }
    return truth != is_negated(literal);
  }

  const Graph& g_;
  std::function<T(const Input&)> input_;
  std::unordered_map<std::uint64_t, T> known_;
};

}  // namespace saltus::test
