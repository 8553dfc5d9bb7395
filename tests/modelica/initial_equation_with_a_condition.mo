// value x(0) = 4 +- 1e-12
// parameter p = 3
model M
  parameter Real p = 1;
  Real x;
initial equation
  x = if p > 2 then p + 1 else -p;
equation
  der(x) = -x;
end M;
