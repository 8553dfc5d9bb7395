// value x[1](0) = 3 +- 1e-12
// value x[2](0) = 6 +- 1e-12
model M
  parameter Real p = 3;
  Real x[2];
initial equation
  x = {p, 2 * p};
equation
  der(x) = -x;
end M;
