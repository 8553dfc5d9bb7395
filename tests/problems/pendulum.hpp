// A point mass on a massless rod in Cartesian coordinates, released from rest at the horizontal: index 3.
#pragma once

#include "problems/mechanism.hpp"

namespace saltus::problems {

inline void write_pendulum(Model& m) {
  const double g = 9.81;
  Expr x = m.state("x", 1.0), y = m.state("y", 0.0), u = m.state("u", 0.0), v = m.state("v", 0.0);
  Expr lambda = m.algebraic("lambda");
  m.equation("x", der(x) == u);
  m.equation("y", der(y) == v);
  m.equation("u", der(u) == -lambda * x);
  m.equation("v", der(v) == -lambda * y - g);
  m.equation("rod", x * x + y * y == 1.0);
  // Derivatives of the rod's equation along the motion, halved. At the bottom u^2 = 2 g.
  m.output("rod, position", x * x + y * y - 1.0);
  write_velocity_outputs(m, "rod", x * u + y * v, u * u + v * v - lambda * (x * x + y * y) - g * y,
                         {1.0, 1.6, 3 * g});
  m.invariant("energy", 0.5 * (u * u + v * v) + g * y, "J");
}

inline Mechanism pendulum() {
  return {"pendulum",
          &write_pendulum,
          10.0,
          {{"x", 0.2750874625761168600543914493},
           {"y", -0.9614192050991250642651350686},
           {"u", -4.175598100951728836460519506},
           {"v", -1.194749054560475271647512762},
           {"lambda", 28.29456720606725064132292507}},
          "pendulum_index3.json"};
}

}  // namespace saltus::problems
