// A mass on a spring, taken along by a belt: it sticks until the spring is strong enough, slips back, sticks
// again. The model says what friction is while it slips; that it sticks, and how long, follows.
#include <cstdio>
#include <fstream>

#include <saltus/saltus.hpp>

int main(int argc, char** argv) {
  // [model]
  using namespace saltus;
  Model m("belt");
  Expr x = m.state("x", 0.0, {.unit = "m"}), v = m.state("v", 0.0, {.unit = "m/s"});
  Expr relative = v - m.parameter("v_belt", 0.2, {.unit = "m/s"});
  Expr friction = -sign(relative) / (1.0 + 3.0 * abs(relative));
  m.equation("position", der(x) == v);
  m.equation("speed", der(v) == -3.0 * x + friction);
  m.output("friction", friction, "N");
  // [model]

  // [run]
  const Solution s = simulate(m, {.t_end = 12.0,
                                  .rtol = 1e-8,
                                  .atol = 1e-8,
                                  .output = {.points = OutputPoints::grid, .interval = 0.02}});
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  for (const Event& e : s.events()) {
    if (e.kind == EventKind::enter_sliding) std::printf("%8.5f sticks\n", e.t);
    if (e.kind == EventKind::exit_sliding) std::printf("%8.5f slips\n", e.t);
  }
  // [run]

  // While it sticks, friction is whatever the spring asks for; 1 is the most it can give.
  if (argc > 1) {
    std::ofstream file(argv[1]);
    if (!write_csv(s.trajectory, file)) return 1;
  }
  return 0;
}
