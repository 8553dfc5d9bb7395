// value x(1) = 1 +- 1e-7
model M
  parameter Real limit = 2;
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(limit > 0, "a positive limit is needed");
  assert(x < limit, "too high");
end M;
