// Newton's cradle: five balls in a row with gaps of a millionth of their diameter, then touching.
#include <cstdio>
#include <string>
#include <vector>

#include <saltus/saltus.hpp>

using namespace saltus;

// [model]
void write_cradle(Model& m, double gap) {
  std::vector<Expr> x, v, force;
  for (int i = 0; i < 5; ++i) {
    const std::string ball = std::to_string(i + 1);
    x.push_back(m.state("x" + ball, i == 0 ? -0.5 : i * (1.0 + gap)));
    v.push_back(m.state("v" + ball, i == 0 ? 1.0 : 0.0));
    if (i == 0) continue;
    const std::string name = std::to_string(i) + "-" + ball;
    force.push_back(m.unilateral(name, x[i] - x[i - 1] - 1.0, {.restitution = 1.0}));
  }
  for (int i = 0; i < 5; ++i) {
    m.equation(der(x[i]) == v[i]);
    m.equation(der(v[i]) == (i > 0 ? force[i - 1] : 0.0) - (i < 4 ? force[i] : 0.0));
  }
}
// [model]

int main() {
  for (const double gap : {1e-6, 0.0}) {
    Model m("cradle");
    write_cradle(m, gap);
    const Solution s = simulate(m, {.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8});
    for (const Event& e : s.events())
      if (e.kind == EventKind::state) std::printf("%.6f %s\n", e.t, e.name.c_str());
    if (s.ok()) {
      for (int i = 1; i <= 5; ++i) std::printf("v%d = %g ", i, s.final("v" + std::to_string(i)));
      std::printf("\n");
    } else {
      std::printf("%s\n", s.report.message.c_str());
    }
  }
  return 0;
}
