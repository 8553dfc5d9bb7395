// value s(2) = 1 +- 1e-7
// events "x > 0" 1
model M
  Real x(start = -1, fixed = true), s(start = 0, fixed = true);
equation
  der(x) = 1;
  der(s) = abs(x);
  annotation(experiment(StopTime = 2));
end M;
