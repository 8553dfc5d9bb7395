// value y(1) = 2.356194490192345 +- 1e-12
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = atan2(1, -1);
end M;
