// value x(0) = 1 +- 0
// value y(0) = 2 +- 1e-12
model M
  Real x(start = 1), y(start = 5);
initial equation
  x + y = 3;
equation
  der(x) = -x;
  der(y) = -y;
end M;
