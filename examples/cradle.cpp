// Newton's cradle: five balls in a row with gaps of a millionth of their diameter, and the same with a last pair that
// does not bounce (wax between them), so that it goes on together. Balls that touch are named.
#include "two_forms.hpp"

using namespace saltus;

namespace {

// [model]
void with_blocks(Model& m, double gap, double last_restitution) {
  std::vector<Expr> x, v, force;
  for (int i = 0; i < 5; ++i) {
    const std::string ball = std::to_string(i + 1);
    x.push_back(m.state("x" + ball, i == 0 ? -0.5 : i * (1.0 + gap)));
    v.push_back(m.state("v" + ball, i == 0 ? 1.0 : 0.0));
    if (i == 0) continue;
    const double restitution = i < 4 ? 1.0 : last_restitution;
    const std::string name = std::to_string(i) + "-" + ball;
    force.push_back(m.unilateral(name, x[i] - x[i - 1] - 1.0, {.restitution = restitution}));
  }
  for (int i = 0; i < 5; ++i) {
    m.equation(der(x[i]) == v[i]);
    m.equation(der(v[i]) == (i > 0 ? force[i - 1] : 0.0) - (i < 4 ? force[i] : 0.0));
  }
}
// [model]

// [modes]
// A pair that bounces is never closed: a when-clause does. One that does not bounce has two modes.
void by_hand(Model& m, double gap) {
  std::vector<Expr> x, v;
  Expr force = m.algebraic("force");
  for (int i = 0; i < 5; ++i) {
    const std::string ball = std::to_string(i + 1);
    x.push_back(m.state("x" + ball, i == 0 ? -0.5 : i * (1.0 + gap)));
    v.push_back(m.state("v" + ball, i == 0 ? 1.0 : 0.0));
    m.equation(der(x[i]) == v[i]);
    m.equation(der(v[i]) == (i == 3 ? -force : i == 4 ? force : 0.0));
    if (i == 0 || i == 4) continue;
    m.when("hits " + ball, x[i] - x[i - 1] < 1.0, {{v[i - 1], pre(v[i])}, {v[i], pre(v[i - 1])}});
  }
  const ModeId apart = m.mode("apart"), together = m.mode("together");
  m.equation(apart, force == 0.0);
  m.equation(together, x[4] - x[3] == 1.0);
  m.transition("4-5 touches", apart, together, x[4] - x[3] < 1.0);
  m.transition("4-5 separates", together, apart, force < 0.0);
}
// [modes]

// [clauses]
void elastic_by_hand(Model& m, double gap) {
  std::vector<Expr> x, v;
  for (int i = 0; i < 5; ++i) {
    const std::string ball = std::to_string(i + 1);
    x.push_back(m.state("x" + ball, i == 0 ? -0.5 : i * (1.0 + gap)));
    v.push_back(m.state("v" + ball, i == 0 ? 1.0 : 0.0));
    m.equation(der(x[i]) == v[i]);
    m.equation(der(v[i]) == 0.0);
    if (i == 0) continue;
    m.when("hits " + ball, x[i] - x[i - 1] < 1.0, {{v[i - 1], pre(v[i])}, {v[i], pre(v[i - 1])}});
  }
}
// [clauses]

void print(const Solution& s) {
  for (const Event& e : s.events())
    if (e.kind == EventKind::state) std::printf("%.6f %s\n", e.t, e.name.c_str());
  if (!s.ok()) return;
  for (int i = 1; i <= 5; ++i) std::printf("v%d = %g ", i, s.final("v" + std::to_string(i)));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  constexpr double gap = 1e-6;
  const Solution elastic = two_forms::run(
      "elastic cradle", [](Model& m) { with_blocks(m, gap, 1.0); }, 1.0);
  print(elastic);
  const Solution waxed = two_forms::run(
      "waxed cradle", [](Model& m) { with_blocks(m, gap, 0.0); }, 1.0);
  print(waxed);
  Model touching("touching balls");
  with_blocks(touching, 0.0, 1.0);
  const Solution refused = simulate(touching, {.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8});
  std::printf("%s\n", refused.report.message.c_str());

  const Solution elastic_hand = two_forms::run(
      "elastic, clauses", [](Model& m) { elastic_by_hand(m, gap); }, 1.0);
  const Solution waxed_hand = two_forms::run(
      "waxed, modes", [](Model& m) { by_hand(m, gap); }, 1.0);
  std::vector<two_forms::Column> columns;
  for (const char* what : {"x1", "x2", "x3", "x4", "x5", "v1", "v2", "v3", "v4", "v5"})
    columns.push_back({what});
  bool same = two_forms::agree("elastic", two_forms::apart(elastic, elastic_hand, columns, 1.0));
  same = two_forms::agree("waxed", two_forms::apart(waxed, waxed_hand, columns, 1.0)) && same;
  return two_forms::write_files(argc, argv, {&elastic, &waxed}) && same && !refused.ok() ? 0 : 1;
}
