// Random expressions over all operations, for property tests.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <saltus/expr.hpp>

namespace saltus::test {

/// A graph with a fixed set of inputs and a generator of expressions over them.
///
/// Functions with a restricted domain occur in two forms: with an argument that is inside the
/// domain for sure, and with any argument inside a branch that guards it. So every expression has a
/// finite value wherever exp does not overflow, and unreached branches are full of domain errors.
class RandomExpressions {
 public:
  static constexpr std::uint32_t n_states = 4;
  static constexpr std::uint32_t n_parameters = 2;

  explicit RandomExpressions(std::uint64_t seed) : rng_(seed) {
    t_ = time(g_);
    for (std::uint32_t i = 0; i < n_states; ++i) x_.push_back(state(g_, "x" + std::to_string(i)));
    for (std::uint32_t i = 0; i < n_parameters; ++i)
      p_.push_back(parameter(g_, "p" + std::to_string(i)));
    d_ = discrete(g_, "d");
    segments_ = {{{InputKind::time, 0, 1, 0}},
                 {{InputKind::parameter, 0, n_parameters, 0}, {InputKind::discrete, 0, 1, 0}},
                 {{InputKind::state, 0, n_states, 0}},
                 {{InputKind::state, 0, n_states, 1}}};
  }

  Graph& graph() { return g_; }
  const std::vector<InputSegment>& segments() const { return segments_; }
  std::mt19937_64& rng() { return rng_; }

  Expr expression(int depth) {
    if (depth == 0 || pick(8) == 0) return leaf();
    const Expr a = expression(depth - 1);
    switch (pick(27)) {
      case 0:
        return a + expression(depth - 1);
      case 1:
        return a - expression(depth - 1);
      case 2:
        return a * expression(depth - 1);
      case 3:
        return a / (sqr(expression(depth - 1)) + 0.7);
      case 4:
        return -a;
      case 5:
        return sqr(a);
      case 6:
        return pow(a, 3.0 + static_cast<double>(pick(3)));
      case 7:
        return pow(sqr(a) + 0.6, -2.0 - static_cast<double>(pick(2)));
      case 8:
        return pow(sqr(a) + 0.3, bounded(expression(depth - 1)));
      case 9:
        return sqrt(sqr(a) + 0.2);
      case 10:
        return exp(bounded(a));
      case 11:
        return log(sqr(a) + 0.4);
      case 12:
        return sin(a);
      case 13:
        return cos(a);
      case 14:
        return tan(0.9 * sin(a));
      case 15:
        return asin(0.9 * sin(a));
      case 16:
        return acos(0.9 * cos(a));
      case 17:
        return atan(a);
      case 18:
        return sinh(bounded(a));
      case 19:
        return cosh(bounded(a));
      case 20:
        return tanh(a);
      case 21:
        return atan2(a, sqr(expression(depth - 1)) + 0.5);
      case 22:
        return abs(a) + min(a, expression(depth - 1), tracking());
      case 23:
        return max(a, expression(depth - 1), tracking()) - sign(a, tracking());
      case 24:
        return where(condition(depth - 1), a, expression(depth - 1));
      case 25:  // undefined beyond the branch
        return where(a > 0.1, log(a) + sqrt(a), a);
      default:
        return where(a > 0.1 && a < 0.9, asin(a) / a, expression(depth - 1));
    }
  }

  /// Values for all segments.
  std::vector<std::vector<double>> point() {
    std::uniform_real_distribution<double> u(-1.5, 1.5);
    auto several = [&](std::size_t n) {
      std::vector<double> v(n);
      for (double& e : v) e = u(rng_);
      return v;
    };
    auto held = several(n_parameters);
    held.push_back(pick(2) == 0 ? 1.0 : 2.0);
    return {several(1), held, several(n_states), several(n_states)};
  }

  std::size_t pick(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(rng_);
  }

 private:
  Tracking tracking() { return pick(4) == 0 ? Tracking::untracked : Tracking::automatic; }
  static Expr bounded(const Expr& a) { return 2.0 * sin(a); }

  Expr leaf() {
    switch (pick(8)) {
      case 0:
        return t_;
      case 1:
        return p_[pick(n_parameters)];
      case 2:
        return {g_, g_.constant(std::uniform_real_distribution<double>(-2, 2)(rng_))};
      case 3:
        return der(x_[pick(n_states)]);
      default:
        return x_[pick(n_states)];
    }
  }

  Cond condition(int depth) {
    // A comparison of two numbers is no condition: one side is a variable.
    const Expr a = x_[pick(n_states)] + expression(depth);
    switch (pick(5)) {
      case 0:
        return a > leaf();
      case 1:
        return a <= expression(depth) - 0.05;
      case 2:
        return !(a >= 0.2) || x_[0] < x_[1];
      case 3:
        return d_ == 2.0;
      default:
        return a < 0.3 && d_ >= 1.5;
    }
  }

  Graph g_;
  std::mt19937_64 rng_;
  Expr t_;
  std::vector<Expr> x_;
  std::vector<Expr> p_;
  Expr d_;
  std::vector<InputSegment> segments_;
};

}  // namespace saltus::test
