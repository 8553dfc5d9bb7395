// value x(1) = 1 +- 1e-7
// event "assert x < 0.5: rather high" 0.5 +- 1e-9
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 0.5, "rather high", AssertionLevel.warning);
end M;
