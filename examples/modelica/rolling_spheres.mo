// value alpha(8.0) = -0.7212566767241938 +- 1.0e-05
// value beta(8.0) = 2.474689087139721 +- 2.5e-05
// value phi(8.0) = 13.878163759793631 +- 1.4e-04
// value theta(8.0) = 2.305296189396588 +- 2.3e-05
// value psi(8.0) = 1.859243086357062 +- 1.9e-05
// value alphadot(8.0) = -0.07265371982868168 +- 1.0e-05
// value betadot(8.0) = 0.14258253959119008 +- 1.0e-05
// value phidot(8.0) = 2.5443256142157695 +- 2.5e-05
model RollingSpheres "A sphere that rolls on a fixed one, without gravity: one constraint of positions, two of velocities"
  parameter Real R(unit = "m") = 0.55, r(unit = "m") = 0.05, m(unit = "kg") = 1;
  parameter Real I = 0.4 * m * r ^ 2;
  constant Real pi = 3.141592653589793;
  parameter Real turn(unit = "rad/s") = 45 / 8 * pi / 180, faster = (R + r) / r;
  Real rho(start = R + r), alpha(start = 0, fixed = true), beta(start = pi / 2, fixed = true);
  Real phi(start = 0, fixed = true), theta(start = pi / 2, fixed = true), psi(start = pi / 2, fixed = true);
  Real rhodot, alphadot(start = -turn, fixed = true), betadot(start = turn, fixed = true);
  Real phidot(start = faster * turn), thetadot(start = faster * turn), psidot(start = 0, fixed = true);
  Real lambda1, lambda2 "of rolling";
  Real lambda3 "of the distance";
equation
  der(rho) = rhodot;
  der(alpha) = alphadot;
  der(beta) = betadot;
  der(phi) = phidot;
  der(theta) = thetadot;
  der(psi) = psidot;
  m * der(rhodot) - m * rho * (alphadot ^ 2 + betadot ^ 2 * cos(alpha) ^ 2) = lambda3;
  m * rho ^ 2 * der(alphadot) + m * rho * (2 * rhodot * alphadot + rho * betadot ^ 2 * cos(alpha) * sin(alpha)) = (R + r) * lambda1;
  m * rho ^ 2 * cos(alpha) ^ 2 * der(betadot) + 2 * m * rho * (rhodot * betadot * cos(alpha) ^ 2 - rho * betadot * alphadot * cos(alpha) * sin(alpha)) = (R + r) * lambda2;
  I * (der(phidot) + cos(theta) * der(psidot) - thetadot * psidot * sin(theta)) = -r * sin(theta) * (cos(psi) * lambda1 + sin(psi) * lambda2);
  I * (der(thetadot) + phidot * psidot * sin(theta)) = r * (sin(psi) * lambda1 - cos(psi) * lambda2);
  I * (cos(theta) * der(phidot) + der(psidot) - phidot * thetadot * sin(theta)) = 0;
  rho = R + r;
  (R + r) * alphadot = r * (phidot * sin(theta) * cos(psi) - thetadot * sin(psi));
  (R + r) * betadot = r * (phidot * sin(theta) * sin(psi) + thetadot * cos(psi));
  annotation(experiment(StopTime = 8, Tolerance = 1e-9));
end RollingSpheres;
