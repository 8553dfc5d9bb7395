// error 6:25 the level is AssertionLevel.warning or AssertionLevel.error
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 2, "high", AssertionLevel.info);
end M;
