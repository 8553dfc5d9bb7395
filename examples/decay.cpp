// Exponential decay: the shortest way from a model to its solution.
#include <cmath>
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("decay");
  Expr x = m.state("x", 1.0, {.unit = "mol"});
  Expr k = m.parameter("k", 2.0, {.unit = "1/s"});
  m.equation(der(x) == -k * x);
  m.output("rate", k * x, "mol/s");
  // [model]

  // [simulate]
  const Solution solution = simulate(m, {.t_end = 1.0, .rtol = 1e-8, .atol = 1e-8});
  if (!solution.ok()) {
    std::printf("%s\n", solution.report.message.c_str());
    return 1;
  }
  for (double t : {0.0, 0.25, 0.5, 1.0}) {
    std::printf("t = %.2f   x = %.7f   rate = %.7f\n", t, solution.at("x", t),
                solution.at("rate", t));
  }
  // [simulate]

  // [error]
  const double error = solution.final("x") - std::exp(-2.0);
  std::printf("%s, error within 10 tolerances: %s\n",
              std::string(name(solution.report.outcome)).c_str(),
              std::abs(error) < 10 * 1e-8 ? "yes" : "no");
  // [error]
  return std::abs(error) < 10 * 1e-8 ? 0 : 1;
}
