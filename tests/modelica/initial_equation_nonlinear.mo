// value x(0) = 1.5 +- 1e-10
// value y(0) = 2 +- 1e-10
model M
  Real x(start = 1), y(start = 1.8);
initial equation
  x * y = 3;
  y ^ 2 - x = 2.5;
equation
  der(x) = -x;
  der(y) = -y;
end M;
