// value n(1) = 3 +- 0
model M "each of them triggers"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when {x > 0.2, x > 0.4, x > 0.6} then
    n = pre(n) + 1;
  end when;
end M;
