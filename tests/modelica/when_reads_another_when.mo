// value b(0.4) = 0 +- 0
// value a(1) = 5 +- 0
// value b(1) = 6 +- 0
model M "equations are sorted: b gets the new a, although another clause sets it"
  Real x(start = 0, fixed = true);
  discrete Real a(start = 0), b(start = 0);
equation
  der(x) = 1;
  when 2 * x > 1 then
    b = a + 1;
  end when;
  when x > 0.5 then
    a = 5;
  end when;
end M;
