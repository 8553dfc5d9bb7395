// value n(1) = 2 +- 0
// value m(1) = 1 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 7), m;
equation
  der(x) = 5;
  when x > 2.5 then
    n = integer(x);
    m = mod(pre(n), 3);
  end when;
end M;
