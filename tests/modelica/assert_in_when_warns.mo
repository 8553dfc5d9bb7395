// value x(1) = 1 +- 1e-7
// event "assert x < 0.4 in 'when x > 0.5': rather high" 0.5 +- 1e-8
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    assert(x < 0.4, "rather high", AssertionLevel.warning);
  end when;
end M;
