// value left y(1) = 1 +- 1e-6
// value y(1) = -1 +- 1e-6
// stop 1
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = if terminal() then -x else x;
end M;
