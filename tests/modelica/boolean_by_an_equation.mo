// value b(0.4) = 0 +- 0
// value b(0.6) = 1 +- 0
// value both(0.6) = 1 +- 0
// value both(0.9) = 0 +- 0
// value y(0.9) = 2 +- 1e-12
model M
  Real x(start = 0, fixed = true);
  Real y = if both then 1 else 2;
  Boolean both = b and x < 0.8;
  Boolean b;
equation
  der(x) = 1;
  b = x > 0.5;
end M;
