// value n(0) = 1 +- 0
// value n(1) = 2 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when {initial(), x > 0.5} then
    n = pre(n) + 1;
  end when;
end M;
