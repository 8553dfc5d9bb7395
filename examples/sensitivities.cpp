// How the end of a motion with stick and slip depends on stiffness, friction and the speed of the belt: derivatives
// through seven events, beside differences of whole runs.
#include <cstdio>

#include <saltus/saltus.hpp>

using namespace saltus;

namespace {

// [model]
void write(Model& m, double stiffness) {
  Expr x = m.state("x", 1.0, {.unit = "m"}), v = m.state("v", 0.5, {.unit = "m/s"});
  Expr k = m.parameter("k", stiffness), Fs = m.parameter("Fs", 1.0),
       belt = m.parameter("belt", 0.2);
  m.equation(der(x) == v);
  m.equation(der(v) == -k * x - Fs * sign(v - belt) / (1.0 + 3.0 * abs(v - belt)));
}
// [model]

}  // namespace

int main() {
  // [run]
  Model m("belt");
  write(m, 3.0);
  RunOptions options{.t_end = 12.0, .rtol = 1e-9, .atol = 1e-9};
  options.sensitivities = {"k", "Fs", "belt", "x"};  // a state: its start value
  const Solution s = simulate(m, options);
  // [run]
  if (!s.ok()) return 1;
  // [read]
  if (const auto& ends = s.sensitivities.ends())  // else they are known to the end of the run
    std::printf("none beyond %g s: %s\n", ends->t, ends->why.c_str());
  for (const EventTimeDerivative& e : s.sensitivities.event_times())
    std::printf("%9.5f s moves by %8.4f s per N/m: %s\n", e.t, e.derivatives[0],
                e.relation.c_str());
  for (const std::string& p : s.sensitivities.parameters())
    std::printf("d x(12) / d %-4s = %9.6f\n", p.c_str(), s.sensitivity("x", p, 12.0, Side::left));
  // [read]

  double x_end[2];
  for (int i = 0; i < 2; ++i) {
    Model other("belt");
    write(other, i == 0 ? 3.0 - 1e-4 : 3.0 + 1e-4);
    x_end[i] = simulate(other, {.t_end = 12.0, .rtol = 1e-11, .atol = 1e-11}).final("x");
  }
  std::printf("by differences of two runs, d x(12) / d k = %.5f\n", (x_end[1] - x_end[0]) / 2e-4);

  // [refused]
  Model touching("stop");  // reached with no speed left
  const Expr x = touching.state("x", 0.0), v = touching.state("v", 1.0);
  touching.equation(der(x) == v);
  touching.equation(der(v) == -x);
  touching.when("stop", x > 1.0, {{v, -0.5 * pre(v)}});
  const Gradient g = gradient(touching, "x", {"v"}, {.t_end = 3.0, .rtol = 1e-8, .atol = 1e-8});
  if (g.ok())
    std::printf("d x(3) / d v = %.5f\n", g.of("v"));
  else
    std::printf("none at %.3f s: %s\n", g.refused->t, g.refused->why.c_str());
  // [refused]
  return 0;
}
