// A ball that bounces: the smallest model with an event.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [ball]
  using namespace saltus;
  Model m("ball");
  Expr h = m.state("h", 1.0), v = m.state("v", 0.0);
  m.equation(der(h) == v);
  m.equation(der(v) == -9.81);
  m.when("bounce", h < 0.0, {{v, -0.8 * pre(v)}});
  const Solution solution = simulate(m, {.t_end = 2.0});
  for (double t : solution.event_times("bounce")) std::printf("bounce at %.6f s\n", t);
  // [ball]
  return solution.ok() ? 0 : 1;
}
