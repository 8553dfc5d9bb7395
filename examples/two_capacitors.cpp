// Two charged capacitors are connected: a pulse of current makes their voltages equal. Nothing says how much
// flows; the equations of the new mode do, because charge cannot be lost.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("two capacitors");
  Expr v1 = m.state("v1", 10.0, {.unit = "V"}), v2 = m.state("v2", 2.0, {.unit = "V"});
  Expr i = m.algebraic("i", {.unit = "A"});  // from the first to the second
  m.equation(1.0 * der(v1) == -i);           // 1 F
  m.equation(3.0 * der(v2) == i);            // 3 F
  m.output("charge", 1.0 * v1 + 3.0 * v2, "C");
  const ModeId open = m.mode("open"), closed = m.mode("closed");
  m.equation(open, i == 0.0);
  m.equation(closed, v1 == v2);
  m.transition("close", open, closed, m.time() >= 1.0, {.conserved = {"charge"}});
  // [model]

  // [run]
  const Solution s = simulate(m, {.t_end = 2.0});
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  for (const EventInstant& e : s.instants()) {
    std::printf("t = %g: %s -> %s\n", e.t, e.mode_before.c_str(), e.mode_after.c_str());
    for (const Jump& j : e.jumps) {
      std::printf("  %s: %g -> %g\n", j.variable.c_str(), j.before, j.after);
    }
    for (const ImpulseRecord& p : e.impulses) {
      std::printf("  pulse of %s: %g %s s\n", p.variable.c_str(), p.strength, p.unit.c_str());
    }
    for (const ConservedRecord& q : e.conserved) {
      std::printf("  %s: %g -> %g\n", q.name.c_str(), q.before, q.after);
    }
  }
  // [run]
  return 0;
}
