// Equations of your own, without the modelling language: a capacitor that is charged through a lamp.
//
//   C u' = i                    the capacitor: voltage u, current i
//   10 V = R (1 + i^2) i + u    the loop: a lamp gets hot, its resistance grows with the current
//
// The second equation contains no derivative: together they are a differential-algebraic system.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  using namespace saltus;

  // [system]
  constexpr double C = 0.5, R = 20.0;
  SystemFunctions circuit{
      // u is where it starts; i is a guess, since it follows from the loop. The nominal value says
      // what is large and what is small for an unknown.
      .unknowns = {{.name = "u", .start = 0.0, .nominal = 10.0, .unit = "V"},
                   {.name = "i", .start = 0.4, .differential = false, .nominal = 0.1, .unit = "A"}},
      // Everything on one side; a solution makes f zero.
      .residual =
          [=](double, auto x, auto xdot, auto f) {
            f[0] = C * xdot[0] - x[1];
            f[1] = R * (1.0 + x[1] * x[1]) * x[1] + x[0] - 10.0;
          },
      .equations = {"capacitor", "loop"},
  };
  const auto system = make_system(circuit);
  // [system]

  // [evaluate]
  // A system is shared; each thread evaluates it in a workspace of its own.
  const auto workspace = system->workspace();
  const StartValues start = system->start_values();
  std::vector<double> f(system->size());
  if (!workspace->residual(0.0, start.x, start.xdot, f)) return 1;
  for (std::uint32_t k = 0; k < system->size(); ++k) {
    std::printf("residual of %s at the start: %.2f\n", system->equation_name(k).c_str(), f[k]);
  }
  // [evaluate]

  // [run]
  // It runs like a model: the current at the start is found, then both engines for such systems agree.
  for (const EngineKind engine : {EngineKind::radau, EngineKind::ida}) {
    const Solution solution = simulate(system, {.t_end = 20.0, .engine = engine});
    std::printf("%s: u = %.3f V, i = %.3f A after 20 s\n", std::string(name(engine)).c_str(),
                solution.final("u"), solution.final("i"));
  }
  // [run]

  // [check]
  // Does it keep what every engine relies on? An empty list is a yes.
  std::printf("findings: %zu\n", check_system(*system).size());

  // Derivatives of your own are faster than differences, but can be wrong: here the lamp was
  // forgotten. Values are stored column by column: (capacitor, u), (loop, u), (capacitor, i), ...
  circuit.jacobian = [=](double, auto, auto, auto df_dx, auto df_dxdot) {
    df_dx[1] = 1.0;
    df_dx[2] = -1.0;
    df_dx[3] = R;  // should be R (1 + 3 i^2)
    df_dxdot[0] = C;
  };
  for (const std::string& finding : check_system(*make_system(circuit))) {
    std::printf("%s\n", finding.c_str());
  }
  // [check]
  return 0;
}
