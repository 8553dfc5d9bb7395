// value n(1) = 1 +- 0
model M "two that become true at the same moment are one event"
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when {x > 0.5, 2 * x > 1} then
    n = pre(n) + 1;
  end when;
end M;
