// Two carts with two degrees of freedom, then one, then none: they couple where they meet, and a latch stops
// both. In the last mode nothing is left to integrate; the forces still follow the push.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  using namespace saltus;
  Model m("latched sliders");
  Expr x1 = m.state("x1", 0.0, {.derivative_start = 1.0, .unit = "m"});
  Expr x2 = m.state("x2", 3.0, {.derivative_start = 0.0, .unit = "m"});
  Expr bar = m.algebraic("bar", {.unit = "N"}), latch = m.algebraic("latch", {.unit = "N"});
  Expr spring = 9.0 * (4.0 - x2);
  Expr push = 1.0 + 0.5 * sin(m.time());
  const ModeId two = m.mode("two"), one = m.mode("one"), none_left = m.mode("none");
  m.equation(two, 2.0 * der(der(x1)) == push);
  m.equation(two, der(der(x2)) == spring);
  m.equation(one, 2.0 * der(der(x1)) == push + bar);
  m.equation(one, der(der(x2)) == spring - bar);
  m.equation(one, x2 == x1 + 0.5);
  m.equation(none_left, 2.0 * der(der(x1)) == push + bar - latch);
  m.equation(none_left, der(der(x2)) == spring - bar);
  m.equation(none_left, x2 == x1 + 0.5);
  m.equation(none_left, x1 == 4.0);
  m.transition("couple", two, one, x2 - x1 < 0.5);
  m.transition("stop", one, none_left, x1 > 4.0);

  const Solution s = simulate(m, {.t_end = 5.0, .rtol = 1e-8, .atol = 1e-8});
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  for (const EventInstant& e : s.instants()) {
    std::printf("t = %.5f: from %s to %s\n", e.t, e.mode_before.c_str(), e.mode_after.c_str());
    for (const ImpulseRecord& i : e.impulses) {
      std::printf("  impulse of %s: %.4f %s s\n", i.variable.c_str(), i.strength, i.unit.c_str());
    }
  }
  std::printf("at the end x1 = %g, x2 = %g, force in the latch %.5f N\n", s.final("x1"),
              s.final("x2"), s.final("latch"));
  return 0;
}
