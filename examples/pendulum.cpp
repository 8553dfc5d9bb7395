// A pendulum in Cartesian coordinates: the force in the rod is only told by the length it keeps.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("pendulum");
  Expr x = m.state("x", 1.0, {.derivative_start = 0.0});
  Expr y = m.state("y", 0.0, {.derivative_start = 0.0});
  Expr force = m.algebraic("force");
  m.equation(der(der(x)) == -force * x);
  m.equation(der(der(y)) == -force * y - 9.81);
  m.equation("rod", x * x + y * y == 1.0);
  m.output("energy", 0.5 * (der(x) * der(x) + der(y) * der(y)) + 9.81 * y);
  // [model]

  // [run]
  const Solution solution = simulate(m, {.t_end = 10.0, .rtol = 1e-8, .atol = 1e-8});
  double longest = 0.0, drift = 0.0;
  for (std::uint32_t r = 0; r < solution.trajectory.n_rows(); ++r) {
    const auto row = solution.trajectory.row(r);  // x, y, force, energy
    longest = std::max(longest, std::abs(row[0] * row[0] + row[1] * row[1] - 1.0));
    drift = std::max(drift, std::abs(row[3]));
  }
  std::printf("x(10) = %.5f, y(10) = %.5f\n", solution.final("x"), solution.final("y"));
  std::printf("the rod keeps its length to 1e-12: %s\n", longest < 1e-12 ? "yes" : "no");
  std::printf("energy is kept to 1e-4: %s\n", drift < 1e-4 ? "yes" : "no");
  for (const DecisionRecord& d : solution.report.choices) {
    if (d.name == "characteristic values") std::printf("%s %s\n", d.name.c_str(), d.used.c_str());
  }
  // [run]
  return solution.ok() ? 0 : 1;
}
