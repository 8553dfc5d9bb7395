// value x(0) = 6 +- 1e-12
// value y(0) = 7 +- 1e-12
model M
  parameter Real p = 3;
  Real x, y;
initial equation
  y = x + 1;
  x = 2 * p;
equation
  der(x) = -x;
  der(y) = -y;
end M;
