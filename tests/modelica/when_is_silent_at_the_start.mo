// value n(1) = 5 +- 0
// events "when x > 0" 0
model M "true from the start: it never becomes true"
  Real x(start = 1, fixed = true);
  Integer n(start = 5, fixed = true);
equation
  der(x) = 1;
  when x > 0 then
    n = pre(n) + 1;
  end when;
end M;
