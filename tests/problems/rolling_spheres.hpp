// A sphere of radius r that rolls on a fixed one of radius R, without gravity: one constraint of positions and
// two of velocities (Compere's dissertation, section 3.6, equations (3.33) to (3.35) as printed there):
//
//   M(q) q'' + V(q, q') = J^T lambda,  q = (rho, alpha, beta, phi, theta, psi).
#pragma once

#include <numbers>

#include "problems/mechanism.hpp"

namespace saltus::problems {

inline void write_rolling_spheres(Model& m) {
  const double big = 0.55, r = 0.05, mass = 1.0, inertia = 0.4 * mass * r * r,
               pi = std::numbers::pi;
  const double turn = 45.0 / 8 * pi / 180, faster = (big + r) / r;
  const auto coordinate = [&](const char* name, double start, double speed) {
    return m.state(name, start, {.derivative_start = speed});
  };
  Expr rho = coordinate("rho", big + r, 0.0), alpha = coordinate("alpha", 0.0, -turn),
       beta = coordinate("beta", pi / 2, turn), phi = coordinate("phi", 0.0, faster * turn),
       theta = coordinate("theta", pi / 2, faster * turn), psi = coordinate("psi", pi / 2, 0.0);
  Expr l1 = m.algebraic("lambda1"), l2 = m.algebraic("lambda2"), l3 = m.algebraic("lambda3");
  Expr rp = der(rho), ap = der(alpha), bp = der(beta), fp = der(phi), tp = der(theta),
       sp = der(psi);
  Expr ca = cos(alpha), sa = sin(alpha), ct = cos(theta), st = sin(theta);
  Expr cs = cos(psi), ss = sin(psi);

  m.equation("motion of rho",
             mass * der(rho, 2) - mass * rho * (ap * ap + bp * bp * ca * ca) == l3);
  m.equation("motion of alpha", mass * rho * rho * der(alpha, 2) +
                                        mass * rho * (2.0 * rp * ap + rho * bp * bp * ca * sa) ==
                                    (big + r) * l1);
  m.equation("motion of beta",
             mass * rho * rho * ca * ca * der(beta, 2) +
                     2.0 * mass * rho * (rp * bp * ca * ca - rho * bp * ap * ca * sa) ==
                 (big + r) * l2);
  m.equation("motion of phi", inertia * (der(phi, 2) + ct * der(psi, 2) - tp * sp * st) ==
                                  -r * st * (cs * l1 + ss * l2));
  m.equation("motion of theta",
             inertia * (der(theta, 2) + fp * sp * st) == r * (ss * l1 - cs * l2));
  m.equation("motion of psi", inertia * (ct * der(phi, 2) + der(psi, 2) - fp * tp * st) == 0.0);
  // Speeds of the contact point reach 0.13 m/s, accelerations 0.3 m/s^2.
  const ConstraintSizes sizes{0.6, 0.13, 0.3};
  write_constraint(m, "distance", rho - (big + r), sizes);
  write_rolling(m, "rolling 1", (big + r) * ap - r * (fp * st * cs - tp * ss), sizes);
  write_rolling(m, "rolling 2", (big + r) * bp - r * (fp * st * ss + tp * cs), sizes);

  const char* const names[] = {"alpha", "beta", "phi", "theta", "psi"};
  const Expr speeds[] = {ap, bp, fp, tp, sp};
  for (std::size_t i = 0; i < 5; ++i) m.output(std::string("v_") + names[i], speeds[i]);
  m.invariant("energy",
              0.5 * mass * (rp * rp + rho * rho * (ap * ap + bp * bp * ca * ca)) +
                  0.5 * inertia * (fp * fp + tp * tp + sp * sp + 2.0 * fp * sp * ct),
              "J");
}

inline Mechanism rolling_spheres() {
  return {"rolling spheres",
          &write_rolling_spheres,
          8.0,
          {{"alpha", -0.72125667672419378189176645},
           {"beta", 2.4746890871397208562735231},
           {"phi", 13.878163759793630814464861},
           {"theta", 2.3052961893965881946116872},
           {"psi", 1.8592430863570618719712431},
           {"v_alpha", -0.072653719828681681537914883},
           {"v_beta", 0.14258253959119006634333733},
           {"v_phi", 2.5443256142157693356957806},
           {"v_theta", 0.34911167385298088307441761},
           {"v_psi", 1.7052478744744151282803595},
           {"lambda1", -0.0017282340976661992014714101},
           {"lambda2", -0.0025579410145205332741692299}},
          "compere_rolling_spheres.json"};
}

}  // namespace saltus::problems
