// value xg(5.0) = 0.46545603513267964 +- 1.0e-04
// value vx(5.0) = -0.15726562524512946 +- 1.0e-04
// value yg(5.0) = 0.18262168370312906 +- 1.0e-04
// value vy(5.0) = 0.40082991737309 +- 1.0e-04
// value theta(5.0) = 0.3738942186662719 +- 1.0e-04
// value omega(5.0) = 0.8611552694957156 +- 1.0e-04
model CompoundPendulum "A rod hinged at one end, with the reactions of the hinge: index 3"
  parameter Real m = 36, l = 1, g = 9.81, Ig = m * l ^ 2 / 12;
  parameter Real pi = 3.14159265358979;
  Real theta(start = 20 * pi / 180, fixed = true), omega(start = 1, fixed = true);
  Real xg(start = 0.47), yg(start = 0.17), vx, vy;
  Real Rx, Ry;
equation
  der(xg) = vx;
  der(yg) = vy;
  der(theta) = omega;
  m * der(vx) = m * g + Rx;
  m * der(vy) = Ry;
  Ig * der(omega) = l / 2 * (sin(theta) * Rx - cos(theta) * Ry);
  xg = l / 2 * cos(theta);
  yg = l / 2 * sin(theta);
  annotation(experiment(StopTime = 5, Tolerance = 1e-9));
end CompoundPendulum;
