// value y(0.25) = 0.25 +- 1e-9
// value y(0.75) = 0.25 +- 1e-9
// value y(1.3) = 0.3 +- 1e-9
model M "a saw tooth"
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  y = mod(x, 0.5);
  annotation(experiment(StopTime = 2));
end M;
