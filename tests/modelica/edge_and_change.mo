// value n(1) = 1 +- 0
// value m(1) = 2 +- 0
model M
  Real x(start = 0, fixed = true);
  Boolean b(start = false);
  Integer n(start = 0), m(start = 0);
equation
  der(x) = 1;
  when {x > 0.3, x > 0.6} then
    b = x < 0.5;
  end when;
  when edge(b) then
    n = pre(n) + 1;
  end when;
  when change(b) then
    m = pre(m) + 1;
  end when;
end M;
