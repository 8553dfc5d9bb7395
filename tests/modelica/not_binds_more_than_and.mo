// value y(0.2) = 1 +- 0
// value y(0.7) = 0 +- 0
model M
  Real x(start = 0, fixed = true);
  Boolean y;
equation
  der(x) = 1;
  y = not x > 0.5 and x < 0.8;
end M;
