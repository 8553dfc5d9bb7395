// outcome failed
// says x is too high
model M
  parameter String what = "x is too high";
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 0.5, what);
end M;
