// value n(0.95) = 9 +- 0
// value n(1.05) = 10 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = n;
  when sample(0.1, 0.1) then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 1.1));
end M;
