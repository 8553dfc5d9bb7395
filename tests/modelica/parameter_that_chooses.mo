// value x(1) = 2 +- 1e-9
model M
  parameter Boolean fast = true;
  parameter Real rate = if fast then 2 else 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = rate;
end M;
