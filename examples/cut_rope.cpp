// A pendulum whose rope is cut where it is too fast: the mass flies, the force in the rope does not exist any
// more, until a longer rope catches it. What that takes away is not written anywhere: the rope pulls along
// itself, so only the radial part of the velocity is lost.
#include <cstdio>

#include <saltus/saltus.hpp>

int main() {
  // [model]
  using namespace saltus;
  Model m("cut rope");
  Expr x = m.state("x", 1.0, {.derivative_start = 0.0}),
       y = m.state("y", 0.0, {.derivative_start = 0.0});
  Expr force = m.algebraic("force");  // per mass and length
  Expr speed2 = der(x) * der(x) + der(y) * der(y);
  m.output("energy", 0.5 * speed2 + 9.81 * (y + 2.0), "J/kg");
  m.output("angular momentum", x * der(y) - y * der(x));

  const ModeId rope = m.mode("rope"), flight = m.mode("flight"), caught = m.mode("caught");
  for (const ModeId taut : {rope, caught}) {
    m.equation(taut, der(der(x)) == -force * x);
    m.equation(taut, der(der(y)) == -force * y - 9.81);
  }
  m.equation(rope, x * x + y * y == 1.0);
  m.equation(caught, x * x + y * y == 4.0);
  m.equation(flight, der(der(x)) == 0.0);
  m.equation(flight, der(der(y)) == -9.81);
  m.transition("cut", rope, flight, speed2 > 9.81, {.conserved = {"energy"}});
  m.transition("catch", flight, caught, x * x + y * y > 4.0, {.conserved = {"angular momentum"}});
  // [model]

  // [run]
  const Solution s = simulate(m, {.t_end = 3.0, .rtol = 1e-8, .atol = 1e-8});
  if (!s.ok()) {
    std::printf("%s\n", s.report.message.c_str());
    return 1;
  }
  for (const EventInstant& e : s.instants()) {
    std::printf("t = %.6f: %s -> %s, energy %.4f -> %.4f\n", e.t, e.mode_before.c_str(),
                e.mode_after.c_str(), s.at("energy", e.t, Side::left),
                s.at("energy", e.t, Side::right));
  }
  // A variable that does not exist is absent, not zero and not NaN.
  const auto in_flight = s.trajectory.at(s.trajectory.index_of("force"), 0.5);
  std::printf("force in flight: %s\n", in_flight ? "a number" : "does not exist");
  std::printf("x(3) = %.5f, y(3) = %.5f\n", s.final("x"), s.final("y"));
  // [run]
  return 0;
}
