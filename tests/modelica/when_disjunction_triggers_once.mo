// value n(1) = 1 +- 0
model M "a condition becomes true once"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when x > 0.2 or x > 0.4 then
    n = pre(n) + 1;
  end when;
end M;
