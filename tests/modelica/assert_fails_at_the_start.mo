// outcome not_started
// says 'assert x < 0.5' fails: too high
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = 1;
  assert(x < 0.5, "too " + "high");
end M;
