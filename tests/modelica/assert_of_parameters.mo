// parameter limit = -1
// error 7:3 this assertion fails: a positive limit is needed
model M
  parameter Real limit = 2;
  Real x(start = 0, fixed = true);
equation
  assert(limit > 0, "a positive limit is needed");
  der(x) = 1;
end M;
