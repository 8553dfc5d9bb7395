// stop 0.45
// instant 0.4411791980392288 +- 1e-06
// instant 0.4432496031570313 +- 1e-06
model BowedString "A string between two clamps under a light bow, which sticks and slips"
  constant Integer n = 100 "pieces of the string", contact = 10 "where the bow is";
  parameter Real length = 0.7, tension = 55, rho = 0.5, v0 = 0.5, Omega = 2, mu = 0.4, FN = 1.8, mb = 1;
  parameter Real stiffness = tension / (length / n) ^ 2;
  Real yb(start = 0, fixed = true, nominal = 0.1), vb(start = v0, fixed = true, nominal = 0.1);
  Real u[n - 1](each start = 0, each fixed = true, each nominal = 1e-4);
  Real v[n - 1](each start = 0, each fixed = true, each nominal = 1e-3);
  Real friction = -mu * FN * sign(v[contact] - vb) "on the string";
equation
  der(yb) = vb;
  mb * der(vb) = -v0 * Omega * sin(Omega * time) - friction;
  for i in 1:n - 1 loop
    der(u[i]) = v[i];
  end for;
  rho * der(v[1]) = stiffness * (u[2] - 2 * u[1]);
  for i in 2:contact - 1 loop
    rho * der(v[i]) = stiffness * (u[i + 1] - 2 * u[i] + u[i - 1]);
  end for;
  rho * der(v[contact]) = stiffness * (u[contact + 1] - 2 * u[contact] + u[contact - 1]) + friction;
  for i in contact + 1:n - 2 loop
    rho * der(v[i]) = stiffness * (u[i + 1] - 2 * u[i] + u[i - 1]);
  end for;
  rho * der(v[n - 1]) = stiffness * (u[n - 2] - 2 * u[n - 1]);
  annotation(experiment(StopTime = 6, Tolerance = 1e-7));
end BowedString;
