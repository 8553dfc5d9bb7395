// value x(0) = 2.5 +- 1e-12
// value y(0) = 0.5 +- 0
model M
  Real x(start = 1), y(start = 0.5, fixed = true);
initial equation
  x + y = 3;
equation
  der(x) = -x;
  der(y) = -y;
end M;
