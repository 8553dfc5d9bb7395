// value x(0) = 3 +- 1e-9
// value y(0) = 9 +- 1e-9
model M
  Real x(start = 1);
  Real y(start = 9, fixed = true);
equation
  der(x) = -x;
  y = x ^ 2;
end M;
