// value y(0) = -3 +- 1e-9
// value y(2) = 2 +- 1e-7
model M
  Real x(start = -1, fixed = true);
  Real y = semiLinear(x, 2, 3);
equation
  der(x) = 1;
  annotation(experiment(StopTime = 2));
end M;
