// value b(1) = 1 +- 0
// value a(1) = 5 +- 0
model M "pre: the value before the event"
  Real x(start = 0, fixed = true);
  discrete Real a(start = 0), b(start = 0);
equation
  der(x) = 1;
  when 2 * x > 1 then
    b = pre(a) + 1;
  end when;
  when x > 0.5 then
    a = 5;
  end when;
end M;
