// value y(0.2) = -1.6 +- 1e-7
// value y(1) = 1 +- 1e-7
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = semiLinear(x - 0.6, 2.5, 4);
end M;
