// value b(0.6) = 1 +- 0
// value b(1) = 6 +- 0
model M "what another clause has set before is read as it is"
  Real x(start = 0, fixed = true);
  discrete Real a(start = 0), b(start = 0);
equation
  der(x) = 1;
  when {x > 0.5, x > 0.8} then
    b = a + 1;
  end when;
  when x > 0.7 then
    a = 5;
  end when;
end M;
