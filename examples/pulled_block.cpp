// A block on the floor, pulled by a spring whose other end moves steadily. It rests until the spring is stronger than
// static friction, slips while only kinetic friction brakes it, and rests again.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  using namespace saltus;
  // [model]
  Model m("pulled block");
  Expr x = m.state("x", 0.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  const double mass = 1.0, stiffness = 4.0, speed = 0.5, weight = 9.81 * mass;
  Expr friction = m.friction("pad", v, weight, {.mu_kinetic = 0.3, .mu_static = 0.4});
  m.equation(der(x) == v);
  m.equation(mass * der(v) == stiffness * (speed * m.time() - x) + friction);
  m.output("friction", friction, "N");
  // [model]

  const Solution s = simulate(m, {.t_end = 10.0, .rtol = 1e-8, .atol = 1e-8});
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  for (const Event& e : s.events()) {
    if (e.kind == EventKind::enter_sliding) std::printf("%8.5f sticks\n", e.t);
    if (e.kind == EventKind::exit_sliding) std::printf("%8.5f slips\n", e.t);
  }
  return 0;
}
