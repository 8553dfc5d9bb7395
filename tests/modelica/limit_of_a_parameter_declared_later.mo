// value x(1) = 1 +- 1e-6
model M
  parameter Real q(max = n) = 1;
  parameter Real n = 2;
  Real x(start = 0, fixed = true);
equation
  der(x) = q;
end M;
