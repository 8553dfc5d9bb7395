// value x(2) = 5 +- 1e-12
model M
  Real x;
initial equation
  x = time + 3;
equation
  der(x) = -x;
  annotation(experiment(StartTime = 2, StopTime = 3));
end M;
