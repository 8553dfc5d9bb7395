// value n(0) = 3 +- 0
// value n(0.7) = 4 +- 0
// value x(0.5) = 2.5 +- 1e-7
model M "initial() makes a clause happen at the start, too"
  Real x(start = 0, fixed = true);
  Integer n(start = 2);
equation
  der(x) = 1;
  when {initial(), x > 2.6} then
    n = pre(n) + 1;
  end when;
  when initial() then
    reinit(x, 2);
  end when;
  annotation(experiment(StopTime = 0.7));
end M;
