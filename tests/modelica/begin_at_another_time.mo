// value x(3) = 1 +- 1e-9
// value n(2.1) = 1 +- 0
model M
  Real x(start = 0, fixed = true);
  Integer n(start = 0);
equation
  der(x) = 1;
  when time > 2.05 then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StartTime = 2, StopTime = 3));
end M;
