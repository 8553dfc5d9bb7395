// value n(1) = 1 +- 0
// value m(1) = 1 +- 0
// value x(1) = 5.5 +- 1e-7
model M "one clause makes the condition of another true, at the same moment"
  Real x(start = 0, fixed = true);
  Integer n(start = 0), m(start = 0);
equation
  der(x) = 1;
  when x > 0.5 and x < 1 then
    reinit(x, 5);
    n = pre(n) + 1;
  end when;
  when x > 3 then
    m = pre(m) + 1;
  end when;
end M;
