// What can be said of a model before it runs, and near a point of it.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("pendulum");
  Expr x = m.state("x", 0.0, {.derivative_start = 0.0, .unit = "m"});
  Expr y = m.state("y", -1.0, {.derivative_start = 0.0, .unit = "m"});
  Expr force = m.algebraic("force");
  // A push from the side, with as many derivatives as an analysis may ask for.
  Expr push = m.input("push", callback([](double, int) { return 0.0; }, 8));
  m.equation("horizontal", der(der(x)) == -force * x + push);
  m.equation("vertical", der(der(y)) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  m.output("height", y);
  // [model]

  // [analyze]
  const ModelAnalysis analysis = analyze(m);
  std::printf("%s\n", to_text(analysis).c_str());
  // [analyze]

  // [linearize]
  const Result<Linearization> at_rest = linearize(m);
  if (!at_rest) {
    std::printf("%s\n", at_rest.failure().message.c_str());
    return 1;
  }
  std::printf("%s", to_text(*at_rest).c_str());
  // [linearize]

  // Everything in both reports is data, too: to_json(analysis), to_json(*at_rest), or the fields.
  const ModeAnalysis& mode = analysis.modes.front();
  return mode.values && mode.values->d == 2 && at_rest->pencil.modes.size() == 2 ? 0 : 1;
}
