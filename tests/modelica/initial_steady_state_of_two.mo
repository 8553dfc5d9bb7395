// value x(0) = 3 +- 1e-9
// value y(0) = 1.5 +- 1e-9
model M
  Real x, y;
initial equation
  der(x) = 0;
  der(y) = 0;
equation
  der(x) = 3 - x;
  der(y) = x - 2 * y;
end M;
