// value y(1) = 8 +- 1e-12
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = 2^3;
end M;
