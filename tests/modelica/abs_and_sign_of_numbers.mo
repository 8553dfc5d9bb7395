// value y(1) = 1 +- 1e-7
model M
  Real y(start = 0, fixed = true);
  parameter Real a = abs(-2.0), b = sign(-3), c = sign(0);
equation
  der(y) = a + b + c;
end M;
