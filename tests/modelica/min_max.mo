// value y(0.25) = 0.25 +- 1e-7
// value y(0.75) = 0.5 +- 1e-9
// value z(0.75) = 3 +- 1e-9
model M
  Real x(start = 0, fixed = true);
  Real y = min(x, 0.5), z = max({1, 3, x});
equation
  der(x) = 1;
end M;
