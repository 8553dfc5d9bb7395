// value y(2) = 1 +- 1e-7
model M
  Real x(start = -1, fixed = true), y;
equation
  der(x) = 1;
  y = smooth(1, noEvent(if x > 0 then x ^ 2 else 0));
  annotation(experiment(StopTime = 2));
end M;
