// value k(1) = 2 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0), k(start = 0);
equation
  der(x) = 1;
  when {x > 0.2, x > 0.6} then
    n = pre(n) + 1;
  end when;
  when change(n) then
    k = pre(k) + 1;
  end when;
end M;
