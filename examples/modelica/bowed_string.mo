// value yb(6.0) = 0.017160287689374144 +- 1.0e-05
// value vb(6.0) = -0.0020805022802154256 +- 1.0e-05
// value u[1](6.0) = -2.0764465667648338e-06 +- 1.0e-05
// value u[10](6.0) = -2.6741323519378323e-05 +- 1.0e-05
// instant 0.06885622318511717 +- 1e-06
model BowedString "A string and the bow that sticks to it"
  constant Integer n = 100, contact = 10;
  parameter Real length = 0.7, tension = 55, rho = 0.5, v0 = 0.5, Omega = 2, mu = 0.4, FN = 18, mb = 1;
  parameter Real dx = length / n;
  Real yb(start = 0, fixed = true), vb(start = v0, fixed = true);
  Real u[n - 1](each start = 0, each fixed = true), v[n - 1](each start = 0, each fixed = true);
  Real friction = -mu * FN * sign(v[contact] - vb);
equation
  der(yb) = vb;
  mb * der(vb) = -v0 * Omega * sin(Omega * time) - friction;
  der(u) = v;
  rho * der(v[1]) = tension / dx ^ 2 * (u[2] - 2 * u[1]);
  for i in 2:n - 2 loop
    rho * der(v[i]) = tension / dx ^ 2 * (u[i + 1] - 2 * u[i] + u[i - 1]) + (if i == contact then friction else 0);
  end for;
  rho * der(v[n - 1]) = tension / dx ^ 2 * (u[n - 2] - 2 * u[n - 1]);
  annotation(experiment(StopTime = 6, Tolerance = 1e-7));
end BowedString;
