// value n(1) = 6 +- 0
// value b(1) = 1 +- 0
model M "statements one after the other"
  Real x(start = 0, fixed = true);
  Integer n(start = 1);
  Boolean b(start = false);
equation
  der(x) = 1;
algorithm
  when x > 0.5 then
    n := pre(n) + 1;
    n := 3 * n;
    b := n > 5;
  end when;
end M;
