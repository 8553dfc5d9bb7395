// value y(1) = -3 +- 1e-7
model M "floor(-1.5) = -2, ceil(-1.5) = -1, integer(-0.5) = -1, integer(1.9) = 1"
  Real y(start = 0, fixed = true);
  parameter Real a = floor(-1.5), b = ceil(-1.5);
  parameter Integer c = integer(-0.5), d = integer(1.9);
equation
  der(y) = a + b + c + d;
end M;
