// value y(1) = 3 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = homotopy(actual = 3 * x, simplified = 0);
end M;
