// value b(1) = 1 +- 0
model M
  Real x(start = 0, fixed = true);
  Boolean a(start = false), b(start = false);
equation
  der(x) = 1;
  when 2 * x > 1 then
    b = not pre(b) and a;
  end when;
  when x > 0.5 then
    a = true;
  end when;
end M;
