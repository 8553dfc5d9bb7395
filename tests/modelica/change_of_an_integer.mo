// value n(1) = 2 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer k, n(start = 0);
equation
  der(x) = 2.5;
  k = integer(x);
  when change(k) then
    n = pre(n) + 1;
  end when;
end M;
