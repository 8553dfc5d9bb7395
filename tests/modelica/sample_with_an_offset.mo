// value n(0.14) = 0 +- 0
// value n(0.16) = 1 +- 0
// value n(1) = 5 +- 0
model M "at 0.15, 0.35, 0.55, 0.75, 0.95"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when sample(0.15, 0.2) then
    n = pre(n) + 1;
  end when;
end M;
