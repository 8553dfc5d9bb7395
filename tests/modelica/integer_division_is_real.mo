// value y(1) = 3.5 +- 1e-9
model M "'/' of two Integers is a Real"
  Real x(start = 0, fixed = true);
  parameter Integer a = 7, b = 2;
  Real y;
equation
  der(x) = 1;
  y = a / b;
end M;
