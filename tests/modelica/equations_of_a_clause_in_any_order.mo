// value m(1) = 6 +- 0
// value n(1) = 3 +- 0
model M "m reads the new n, though it is written first"
  Real x(start = 0, fixed = true);
  Integer n(start = 2), m(start = 0);
equation
  der(x) = 1;
  when x > 0.5 then
    m = 2 * n;
    n = pre(n) + 1;
  end when;
end M;
