// value y(1) = 11 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = {1, 2} * {3, 4};
end M;
