// parameter k = 2
// value x(1) = 0.01831563888873418 +- 1e-7
model M
  parameter Real k = 1;
  parameter Real k2 = 2 * k;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k2 * x;
end M;
