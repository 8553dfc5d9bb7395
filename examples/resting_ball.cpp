// A ball bounces ever faster until it lies still: from there on its height is a constraint. Then the floor
// falls away, faster than the ball can, and the force of contact would have to pull: the ball is free again.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("resting ball");
  Expr h = m.state("h", 1.0, {.derivative_start = 0.0, .unit = "m"});
  Expr contact = m.algebraic("contact", {.unit = "N/kg"});
  Expr since = m.time() - 2.0;
  const Cond falling = m.time() > 2.0;
  Expr floor = where(falling, -10.0 * since * since, 0.0);
  const ModeId flies = m.mode("flies"), rests = m.mode("rests");
  m.equation(flies, der(der(h)) == -9.81);
  m.equation(rests, der(der(h)) == contact - 9.81);
  m.equation(rests, h == floor);
  const Cond touches = m.named("touches", h < floor);
  m.when("bounce", touches, {{der(h), -0.5 * der(h)}});
  m.transition("comes to rest", flies, rests, touches, {.at_accumulation = true});
  m.transition("loses the floor", rests, flies, contact < 0.0);
  // [model]

  // [run]
  const Solution s = simulate(m, {.t_end = 2.5, .rtol = 1e-8, .atol = 1e-8});
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  for (const EventInstant& e : s.instants()) {
    if (e.mode_before == e.mode_after) continue;
    std::printf("t = %.5f: %s -> %s\n", e.t, e.mode_before.c_str(), e.mode_after.c_str());
  }
  std::printf("at rest the contact carries %.4f N/kg\n", s.at("contact", 1.7));
  std::printf("h(2.5) = %.6f m, above the floor %.6f m\n", s.final("h"),
              s.final("h") + 10.0 * 0.25);
  // [run]
  return 0;
}
