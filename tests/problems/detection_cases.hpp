// Steps that are hard to search: functions whose lowest point lies a given distance below, above or on
// zero, and functions of a grammar.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>

#include <saltus/lower.hpp>
#include <saltus/model.hpp>
#include <saltus/system.hpp>

#include "support/expression_switching.hpp"

namespace saltus::problems {

/// Writes switching functions of time and states.
using WriteFunctions = std::function<std::vector<Expr>(const Expr& t, const std::vector<Expr>& x)>;

/// Functions twice: in a compiled model, whose abilities are searched, and by themselves, to check.
class DetectionFunctions {
 public:
  DetectionFunctions(std::uint32_t n_states, const WriteFunctions& write) {
    Model model("switches");
    std::vector<Expr> x;
    for (std::uint32_t i = 0; i < n_states; ++i) x.push_back(model.state(name(i), 0.0));
    Expr rate = Expr(0.0) * x[0];
    for (const Expr& g : write(model.time(), x)) rate = rate + where(g > 0.0, Expr(1.0), Expr(2.0));
    model.equation(der(x[0]) == rate);
    for (std::uint32_t i = 1; i < n_states; ++i) model.equation(der(x[i]) == 0.0 * x[i]);
    system_ = *compile_model(model.build())->system({});
    workspace_ = system_->workspace();

    std::vector<Expr> y;
    const Expr t = time(graph_);
    for (std::uint32_t i = 0; i < n_states; ++i) y.push_back(state(graph_, name(i)));
    exact_ = std::make_unique<test::ExpressionSwitching>(graph_, n_states, write(t, y));
    if (functions().count() != exact_->count()) throw std::logic_error("switches were lost");
  }

  SwitchingFunctions& functions() { return *workspace_->ability<SwitchingFunctions>(); }
  StepEnclosure* enclosure() { return workspace_->ability<StepEnclosure>(); }
  test::ExpressionSwitching& exact() { return *exact_; }
  std::uint32_t count() const { return exact_->count(); }

 private:
  static std::string name(std::uint32_t i) { return "x" + std::to_string(i); }

  std::shared_ptr<const System> system_;
  std::unique_ptr<Workspace> workspace_;
  Graph graph_;
  std::unique_ptr<test::ExpressionSwitching> exact_;
};

/// Eight kinds of g, each with a state of its own as offset: g_k = f_k(t, x0, x1, x2) + x_(3 + k).
inline constexpr std::uint32_t n_detection_kinds = 8;
inline constexpr std::uint32_t n_detection_states = 3 + n_detection_kinds;

inline std::vector<Expr> detection_kinds(const Expr& t, const std::vector<Expr>& x) {
  std::vector<Expr> f = {x[0] - 0.5 * x[1] + 0.7 * x[2],
                         x[0] * x[1] + 0.2 * x[2],
                         sin(2.0 * x[0]) + sqr(x[1]) - x[2],
                         exp(x[0]) - 1.3 * x[1],
                         x[0] / (1.0 + sqr(x[1])) + 0.3 * x[2],
                         sqrt(1.0 + sqr(x[0])) - log(2.0 + sqr(x[1])) + 0.1 * x[2],
                         x[0] - sin(3.0 * t) * x[1],
                         pow(x[0], 3.0) - tanh(x[1]) + x[2] * atan(x[0])};
  for (std::uint32_t k = 0; k < n_detection_kinds; ++k) f[k] = f[k] + x[3 + k];
  return f;
}

/// A smooth expression of t, x0, x1, x2 of at most the given depth.
inline Expr grammar_expression(std::mt19937_64& rng, const Expr& t, const std::vector<Expr>& x,
                               int depth) {
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng); };
  const auto sub = [&] { return grammar_expression(rng, t, x, depth - 1); };
  if (depth == 0 || pick(10) == 0) {
    const int leaf = pick(5);
    if (leaf == 4) return t;
    return std::uniform_real_distribution<double>(-2, 2)(rng) *
           x[static_cast<std::size_t>(leaf % 3)];
  }
  switch (pick(14)) {
    case 0:
    case 1:
      return sub() + sub();
    case 2:
      return sub() - sub();
    case 3:
    case 4:
      return sub() * sub();
    case 5:
      return sub() / (1.0 + sqr(sub()));
    case 6:
      return sin(3.0 * sub());
    case 7:
      return cos(sub()) - 0.6;
    case 8:
      return exp(sin(sub())) - 1.0;
    case 9:
      return sqr(sub()) - 0.1;
    case 10:
      return sqrt(0.1 + sqr(sub())) - 0.4;
    case 11:
      return log(0.3 + sqr(sub()));
    case 12:
      return tanh(sub());
    default:
      return atan(2.0 * sub());
  }
}

