// What can be said of modes and the transitions between them before anything runs.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("rope");
  Expr x = m.state("x", 0.6, {.derivative_start = 0.0, .unit = "m"});
  Expr y = m.state("y", -0.2, {.derivative_start = 0.0, .unit = "m"});
  Expr force = m.algebraic("force");
  m.equation("horizontal", der(der(x)) == -force * x);
  m.equation("vertical", der(der(y)) == -force * y - 9.81);
  const ModeId slack = m.mode("slack"), taut = m.mode("taut");
  m.equation(slack, "no force", force == 0.0);
  m.equation(taut, "length", x * x + y * y == 1.0);
  m.transition("catches", slack, taut, x * x + y * y >= 1.0);
  m.transition("goes slack", taut, slack, force < 0.0);
  // [model]

  // [analyze]
  const ModelAnalysis analysis = analyze(m);
  std::printf("%s\n", to_text(analysis).c_str());
  std::printf("%s", to_dot(analysis).c_str());  // for Graphviz: dot -Tsvg
  // [analyze]

  // The same as data: the velocities may jump, the positions may not.
  const TransitionAnalysis& catches = analysis.transitions.front();
  bool as_expected = catches.impulses_possible && catches.unique;
  for (const UnknownChange& u : catches.unknowns)
    if (u.name == "x" || u.name == "der(x)")
      as_expected = as_expected && u.can_jump == (u.name == "der(x)");
  return as_expected ? 0 : 1;
}
