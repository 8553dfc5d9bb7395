// value x(0) = 2 +- 1e-9
// value x(1) = 2 +- 1e-7
model M
  parameter Real p = 8;
  Real x(start = 1);
initial equation
  der(x) = 0;
equation
  der(x) = p - x ^ 3;
end M;
