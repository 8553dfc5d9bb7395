// value y(1) = 6 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  parameter Real v[3] = {3, -1, 7};
  Real y;
equation
  der(x) = 1;
  y = max(v) + min(v);
end M;
