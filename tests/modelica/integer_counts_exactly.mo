// value n(1) = 10 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when sample(0.1, 0.1) then
    n = pre(n) + 1;
  end when;
end M;
