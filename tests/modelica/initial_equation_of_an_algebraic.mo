// value x(0) = 3 +- 1e-9
// value y(0) = 9 +- 1e-9
model M
  Real x(start = 1), y;
initial equation
  y = 9;
equation
  der(x) = -x;
  y = x ^ 2;
end M;
