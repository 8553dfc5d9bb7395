// When to switch: an oscillator can be pushed along one axis or along the other, not along both. Two switching times
// and the force are chosen for the smallest cost, and the conditions of optimal control hold where they should.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <saltus/saltus.hpp>

using namespace saltus;

namespace {

// [model]
/// E x' = A x + B u in each mode, with E = diag(1, e2) and B = (b1, b2).
struct Pushed {
  double e2, damping, b1, b2;
};
constexpr Pushed along_1{1.0, 0.0, 1.0, 0.0}, along_2{1.5, 0.2, 0.0, 1.0};
constexpr double final_weight = 2.0;

std::shared_ptr<const ModelDefinition> write() {
  Model m("two axes");
  const Expr x1 = m.state("x1", -2.0), x2 = m.state("x2", -0.4), u = m.algebraic("u");
  const Expr l1 = m.state("lambda1", 0.0), l2 = m.state("lambda2", 0.0);  // costates
  const Expr tau1 = m.parameter("tau1", 0.5), tau2 = m.parameter("tau2", 3.0);
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
  // E^T lambda is continuous.
  const double ratio = along_1.e2 / along_2.e2;
  m.transition("to 2", first, second, m.time() > tau1, {.maps = {{l2, ratio * l2}}});
  m.transition("to 1", second, third, m.time() > tau2, {.maps = {{l2, l2 / ratio}}});

  const Expr running = m.integral("running cost", 0.5 * (x1 * x1 + x2 * x2 + u * u));
  m.output("cost", running + 0.5 * final_weight * (x1 * x1 + x2 * x2));
  return m.build();
}
// [model]

RunOptions options() { return {.t_end = 4.0, .rtol = 1e-10, .atol = 1e-10}; }

// [gradient]
struct Plan {
  double tau1, tau2, lambda1, lambda2;
  std::shared_ptr<const ModelDefinition> applied() const {
    static const auto model = write();
    return with_values(
        model, {{"tau1", tau1}, {"tau2", tau2}, {"lambda1", lambda1}, {"lambda2", lambda2}});
  }
  Gradient cost() const {
    return gradient(applied(), "cost", {"tau1", "tau2", "lambda1", "lambda2"}, options());
  }
};

/// The best control for given times: the cost is quadratic in lambda(0), so that three gradients tell where it is
/// smallest.
Plan with_best_control(double tau1, double tau2) {
  const Gradient at_0 = Plan{tau1, tau2, 0, 0}.cost(), at_1 = Plan{tau1, tau2, 1, 0}.cost(),
                 at_2 = Plan{tau1, tau2, 0, 1}.cost();
  const double g1 = at_0.of("lambda1"), g2 = at_0.of("lambda2");
  const double h11 = at_1.of("lambda1") - g1, h12 = at_1.of("lambda2") - g2,
               h22 = at_2.of("lambda2") - g2, det = h11 * h22 - h12 * h12;
  return {tau1, tau2, (g2 * h12 - g1 * h22) / det, (g1 * h12 - g2 * h11) / det};
}
// [gradient]

/// Newton's method in both times, with differences of gradients.
Plan with_best_times(Plan now) {
  constexpr double move = 1e-4, errors = 1e-9;  // of differences, of costs
  for (int step = 0; step < 20; ++step) {
    const Gradient at = now.cost();
    const double g1 = at.of("tau1"), g2 = at.of("tau2");
    if (std::hypot(g1, g2) < 1e-7) break;
    const Gradient up_1 = with_best_control(now.tau1 + move, now.tau2).cost();
    const Gradient up_2 = with_best_control(now.tau1, now.tau2 + move).cost();
    double h11 = (up_1.of("tau1") - g1) / move, h12 = (up_1.of("tau2") - g2) / move,
           h22 = (up_2.of("tau2") - g2) / move;
    if (!(h11 > 0) || !(h11 * h22 > h12 * h12)) h11 = h22 = 1.0, h12 = 0.0;  // not yet near
    const double det = h11 * h22 - h12 * h12;
    const double d1 = (g2 * h12 - g1 * h22) / det, d2 = (g1 * h12 - g2 * h11) / det;
    const Plan from = now;
    double part = std::min(1.0, 0.3 / std::hypot(d1, d2));
    do {
      now = with_best_control(from.tau1 + part * d1, from.tau2 + part * d2);
      part /= 2;  // if it was too far
    } while (now.cost().value > at.value + errors);
  }
  return now;
}

/// Twice the rate of the cost plus 2 lambda^T (A x + B u), at a limit of the solution (L. Wunderlich, Analysis and
/// Numerical Solution of Structured and Switched Differential-Algebraic Systems, TU Berlin 2008, Theorem 5.46).
double hamiltonian(const Solution& s, const Pushed& p, double t, Side side) {
  const double x1 = s.at("x1", t, side), x2 = s.at("x2", t, side), u = s.at("u", t, side);
  return x1 * x1 + x2 * x2 + u * u + 2 * s.at("lambda1", t, side) * (x2 + p.b1 * u) +
         2 * s.at("lambda2", t, side) * (-x1 - p.damping * x2 + p.b2 * u);
}

/// Without the sign of what is printed as zero.
double shown(double v) { return std::abs(v) < 5e-6 ? 0.0 : v; }

/// How far the conditions of optimal control are missed.
double show(const Plan& plan) {
  const Solution s = simulate(plan.applied(), options());
  const Gradient cost = plan.cost();
  const double t1 = s.event_times("to 2").at(0), t2 = s.event_times("to 1").at(0);
  const double jump_1 =
      hamiltonian(s, along_2, t1, Side::right) - hamiltonian(s, along_1, t1, Side::left);
  const double jump_2 =
      hamiltonian(s, along_1, t2, Side::right) - hamiltonian(s, along_2, t2, Side::left);
  const double end = std::max(std::abs(s.final("lambda1") - final_weight * s.final("x1")),
                              std::abs(s.final("lambda2") - final_weight * s.final("x2")));
  std::printf("switches at %.4f and %.4f: cost %.6f\n", plan.tau1, plan.tau2, cost.value);
  std::printf("  d cost / d tau = %.5f and %.5f, jumps of H / -2 = %.5f and %.5f\n",
              shown(cost.of("tau1")), shown(cost.of("tau2")), shown(-jump_1 / 2),
              shown(-jump_2 / 2));
  return std::max({std::abs(jump_1), std::abs(jump_2), end});
}

}  // namespace

int main() {
  const Plan first = with_best_control(0.5, 3.0);
  show(first);
  const double missed = show(with_best_times(first));
  std::printf("transversality: %s\n", missed < 1e-5 ? "holds to 1e-5" : "missed");
  return missed < 1e-5 ? 0 : 1;
}
