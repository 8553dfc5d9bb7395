// A linear-quadratic problem with two modes: an oscillator that can be pushed along one axis or along the other. The
// first switch is at a time that is free, or where x1 passes a surface; the second one at a free time.
//
// Costates are integrated with the states, and their start values, the free times and the multiplier eta of the
// surface are what the cost is made smallest with. Where it is, conditions (5.57b) to (5.57e) of L. Wunderlich,
// Analysis and Numerical Solution of Structured and Switched Differential-Algebraic Systems, TU Berlin 2008, hold.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <saltus/model.hpp>
#include <saltus/numerics/least_squares.hpp>
#include <saltus/simulate.hpp>

namespace saltus::problems {

class SwitchedLq {
 public:
  using Choice = std::array<double, 4>;  // tau1 or eta, tau2, lambda1(0), lambda2(0)

  static SwitchedLq at_times() { return SwitchedLq(false, 0.0); }
  static SwitchedLq at_surface(double x1) { return SwitchedLq(true, x1); }

  std::vector<std::string> names() const {
    return {by_surface_ ? "eta" : "tau1", "tau2", "lambda1", "lambda2"};
  }
  std::shared_ptr<const ModelDefinition> model(const Choice& c) const {
    std::vector<Named<double>> values;
    for (std::size_t i = 0; i < 4; ++i) values.push_back({names()[i], c[i]});
    return with_values(model_, values);
  }
  static RunOptions options() {
    return {.t_end = t_end, .rtol = 1e-10, .atol = 1e-10, .engine = EngineKind::radau};
  }
  Gradient cost(const Choice& c) const { return gradient(model(c), "cost", names(), options()); }

  /// Newton's method for a gradient of zero, with differences of gradients; it begins nearby.
  Choice optimum(Choice c) const {
    for (int step = 0; step < 20; ++step) {
      const std::vector<double> g = gradient_at(c);
      if (largest(g) < 1e-7) break;
      Matrix h(4, 4);
      std::vector<double> minus_g;
      for (std::size_t j = 0; j < 4; ++j) {
        constexpr double move = 1e-5;
        Choice moved = c;
        moved[j] += move;
        const std::vector<double> there = gradient_at(moved);
        for (std::size_t i = 0; i < 4; ++i) h(i, j) = (there[i] - g[i]) / move;
        minus_g.push_back(-g[j]);
      }
      const std::vector<double> d = solve_least_squares(h, minus_g).x;
      const Choice from = c;
      for (double part = 1.0; part > 1e-3 && c == from; part /= 2) {
        Choice next = c;
        for (std::size_t i = 0; i < 4; ++i) next[i] += part * d[i];
        if (largest(gradient_at(next)) < largest(g)) c = next;
      }
      if (c == from) break;  // as far as rounding lets it
    }
    return c;
  }

  /// By how much the conditions are missed.
  struct Conditions {
    double end = 0.0;  // (b): E^T lambda = M x
    double costate =
        0.0;  // (c): E^T lambda before the first switch is what the rest costs, per x, through it
    double jump = 0.0;  // (d): E^T lambda after a switch, that before it, less g_x^T eta / 2
    double hamiltonian =
        0.0;  // (e): H after a switch, that before it, plus g_t^T eta, where eta of a free time is 0
    double worst() const { return std::max({end, costate, jump, hamiltonian}); }
  };
  Conditions conditions(const Choice& c) const {
    const auto made = model(c);
    const Solution s = simulate(made, options());
    const double times[] = {s.event_times("to 2").at(0), s.event_times("to 1").at(0)};
    Conditions missed;
    missed.end = std::max(std::abs(s.final("lambda1") - weight * s.final("x1")),
                          std::abs(along_1.e2 * s.final("lambda2") - weight * s.final("x2")));
    for (int k = 0; k < 2; ++k) {
      const Pushed &before = k == 0 ? along_1 : along_2, &after = k == 0 ? along_2 : along_1;
      const double t = times[k], eta = k == 0 && by_surface_ ? c[0] : 0.0;
      const auto left = [&](const char* name) { return s.at(name, t, Side::left); };
      const auto right = [&](const char* name) { return s.at(name, t, Side::right); };
      missed.jump = std::max({missed.jump, std::abs(right("lambda1") - left("lambda1") + 0.5 * eta),
                              std::abs(after.e2 * right("lambda2") - before.e2 * left("lambda2"))});
      missed.hamiltonian = std::max(
          missed.hamiltonian,
          std::abs(hamiltonian(s, after, t, Side::right) - hamiltonian(s, before, t, Side::left)));
    }
    missed.costate = missed_costate(made, s, 0.5 * times[0]);
    return missed;
  }

