// Runs whose results have everything that a file must keep.
#pragma once

#include <saltus/saltus.hpp>

namespace saltus::test {

/// A body on a belt: it sticks and slips, with derivatives of solution and event times.
inline Solution belt_run(const RunOptions& given = {}) {
  Model m("belt");
  Expr x = m.state("x", 1.0, {.unit = "m", .description = "position of the body"});
  Expr v = m.state("v", 0.5, {.unit = "m/s", .description = "its velocity"});
  Expr k = m.parameter("k", 3.0), belt = m.parameter("belt", 0.2);
  m.equation(der(x) == v);
  m.equation(der(v) == -k * x - sign(v - belt) / (1.0 + 3.0 * abs(v - belt)));
  RunOptions options = given;
  options.t_end = 12.0;
  options.sensitivities = {"k", "belt"};
  return simulate(m, options);
}

/// A rope that is cut and catches again: three modes, and a force that one of them does not have.
inline Solution rope_run(const RunOptions& given = {}) {
  Model m("rope");
  Expr x = m.state("x", 1.0, {.derivative_start = 0.0, .unit = "m"});
  Expr y = m.state("y", 0.0, {.derivative_start = 0.0, .unit = "m"});
  Expr force = m.algebraic("force \xc3\xa4", {.unit = "1/s2", .description = "per mass, length"});
  Expr speed2 = der(x) * der(x) + der(y) * der(y);
  const ModeId rope = m.mode("rope"), flight = m.mode("flight"), caught = m.mode("caught, again");
  for (const ModeId taut : {rope, caught}) {
    m.equation(taut, der(der(x)) == -force * x);
    m.equation(taut, der(der(y)) == -force * y - 9.81);
  }
  m.equation(rope, x * x + y * y == 1.0);
  m.equation(caught, x * x + y * y == 4.0);
  m.equation(flight, der(der(x)) == 0.0);
  m.equation(flight, der(der(y)) == -9.81);
  m.transition("cut", rope, flight, speed2 > 9.81);
  m.transition("catch", flight, caught, x * x + y * y > 4.0);
  RunOptions options = given;
  options.t_end = 3.0;
  return simulate(m, options);
}

}  // namespace saltus::test
