// value x(1) = 1 +- 0
model M
  parameter Real p = 1;
  Real x = pre(p);
equation
end M;
