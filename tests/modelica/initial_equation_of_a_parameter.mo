// value x(0) = 6 +- 0
model M
  parameter Real p = 3;
  Real x;
initial equation
  x = 2 * p;
equation
  der(x) = 0;
end M;
