// value y(0.3) = 1 +- 0
// value y(1.3) = 2 +- 0
model M
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = ceil(x);
  annotation(experiment(StopTime = 2));
end M;
