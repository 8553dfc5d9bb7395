// value y(0) = -3 +- 0
// value y(0.6) = -4 +- 0
// value up(0.6) = -3 +- 0
model M
  Real x(start = -2.5, fixed = true);
  Real y = floor(x), up = ceil(x);
equation
  der(x) = -1;
end M;
