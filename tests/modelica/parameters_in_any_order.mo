// value x(1) = 12 +- 0
model M
  parameter Real a = 2 * b, b = c + 1, c = 5;
  Real x = a;
equation
end M;
