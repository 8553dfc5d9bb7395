// value x(1) = 6.5 +- 1e-12
model M
  constant Real a = 2;
  parameter Real b = a * c;
  parameter Real c = 3 / 2;
  Real x = b + 7 / 2;
equation
end M;
