// A uniform rod hinged at one end, gravity along +x: a free rod in a plane and two constraints, index 3
// (Compere's dissertation, section 3.5).
#pragma once

#include <numbers>

#include "problems/mechanism.hpp"

namespace saltus::problems {

inline void write_compound_pendulum(Model& m) {
  const double mass = 36.0, length = 1.0, g = 9.81, arm = length / 2;
  const double inertia = mass * length * length / 12;
  const double angle = 20 * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  Expr x = m.state("xg", arm * c), vx = m.state("vxg", -arm * s);
  Expr y = m.state("yg", arm * s), vy = m.state("vyg", arm * c);
  Expr theta = m.state("theta", angle), omega = m.state("omega", 1.0);
  Expr rx = m.algebraic("Rx"), ry = m.algebraic("Ry");
  Expr px = arm * cos(theta), py = arm * sin(theta);
  m.equation("xg", der(x) == vx);
  m.equation("yg", der(y) == vy);
  m.equation("theta", der(theta) == omega);
  m.equation("vxg", mass * der(vx) == mass * g + rx);
  m.equation("vyg", mass * der(vy) == ry);
  m.equation("omega", inertia * der(omega) == py * rx - px * ry);
  m.equation("hinge x", x == px);
  m.equation("hinge y", y == py);
  // Derivatives along the motion; speeds reach 1 m/s, accelerations 10 m/s^2.
  const ConstraintSizes sizes{0.5, 1.0, 10.0};
  Expr turn = (py * rx - px * ry) / inertia;
  m.output("hinge x, position", (x - px) / sizes.position);
  write_velocity_outputs(m, "hinge x", vx + py * omega,
                         g + rx / mass + px * omega * omega + py * turn, sizes);
  m.output("hinge y, position", (y - py) / sizes.position);
  write_velocity_outputs(m, "hinge y", vy - px * omega, ry / mass + py * omega * omega - px * turn,
                         sizes);
  m.invariant("energy", 0.5 * (mass * (vx * vx + vy * vy) + inertia * omega * omega) - mass * g * x,
              "J");
}

inline Mechanism compound_pendulum() {
  return {"compound pendulum",
          &write_compound_pendulum,
          5.0,
          {{"xg", 0.4654560351326796188572483848},
           {"vxg", -0.1572656252451294509950031152},
           {"yg", 0.1826216837031290661437872816},
           {"vyg", 0.4008299173730900018794558979},
           {"theta", 0.3738942186662719546609582241},
           {"omega", 0.8611552694957156349811928661},
           {"Rx", -330.2519868718120698804363},
           {"Ry", -94.93378987359988205040265}},
          "compere_compound_pendulum.json"};
}

}  // namespace saltus::problems
