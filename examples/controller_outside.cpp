// A controller outside of the model: it looks at the speed every 0.1 s and sets the force. The run is saved on the way, and
// another one goes on from there.
#include <cmath>
#include <cstdio>
#include <string>

#include <saltus/saltus.hpp>

// [program]
using namespace saltus;

void write_car(Model& m) {
  const Expr v = m.state("v", 0.0, {.unit = "m/s"}), force = m.outside_input("force", 0.0);
  m.equation(1000.0 * der(v) == force - 0.5 * v * abs(v));
}

/// Controls until t_end; returns the speed there.
double control(Run& run, double t_end) {
  constexpr double wanted = 20.0, gain = 800.0, period = 0.1;
  while (run.t() < t_end && run.advance_to(run.t() + period))
    run.set_input("force", gain * (wanted - run.value("v")));
  return run.value("v");
}

int main() {
  Model m("car");
  write_car(m);
  const RunOptions options{.t_end = 20.0};
  Run run = start_run(m, options);
  control(run, 5.0);
  const std::string saved = run.save();  // may be written to a file
  const double end = control(run, 15.0);

  Run other = start_run(m, options);
  other.restore(saved);
  const bool is_same = control(other, 15.0) == end;
  std::printf("speed at the end: %.3f m/s, the same from the saved run: %s\n", end,
              is_same ? "yes" : "no");
  return is_same ? 0 : 1;
}
// [program]
