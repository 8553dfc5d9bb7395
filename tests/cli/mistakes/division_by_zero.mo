model Orbit
  parameter Real mu = 1;
  Real r(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(r) = v;
  der(v) = -mu / r^2;
end Orbit;