 private:
  struct Pushed {
    double e2, damping, b1, b2;  // E = diag(1, e2)
  };
  static constexpr Pushed along_1{1.0, 0.0, 1.0, 0.0}, along_2{1.5, 0.2, 0.0, 1.0};
  static constexpr double weight = 2.0, t_end = 4.0;

  SwitchedLq(bool by_surface, double surface) : by_surface_(by_surface) {
    Model m("two axes");
    const Expr x1 = m.state("x1", -2.0), x2 = m.state("x2", -0.4), u = m.algebraic("u");
    const Expr l1 = m.state("lambda1", 0.0), l2 = m.state("lambda2", 0.0);
    const Expr first_one = m.parameter(by_surface ? "eta" : "tau1", 0.0);
    const Expr tau2 = m.parameter("tau2", 3.0);
    const auto stage = [&](const char* name, const Pushed& p) {
      const ModeId mode = m.mode(name);
      m.equation(mode, der(x1) == x2 + p.b1 * u);
      m.equation(mode, p.e2 * der(x2) == -x1 - p.damping * x2 + p.b2 * u);
      m.equation(mode, der(l1) == -x1 + l2);
      m.equation(mode, p.e2 * der(l2) == -x2 - l1 + p.damping * l2);
      m.equation(mode, u == -p.b1 * l1 - p.b2 * l2);
      return mode;
    };
    const ModeId first = stage("along 1", along_1), second = stage("along 2", along_2),
                 third = stage("along 1 again", along_1);
    const double ratio = along_1.e2 / along_2.e2;
    if (by_surface)
      m.transition("to 2", first, second, x1 > surface,
                   {.maps = {{l1, l1 - 0.5 * first_one}, {l2, ratio * l2}}});
    else
      m.transition("to 2", first, second, m.time() > first_one, {.maps = {{l2, ratio * l2}}});
    m.transition("to 1", second, third, m.time() > tau2, {.maps = {{l2, l2 / ratio}}});
    const Expr running = m.integral("running cost", 0.5 * (x1 * x1 + x2 * x2 + u * u));
    m.output("cost", running + 0.5 * weight * (x1 * x1 + x2 * x2));
    model_ = m.build();
  }

  static double largest(const std::vector<double>& values) {
    double size = 0.0;
    for (const double v : values) size = std::max(size, std::abs(v));
    return size;
  }
  std::vector<double> gradient_at(const Choice& c) const {
    std::vector<double> g;
    const Gradient found = cost(c);
    for (const std::string& name : names()) g.push_back(found.of(name));
    return g;
  }

  static double hamiltonian(const Solution& s, const Pushed& p, double t, Side side) {
    const double x1 = s.at("x1", t, side), x2 = s.at("x2", t, side), u = s.at("u", t, side);
    return x1 * x1 + x2 * x2 + u * u + 2 * s.at("lambda1", t, side) * (x2 + p.b1 * u) +
           2 * s.at("lambda2", t, side) * (-x1 - p.damping * x2 + p.b2 * u);
  }

  /// The control is the best one, so that what it changes by does not count: what the rest of the run costs more for
  /// another x is E^T lambda.
  static double missed_costate(const std::shared_ptr<const ModelDefinition>& made,
                               const Solution& s, double t) {
    std::vector<Named<double>> here;
    for (const char* name : {"x1", "x2", "lambda1", "lambda2"})
      here.push_back({name, s.at(name, t)});
    RunOptions rest = options();
    rest.t_begin = t;
    const Gradient g = gradient(with_values(made, here), "cost", {"x1", "x2"}, rest);
    return std::max(std::abs(g.of("x1") - s.at("lambda1", t)),
                    std::abs(g.of("x2") - along_1.e2 * s.at("lambda2", t)));
  }

  bool by_surface_;
  std::shared_ptr<const ModelDefinition> model_;
};

}  // namespace saltus::problems
