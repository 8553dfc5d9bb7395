// value y(1) = 9 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  parameter Real v[4] = {1, 2, 3, 4};
  Real y;
equation
  der(x) = 1;
  y = sum(v[2:end]);
end M;