/// One function along one step, in the arithmetic of choice.
class ExactFunction {
 public:
  ExactFunction(test::ExpressionSwitching& functions, std::uint32_t which)
      : functions_(functions), which_(which), quad_(functions.single(which)) {}

  double plain(const StepPolynomial& step, double s) {
    x_.resize(step.n);
    const double t = step.t_left + s * (step.t_right - step.t_left);
    for (std::uint32_t i = 0; i < step.n; ++i) {
      double sum = step.coefficient(step.degree, i);
      for (int k = step.degree - 1; k >= 0; --k) sum = sum * s + step.coefficient(k, i);
      x_[i] = sum;
    }
    double g = 0.0;
    if (!functions_.evaluate_one(which_, t, x_, x_, g)) return std::nan("");
    return g;
  }
  /// At a position, in quad precision throughout.
  Quad exact(const StepPolynomial& step, Quad s) {
    quad_.input(0)[0] = Quad(step.t_left) + s * (Quad(step.t_right) - Quad(step.t_left));
    for (std::uint32_t i = 0; i < step.n; ++i) {
      Quad sum = step.coefficient(step.degree, i);
      for (int k = step.degree - 1; k >= 0; --k) sum = sum * s + Quad(step.coefficient(k, i));
      quad_.input(1)[i] = sum;
    }
    quad_.run();
    return quad_.outputs()[0];
  }
  /// The position of a time, likewise.
  static Quad position_of(const StepPolynomial& step, double t) {
    return (Quad(t) - Quad(step.t_left)) / (Quad(step.t_right) - Quad(step.t_left));
  }
  /// What evaluation in double at a position can be off: the width of its enclosure.
  double noise(const StepPolynomial& step, double s) {
    Interval g;
    functions_.series(which_, step, Interval(s), 0, std::span(&g, 1));
    return g.width();
  }

 private:
  test::ExpressionSwitching& functions_;
  std::uint32_t which_;
  Evaluator<Quad> quad_;
  std::vector<double> x_;
};

/// An interior minimum of side * g.
struct LowestPoint {
  double s = 0.0;
  double value = 0.0;
  double curvature = 0.0;  // half of it: side * g = value + curvature (s - s0)^2
};

inline std::optional<LowestPoint> find_minimum(ExactFunction& g, const StepPolynomial& step,
                                               double side, double from, double to) {
  const double golden = 0.5 * (3.0 - std::sqrt(5.0));
  double a = from, b = to;
  double u = a + golden * (b - a), v = b - golden * (b - a);
  double gu = side * g.plain(step, u), gv = side * g.plain(step, v);
  while (b - a > 1e-6) {
    if (gu < gv) {
      b = v, v = u, gv = gu;
      u = a + golden * (b - a);
      gu = side * g.plain(step, u);
    } else {
      a = u, u = v, gu = gv;
      v = b - golden * (b - a);
      gv = side * g.plain(step, v);
    }
  }
  // A parabola in quad precision; its error is of fourth order in the spacing.
  const double middle = 0.5 * (a + b), spacing = 1e-5;
  if (middle - spacing < 0.02 || middle + spacing > 0.98) return std::nullopt;
  const Quad m(middle), d(spacing), q(side);
  const Quad left = q * g.exact(step, m - d), centre = q * g.exact(step, m),
             right = q * g.exact(step, m + d);
  const Quad second = (left - Quad(2.0) * centre + right) / (Quad(2.0) * d * d);
  const Quad first = (right - left) / (Quad(2.0) * d);
  if (!(second > Quad(1e-3))) return std::nullopt;
  const Quad shift = -first / (Quad(2.0) * second);
  if (saltus::abs(shift) > Quad(1e-4)) return std::nullopt;
  return LowestPoint{static_cast<double>(m + shift),
                     static_cast<double>(centre - second * shift * shift),
                     static_cast<double>(second)};
}

/// Of a few dozen samples the lowest one inside; its neighbourhood is searched.
inline std::optional<LowestPoint> lowest_inside(ExactFunction& g, const StepPolynomial& step,
                                                double side) {
  constexpr int n = 32;
  int best = 0;
  double lowest = 0.0;
  for (int i = 0; i <= n; ++i) {
    const double value = side * g.plain(step, static_cast<double>(i) / n);
    if (i == 0 || value < lowest) best = i, lowest = value;
  }
  if (best == 0 || best == n) return std::nullopt;
  return find_minimum(g, step, side, (best - 1.0) / n, (best + 1.0) / n);
}

}  // namespace saltus::problems
