// A rectifier as a differential-algebraic model: a measured voltage drives a capacitor and its load
// through a resistor and a diode.
#include <cmath>
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  using namespace saltus;

  // [input]
  // A table as it comes from an instrument; "linear" draws straight lines. The solver steps exactly
  // to every corner.
  const char* measured =
      "time,voltage\n"
      "0,0\n0.002,5\n0.006,5\n0.01,-5\n0.014,-5\n0.018,5\n0.02,5\n";
  Model m("rectifier");
  Expr source =
      m.input("source", table_from_csv(measured, "time", "voltage", Interpolation::linear));
  // [input]

  // [equations]
  Expr v = m.state("v", 0.0, {.unit = "V", .description = "capacitor"});
  Expr u = m.algebraic("u", {.unit = "V", .description = "across the diode"});
  Expr R = m.parameter("R", 100.0), load = m.parameter("load", 1e4);
  Expr C = m.parameter("C", 10e-6);
  Expr I_s = m.parameter("I_s", 1e-9), V_T = m.parameter("V_T", 0.05);

  Expr i = I_s * (exp(u / V_T) - 1.0);  // an expression, not an unknown
  m.equation("capacitor", C * der(v) == i - v / load);
  m.equation("loop", source == R * i + u + v);
  m.output("i", i, "A");
  // [equations]

  // [simulate]
  RunOptions options{.t_end = 0.02, .rtol = 1e-7, .atol = 1e-9};
  options.output.points = OutputPoints::grid;
  options.output.interval = 0.004;
  options.output.variables = {"v", "u", "i"};
  const Solution solution = simulate(m, options);
  std::printf("%s", to_csv(solution).c_str());
  // [simulate]

  if (!solution.ok()) std::printf("%s\n", solution.report.message.c_str());
  std::printf("%zu smooth stretches, v ends at %.4f V\n", solution.trajectory.segments().size(),
              solution.final("v"));
  return solution.ok() ? 0 : 1;
}
